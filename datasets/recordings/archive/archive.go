// Package archive reads and extends the recordings of one kind of GPU: single readings, patterns of
// shared memory, and whole calls on streams of known statistics, in one folder. Folders in it
// are sets of calls that stand apart. Add takes in what atomprobe measured, Check says what
// is wrong with the whole.
//
// Errors wrap recordings.ErrRecording and name file and line; that of a file that an archive lacks
// wraps fs.ErrNotExist too.
//
// "atomlab archive --out datasets/h200 RUN..." takes in what atomprobe wrote, merged where it is of
// several starts: as the archive's own files (--replace where it has them), as a set with --set NAME
// (and --specs FILE, its list of streams), with --more NAME as further calls on existing streams, or
// with --further as readings of suites that it lacks. It checks the whole before it writes, and writes
// the index. A set that judges is named where New is called.
//
// Recordings of another GPU, whose profile is device/profiles/NAME.json, need a folder made so, a
// package beside the files as datasets/h100 is, with its README, a test that calls archivetest.Run, and
// its archive in Archives of lab/validate/recorded. "atomlab validate tuner --gpu NAME" then judges by
// it, and script/regenerate learns from its calls once its tables name the GPU. A quick calibration is
// what "atomprobe --quick" wrote, packed, in the folder quick, with the profile.json that "atomtune
// fit" makes of it.
package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
)

// Files of an archive beside those of a run. What an archive does not need it may lack.
const (
	CountersFile     = "counters.csv"     // readings of the hardware's counters
	InstructionsFile = "instructions.csv" // which are in which kernel
	SpecsFile        = "specs.txt"        // of a set whose streams a file lists
	LaunchesFile     = "launches.csv.gz"  // calls in launches other than the rule's
	ProfileFile      = "profile.json"     // the profile that atomtune fit makes of the readings

	packed = ".gz"
	quick  = "quick" // the folder of Quick
	// calls on the same streams, measured on other starts
	moreCalls, moreLaunches = "calls_*.csv.gz", "launches_*.csv.gz"
)

// Archive is a folder of recordings of one kind of GPU.
type Archive struct {
	name    string
	files   fs.FS
	judging []string
	calls   kept[[]recordings.Call]
}

// New returns the archive that the files are. Its name is that of its GPU's built-in profile;
// judging are the names of its validation sets.
func New(name string, files fs.FS, judging ...string) *Archive {
	return &Archive{name: name, files: files, judging: judging}
}

// Name is that of the GPU's profile, such as h200.
func (a *Archive) Name() string { return a.name }

// Profile returns the profile that the archive holds, or else the GPU's built-in one.
func (a *Archive) Profile() (*device.Profile, error) {
	data, err := a.File(ProfileFile)
	if errors.Is(err, fs.ErrNotExist) {
		return device.Builtin(a.name)
	}
	if err != nil {
		return nil, err
	}
	return device.Decode(data)
}

// Quick returns the readings of a quick calibration, the folder quick, as an archive with a
// profile of its own; nil if there are none.
func (a *Archive) Quick() (*Archive, error) {
	if _, err := fs.Stat(a.files, quick); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	files, err := fs.Sub(a.files, quick)
	return New(a.name, files), err
}

// File returns what a file of the archive holds, by its path, with or without the .gz of a packed
// one.
func (a *Archive) File(name string) ([]byte, error) {
	data, err := fs.ReadFile(a.files, name)
	if err != nil {
		data, err = fs.ReadFile(a.files, name+packed)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s is not among the recordings of %s: %w",
			recordings.ErrRecording, name, a.name, err)
	}
	return recordings.Plain(name, data)
}

// decoded decodes a file.
func decoded[T any](a *Archive, name string,
	decode func(string, []byte) (recordings.Provenance, T, error),
) (p recordings.Provenance, all T, err error) {
	data, err := a.File(name)
	if err != nil {
		return p, all, err
	}
	return decode(name, data)
}

// Readings returns the single quantities, in the order of the suites.
func (a *Archive) Readings() ([]recordings.Reading, error) {
	_, all, err := decoded(a, recordings.ReadingsFile, recordings.DecodeReadings)
	return all, err
}

// Counters returns what the hardware's counters say of small kernels.
func (a *Archive) Counters() ([]recordings.Reading, error) {
	_, all, err := decoded(a, CountersFile, recordings.DecodeReadings)
	return all, err
}

// Columns returns what one warp's operation on shared memory took, per pattern and operation, in
// cycles, and how each operation was measured.
func (a *Archive) Columns() (*recordings.Scratchpad, error) {
	_, s, err := a.columns()
	return s, err
}

func (a *Archive) columns() (recordings.Provenance, *recordings.Scratchpad, error) {
	return decoded(a, recordings.ScratchpadFile,
		func(name string, data []byte) (recordings.Provenance, *recordings.Scratchpad, error) {
			spreads, err := a.File(recordings.ScratchpadSpreadFile)
			if err != nil {
				spreads = nil // the repeats never differ
			}
			return recordings.DecodeScratchpad(name, data, recordings.ScratchpadSpreadFile, spreads)
		})
}

