package archive

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// The least repeats of a measured call on each start, and the most faults that Check lists.
const (
	leastRepeats = 3
	mostFaults   = 5
)

// Check reads the whole archive and reports what is wrong with it: files that cannot be read or are
// of several GPUs; calls without statistics of their stream, on another number of updates
// or targets, recorded twice, measured with wrong results or fewer than three repeats on a start;
// streams without calls, in two sets, or other than those of the set's specs.txt.
func (a *Archive) Check() error {
	c := checker{archive: a, home: map[string]string{}}
	own := [3]bool{
		checked(&c, recordings.ReadingsFile, recordings.DecodeReadings),
		checked(&c, CountersFile, recordings.DecodeReadings),
		c.columns(),
	}
	sets, err := a.Sets()
	c.fault(err)
	for _, s := range a.Judging() {
		if !slices.Contains(sets, s) {
			c.faultf("%s has no set %s to judge by", a.name, s.name)
		}
	}
	if _, err := a.File(recordings.CallsFile); err == nil {
		sets = append([]Set{a.own()}, sets...)
	}
	for _, s := range sets {
		c.set(s)
	}
	if len(sets) == 0 && own == [3]bool{} {
		c.faultf("%s holds no recording", a.name)
	}
	if c.more > 0 {
		c.faults = append(c.faults, fmt.Errorf("%w: and %d more faults", recordings.ErrRecording, c.more))
	}
	return errors.Join(c.faults...)
}

type checker struct {
	archive *Archive
	gpu     string
	first   string            // the file that says of which GPU it is
	home    map[string]string // the set of each stream
	faults  []error
	more    int // faults
}

func (c *checker) fault(err error) {
	switch {
	case err == nil:
	case len(c.faults) < mostFaults:
		c.faults = append(c.faults, err)
	default:
		c.more++
	}
}

func (c *checker) faultf(format string, args ...any) {
	c.fault(fmt.Errorf("%w: "+format, append([]any{recordings.ErrRecording}, args...)...))
}

// from holds a file to the GPU of the others.
func (c *checker) from(file string, p recordings.Provenance) {
	gpu := p.GPU + " (" + p.ComputeCapability + ")"
	if c.first == "" {
		c.first, c.gpu = file, gpu
	}
	if gpu != c.gpu {
		c.faultf("%s is of %s, %s of %s", file, gpu, c.first, c.gpu)
	}
}

// checked decodes a file that may lack, and says whether it is there.
func checked[T any](c *checker, file string,
	decode func(string, []byte) (recordings.Provenance, T, error)) bool {
	p, _, err := decoded(c.archive, file, decode)
	return c.read(file, p, err)
}

func (c *checker) columns() bool {
	p, _, err := c.archive.columns()
	return c.read(recordings.ScratchpadFile, p, err)
}

func (c *checker) read(file string, p recordings.Provenance, err error) bool {
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if c.fault(err); err == nil {
		c.from(file, p)
	}
	return true
}

// key tells calls apart.
type key struct {
	label          string
	call           device.Call
	implementation impl.Spec
	fixed          device.Launch
}

func keyOf(c recordings.Call) key {
	return key{label: c.Label, call: c.Call, implementation: c.Implementation, fixed: c.Asked()}
}

// set checks the calls and streams of a set.
func (c *checker) set(s Set) {
	streams, err := s.Streams()
	c.fault(err)
	files, listing := s.files(recordings.CallsFile, moreCalls)
	c.fault(listing)
	launches, listing := s.files(LaunchesFile, moreLaunches)
	c.fault(listing)
	files = append(files, launches...)
	recorded, called := map[key]bool{}, map[string]bool{}
	for _, file := range files {
		p, calls, err := c.archive.callsIn(file)
		if c.fault(err); err != nil {
			continue
		}
		c.from(file, p)
		for _, r := range calls {
			c.call(file, r, streams)
			before := len(recorded)
			if recorded[keyOf(r)] = true; len(recorded) == before {
				c.faultf("%s: %s %s is recorded twice", file, r.Label, r.Implementation)
			}
			called[r.Label] = true
		}
	}
	name := cmp.Or(s.name, "what is in no set")
	for _, label := range slices.Sorted(maps.Keys(streams)) {
		if !called[label] {
			c.faultf("%s: no call on %s", name, label)
		}
		if other, known := c.home[label]; known {
			c.faultf("%s: %s is in %s too", name, label, other)
		}
		c.home[label] = name
	}
	c.specs(s, streams)
}

func (c *checker) call(file string, r recordings.Call, streams map[string]collision.Stats) {
	stats, known := streams[r.Label]
	switch {
	case !known:
		c.faultf("%s: no statistics of %s", file, r.Label)
	case stats.Updates != r.Updates || stats.Bins != r.Bins:
		c.faultf("%s: %s: %d updates of %d targets, but statistics of %d and %d", file, r.Label,
			r.Updates, r.Bins, stats.Updates, stats.Bins)
	case r.Origin != recordings.Measured:
	case !r.Correct:
		c.faultf("%s: %s %s: wrong results", file, r.Label, r.Implementation)
	case r.Repeats < leastRepeats*max(1, r.Starts):
		c.faultf("%s: %s %s: %d repeats on %d starts", file, r.Label, r.Implementation, r.Repeats,
			r.Starts)
	}
}

// specs holds the streams to the set's list, where it has one.
func (c *checker) specs(s Set, streams map[string]collision.Stats) {
	data, err := s.File(SpecsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	c.fault(err)
	listed := 0
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		spec, err := synth.Parse(line)
		c.fault(err)
		if _, ok := streams[spec.String()]; err == nil && !ok {
			c.faultf("%s: %s lists %s, which is not a stream", s.name, SpecsFile, line)
		}
		listed++
	}
	if listed != len(streams) {
		c.faultf("%s: %s lists %d of %d streams", s.name, SpecsFile, listed, len(streams))
	}
}
