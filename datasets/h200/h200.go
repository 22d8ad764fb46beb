// Package h200 holds what was measured on NVIDIA H200s with cmd/atomprobe:
// single readings, patterns of shared memory, and whole calls of every
// implementation on 468 index streams with the streams' collision statistics.
// README.md says how each number is made, index.json what each file holds.
//
// Errors of its functions wrap recordings.ErrRecording and name file and line.
package h200

import (
	"embed"
	"fmt"
	"path"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/datasets/recordings"
)

//go:embed *.csv *.gz second/*.gz misses/*.gz misses/specs.txt
//go:embed hotspots/*.gz hotspots/specs.txt drawn/*.gz
var files embed.FS

// rivalsFile holds calls of implementations that no choice ranks, to compare with,
// from starts of the machine of their own.
const rivalsFile = "calls_rivals.csv.gz"

// File returns what a file of the folder holds, by its name, with or without the .gz of
// a packed one.
func File(name string) ([]byte, error) {
	data, err := files.ReadFile(name)
	if err != nil {
		data, err = files.ReadFile(name + ".gz")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s is not among the recordings", recordings.ErrRecording, name)
	}
	return recordings.Plain(name, data)
}

// decoded decodes a file, passing over what it was measured with.
func decoded[T any](
	name string, decode func(string, []byte) (recordings.Provenance, T, error),
) (all T, err error) {
	data, err := File(name)
	if err != nil {
		return all, err
	}
	_, all, err = decode(name, data)
	return all, err
}

// Readings returns the single quantities, in the order of the suites.
func Readings() ([]recordings.Reading, error) {
	return decoded(recordings.ReadingsFile, recordings.DecodeReadings)
}

// Scratchpad returns what one warp's operation on shared memory took, per pattern and operation,
// in cycles. Constants are fitted to Half(false) and judged on Half(true).
func Scratchpad() (*patterns.Measurements, error) {
	s, err := scratchpad()
	if err != nil {
		return nil, err
	}
	return Measurements(s), nil
}

// Measurements returns the medians as package patterns holds them; the number
// of a pattern, from 1, stands for its line.
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

func scratchpad() (*recordings.Scratchpad, error) {
	return decoded(recordings.ScratchpadFile,
		func(name string, data []byte) (recordings.Provenance, *recordings.Scratchpad, error) {
			return recordings.DecodeScratchpad(name, data, "", nil)
		})
}

// Calls returns the recorded calls on the streams of one part, in the order of their recording;
// the implementations that no choice ranks, vr:t=8, come last. What is fitted or trained sees
// recordings.Fit alone; recordings.HeldOut is for judging.
func Calls(part recordings.Part) ([]recordings.Call, error) {
	var all []recordings.Call
	for _, name := range []string{recordings.CallsFile, rivalsFile} {
		calls, err := decoded(name, recordings.DecodeCalls)
		if err != nil {
			return nil, err
		}
		all = append(all, calls...)
	}
	return slices.DeleteFunc(all, func(c recordings.Call) bool {
		return recordings.Half(c.Label) != part
	}), nil
}

// Streams returns the exact collision statistics of every stream by its label,
// warps of 32 and blocks of 256.
func Streams() (map[string]collision.Stats, error) { return Set("").Streams() }

// Set is the folder of recordings that stand apart from the others.
type Set string

// The sets. Second is the second validation set: nothing is fitted to its calls or trained on
// them, whatever their part says, but they were read while closed forms were changed. The
// others shaped the closed forms, and judge nothing.
const (
	Second   Set = "second"   // 120 streams drawn from all families
	Misses   Set = "misses"   // 81 streams, most of whose targets do not fit in L2
	Hotspots Set = "hotspots" // 72 streams with hot targets side by side
	Drawn    Set = "drawn"    // 320 streams drawn from all families
)

func (s Set) file(name string) ([]byte, error) { return files.ReadFile(path.Join(string(s), name)) }

// Calls returns the recorded calls of the set.
func (s Set) Calls() ([]recordings.Call, error) {
	return decoded(path.Join(string(s), recordings.CallsFile), recordings.DecodeCalls)
}

// Streams returns the exact collision statistics of the set's streams by label.
func (s Set) Streams() (map[string]collision.Stats, error) {
	name := path.Join(string(s), recordings.StreamsFile)
	data, err := files.ReadFile(name)
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

// Contention is what warps of one SM took that add to shared memory, each 64 times, one operation
// after the other. The first Lanes lanes of the first Colliding warps add to words that these
// warps share, lane by lane; Degree lanes of a warp share a word.
type Contention struct {
	Operation string
	Warps     int
	Colliding int
	Lanes     int
	Degree    int
	Cycles    float64 // of one warp's operation: all cycles over all operations
}

// Contentions returns the readings of several warps that share words.
func Contentions() ([]Contention, error) {
	readings, err := Readings()
	if err != nil {
		return nil, err
	}
	var all []Contention
	for _, r := range readings {
		if r.Suite != "shared" || r.Name != "contention" {
			continue
		}
		c := Contention{Cycles: r.Value}
		if _, err := fmt.Sscanf(r.Parameters,
			"op=%s warps=%d colliding_warps=%d colliding_lanes=%d degree=%d",
			&c.Operation, &c.Warps, &c.Colliding, &c.Lanes, &c.Degree); err != nil {
			return nil, fmt.Errorf("%w: %s: contention %s: %v", recordings.ErrRecording,
				recordings.ReadingsFile, r.Parameters, err)
		}
		all = append(all, c)
	}
	return all, nil
}
