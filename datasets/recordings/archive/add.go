package archive

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/internal/gzipped"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// Options say where Add puts what was measured.
type Options struct {
	// Set is the folder of a set, which takes calls and streams alone; empty: none.
	Set string
	// More is the NAME of calls_NAME.csv.gz, further calls on streams whose statistics are there;
	// empty: calls.csv.gz with its streams.
	More string
	// Specs is the list of the set's streams, which Set keeps; nil: none.
	Specs []byte
	// Replace lets files take the place of those of the same names.
	Replace bool
	// Further puts the run's readings, of suites that the archive lacks, behind its own.
	Further bool
}

// ErrAdd is wrapped by errors about what cannot be added, and about names.
var ErrAdd = errors.New("not added to the archive")

var nameSpelling = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// Add puts a run, or several merged, into the archive in a folder, which it makes where there is
// none, and writes the index. It adds nothing where Check would find fault with the whole. Those who
// add to one folder at the same time wait for each other.
// It returns the paths of the files in the archive that it has written. Errors wrap ErrAdd or are
// of the file system.
func Add(folder string, run recordings.Run, o Options) (written []string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	unlock, err := wholefile.Lock(filepath.Join(folder, IndexFile))
	if err != nil {
		return nil, err
	}
	defer unlock()
	if o.Further {
		if run, err = o.joined(folder, run); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrAdd, err)
		}
		o.Replace = true
	}
	files, err := o.files(run)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAdd, err)
	}
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(folder, f.name)); err == nil && !o.Replace {
			return nil, fmt.Errorf("%w: %s holds %s already", ErrAdd, folder, f.name)
		}
	}
	if err := tried(folder, files); err != nil {
		return nil, err
	}
	if written, err = write(folder, files); err == nil {
		err = WriteIndex(folder)
	}
	return append(written, IndexFile), err
}

// joined returns the archive's own readings, and behind them the run's, which are all that it has.
func (o Options) joined(folder string, run recordings.Run) (joined recordings.Run, err error) {
	a := New(filepath.Base(folder), os.DirFS(folder))
	p, held, err := decoded(a, recordings.ReadingsFile, recordings.DecodeReadings)
	suites := map[string]bool{}
	for _, r := range held {
		suites[r.Suite] = true
	}
	again := slices.IndexFunc(run.Readings, func(r recordings.Reading) bool { return suites[r.Suite] })
	gpu, other := p.GPU+" ("+p.ComputeCapability+")",
		run.Provenance.GPU+" ("+run.Provenance.ComputeCapability+")"
	switch {
	case err != nil:
		return joined, err
	case o.Set != "" || o.More != "" || o.Replace:
		return joined, errors.New("further readings are of no set, and replace nothing")
	case len(run.Readings) == 0 || len(run.Calls) > 0 || run.Scratchpad != nil:
		return joined, fmt.Errorf("%s has not readings alone", run.Name)
	case again >= 0:
		return joined, fmt.Errorf("%s holds readings of suite %s already", folder,
			run.Readings[again].Suite)
	case gpu != other:
		return joined, fmt.Errorf("%s is of %s, %s of %s", run.Name, other, folder, gpu)
	}
	p.Starts = append(p.Starts, run.Provenance.Starts...)
	return recordings.Run{Name: run.Name, Provenance: p, Readings: append(held, run.Readings...)}, nil
}

// file is one to write.
type file struct {
	name string // its path in the archive
	data []byte
}

// files encodes what the options take of a run.
func (o Options) files(run recordings.Run) (all []file, err error) {
	for _, name := range []string{o.Set, o.More} {
		if name != "" && !nameSpelling.MatchString(name) {
			return nil, fmt.Errorf("%q is not a name of small letters and digits", name)
		}
	}
	if o.Specs != nil && (o.Set == "" || o.More != "") {
		return nil, fmt.Errorf("%s is of a new set alone", SpecsFile)
	}
	own := o.Set == "" && o.More == ""
	if !own && (len(run.Calls) == 0 || len(run.Streams) == 0) {
		return nil, fmt.Errorf("%s has %d calls on %d streams", run.Name, len(run.Calls),
			len(run.Streams))
	}
	put := func(name string, data []byte, encoding error) {
		if strings.HasSuffix(name, packed) && encoding == nil {
			data, encoding = gzipped.Pack(data)
		}
		err = errors.Join(err, encoding)
		all = append(all, file{path.Join(o.Set, name), data})
	}
	if own && len(run.Readings) > 0 {
		data, err := recordings.EncodeReadings(run.Provenance, run.Readings)
		put(recordings.ReadingsFile, data, err)
	}
	if own && run.Scratchpad != nil {
		cycles, spreads, err := recordings.EncodeScratchpad(run.Provenance, run.Scratchpad)
		put(recordings.ScratchpadFile+packed, cycles, err)
		put(recordings.ScratchpadSpreadFile+packed, spreads, err)
	}
	calls, launches := recordings.CallsFile, LaunchesFile
	if o.More != "" {
		calls = strings.Replace(moreCalls, "*", o.More, 1)
		launches = strings.Replace(moreLaunches, "*", o.More, 1)
	}
	fixed := func(c recordings.Call) bool { return c.Fixed }
	ruled := func(c recordings.Call) bool { return !c.Fixed }
	for _, part := range []struct {
		name    string
		without func(recordings.Call) bool
	}{{calls, fixed}, {launches, ruled}} {
		list := slices.DeleteFunc(slices.Clone(run.Calls), part.without)
		if len(list) > 0 {
			data, err := recordings.EncodeCalls(run.Provenance, list)
			put(part.name, data, err)
		}
	}
	if len(run.Streams) > 0 && o.More == "" {
		data, err := recordings.EncodeStreams(run.Streams)
		put(recordings.StreamsFile, data, err)
	}
	if o.Specs != nil {
		put(SpecsFile, o.Specs, nil)
	}
	return all, err
}

// tried checks a copy of the archive with the files.
func tried(folder string, files []file) (err error) {
	temporary, err := os.MkdirTemp("", "archive")
	if err != nil {
		return err
	}
	defer wholefile.Temporary(temporary)()
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	trial := filepath.Join(temporary, "trial")
	if err := os.CopyFS(trial, os.DirFS(folder)); err != nil {
		return err
	}
	if _, err := write(trial, files); err != nil {
		return err
	}
	if err := New(filepath.Base(folder), os.DirFS(trial)).Check(); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrAdd, folder, err)
	}
	return nil
}

func write(folder string, files []file) (written []string, err error) {
	for _, f := range files {
		to := filepath.Join(folder, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return written, err
		}
		if err := wholefile.Write(to, f.data); err != nil {
			return written, err
		}
		written = append(written, f.name)
	}
	return written, nil
}