// Scratchpad returns the medians of Columns. Constants are fitted to Half(false) and judged on
// Half(true).
func (a *Archive) Scratchpad() (*patterns.Measurements, error) {
	s, err := a.Columns()
	if err != nil {
		return nil, err
	}
	return Measurements(s), nil
}

// Measurements returns the medians as package patterns holds them; the number of a pattern,
// from 1, stands for its line.
func Measurements(s *recordings.Scratchpad) *patterns.Measurements {
	m := &patterns.Measurements{Lanes: patterns.Lanes, Patterns: s.Patterns}
	if len(s.Patterns) > 0 {
		m.Lanes = len(s.Patterns[0])
	}
	for i := range s.Patterns {
		m.Lines = append(m.Lines, i+1)
	}
	for _, c := range s.Columns {
		m.Columns = append(m.Columns, patterns.Column{Name: c.Name, Cycles: c.Cycles})
	}
	return m
}

// Calls returns the recorded calls on the streams of one part in the launches of the rule, in the
// order of their recording, those of calls_NAME.csv.gz last. What is fitted or trained sees recordings.Fit alone;
// recordings.HeldOut is for judging.
func (a *Archive) Calls(part recordings.Part) ([]recordings.Call, error) {
	all, err := a.own().Calls()
	return ofPart(all, part), err
}

// Launches returns the recorded calls in other launches, of one part and in the order of Calls.
func (a *Archive) Launches(part recordings.Part) ([]recordings.Call, error) {
	all, err := a.own().Launches()
	return ofPart(all, part), err
}

func ofPart(all []recordings.Call, part recordings.Part) []recordings.Call {
	halves := map[string]recordings.Part{}
	return slices.DeleteFunc(all, func(c recordings.Call) bool {
		half, known := halves[c.Label]
		if !known {
			half = recordings.Half(c.Label)
			halves[c.Label] = half
		}
		return half != part
	})
}

// Streams returns the exact collision statistics of every stream of Calls by its label, warps of
// 32 and blocks of 256.
func (a *Archive) Streams() (map[string]collision.Stats, error) { return a.own().Streams() }

// own are the calls that are in no set.
func (a *Archive) own() Set { return Set{a, ""} }

// Set is a folder of recorded calls that stand apart from the others.
type Set struct {
	archive *Archive
	name    string
}

// Set returns the set in the folder of this name.
func (a *Archive) Set(name string) Set { return Set{a, name} }

// Sets returns every set, by name.
func (a *Archive) Sets() ([]Set, error) {
	found, err := fs.Glob(a.files, "*/"+recordings.CallsFile)
	var all []Set
	for _, file := range found {
		all = append(all, a.Set(path.Dir(file)))
	}
	return all, err
}

// Judging returns the validation sets: nothing is fitted to their calls or trained on them,
// whatever part the hash of a stream gives.
func (a *Archive) Judging() []Set {
	var all []Set
	for _, name := range a.judging {
		all = append(all, a.Set(name))
	}
	return all
}

// Name is the name of the set's folder.
func (s Set) Name() string { return s.name }

// Archive is the archive in which the set stands.
func (s Set) Archive() *Archive { return s.archive }

// File returns what a file of the set holds, as File of Archive does.
func (s Set) File(name string) ([]byte, error) { return s.archive.File(path.Join(s.name, name)) }

// Calls returns the recorded calls of the set in the launches of the rule, those of
// calls_NAME.csv.gz last.
func (s Set) Calls() ([]recordings.Call, error) {
	return s.calls(recordings.CallsFile, moreCalls)
}

// Launches returns the recorded calls of the set in other launches.
func (s Set) Launches() ([]recordings.Call, error) { return s.calls(LaunchesFile, moreLaunches) }

func (s Set) calls(file, more string) (all []recordings.Call, err error) {
	names, err := s.files(file, more)
	if len(names) == 0 {
		names = []string{path.Join(s.name, file)} // to say that it is not there
	}
	for _, name := range names {
		_, calls, err := s.archive.callsIn(name)
		if err != nil {
			return nil, err
		}
		all = append(all, calls...)
	}
	return all, err
}

// files lists the paths of a file and of those that go on with it.
func (s Set) files(file, more string) (all []string, err error) {
	for _, pattern := range []string{file, more} {
		found, err := fs.Glob(s.archive.files, path.Join(s.name, pattern))
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// Streams returns the exact collision statistics of the set's streams by label.
func (s Set) Streams() (map[string]collision.Stats, error) {
	name := path.Join(s.name, recordings.StreamsFile)
	data, err := s.archive.File(name)
	if err != nil {
		return nil, err
	}
	list, err := recordings.DecodeStreams(name, data)
	all := make(map[string]collision.Stats, len(list))
	for _, s := range list {
		all[s.Label] = s.Stats
	}
	return all, err
}
