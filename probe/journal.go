package probe

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/strictjson"
	"github.com/atomtune/atomtune/probe/job"
)

// JournalFile is the file of a run's folder that keeps what its jobs measured.
const JournalFile = "journal.jsonl"

const journalFormat, journalVersion = "atomprobe-journal", 1

// header is the first line of a journal, entry a further one: a finished job, or the
// end of the run.
type header struct {
	Format            string           `json:"format"`
	Version           int              `json:"version"`
	GPU               string           `json:"gpu"`
	UUID              string           `json:"gpu_uuid"` // empty: the driver does not say
	Device            int              `json:"device"`
	ComputeCapability string           `json:"compute_capability"`
	Driver            string           `json:"driver"`
	CUDA              string           `json:"cuda"`
	Program           string           `json:"program"`
	Options           string           `json:"options"`
	Plan              string           `json:"plan"` // SHA-256: Plan.hash
	Start             recordings.Start `json:"start"`
}

type entry struct {
	Job    string      `json:"job,omitempty"`
	Result *job.Result `json:"result,omitempty"`
	End    *end        `json:"end,omitempty"`
}

type end struct {
	SMClock     int `json:"sm_clock_mhz"`
	MemoryClock int `json:"memory_clock_mhz"`
}

type journal struct {
	path   string
	file   *os.File
	header header
	done   map[string]job.Result
	end    *end
	whole  int64  // length up to the end of the last whole line, in bytes
	tail   []byte // the rest
}

// openJournal opens the journal at path for appending, or begins it with the header, anew where
// restart forgets what it holds. Until it is closed no other process opens it: that wraps ErrBusy.
// A last line without its end, as a kill leaves it, is cut off. A journal of another run wraps
// ErrJournal, as does a broken one. A journal that begins removes the results of an earlier run
// from its folder.
func openJournal(path string, asked header, restart bool) (_ *journal, err error) {
	j := &journal{path: path, done: map[string]job.Result{}}
	var data []byte
	j.file, data, err = strictjson.OpenJournal(path)
	if errors.Is(err, strictjson.ErrBusy) {
		return nil, fmt.Errorf("%w: %w: wait for its end, or name another folder", ErrBusy, err)
	} else if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, j.file.Close())
		}
	}()
	if !restart {
		if err := cmp.Or(j.read(data), j.refuse(&asked)); err != nil {
			return nil, err
		}
	}
	if err := j.file.Truncate(j.whole); err != nil || j.whole > 0 {
		return j, err
	}
	j.header = asked
	if err := recordings.ClearFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	return j, j.append(asked)
}

// refuse reports that what the file holds is of another run, or no journal.
func (j *journal) refuse(asked *header) error {
	begin := []byte(`{"format":"` + journalFormat)
	n := min(len(j.tail), len(begin))
	if j.whole == 0 && !bytes.Equal(begin[:n], j.tail[:n]) {
		return fmt.Errorf("%w: %s:1: it is none", ErrJournal, j.path)
	} else if j.whole == 0 {
		return nil
	}
	h := &j.header
	for _, c := range []struct{ name, made, asked string }{
		{"GPU", h.GPU, asked.GPU},
		{"GPU of UUID", h.UUID, asked.UUID},
		{"device", strconv.Itoa(h.Device), strconv.Itoa(asked.Device)},
		{"compute capability", h.ComputeCapability, asked.ComputeCapability},
		{"driver", h.Driver, asked.Driver},
		{"options", h.Options, asked.Options},
		{"program", h.Program, asked.Program},
		{"plan", h.Plan, asked.Plan},
	} {
		if c.made != c.asked {
			return fmt.Errorf("%w: %s:1: it was begun with %s %q, not %q: name another folder, or begin "+
				"anew with --restart", ErrJournal, j.path, c.name, c.made, c.asked)
		}
	}
	return nil
}

// append writes one line and waits until it is on the disk.
func (j *journal) append(line any) error {
	err := strictjson.Append(j.file, line)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", j.path, err)
	}
	return nil
}

func (j *journal) finish(name string, r job.Result) error {
	j.done[name] = r
	return j.append(entry{Job: name, Result: &r})
}

func (j *journal) read(data []byte) error {
	lines, tail := strictjson.Whole(data)
	j.whole, j.tail = int64(len(lines)), tail
	number := 0
	for line := range bytes.Lines(lines) {
		number++
		if err := j.take(line, number); err != nil {
			return fmt.Errorf("%w: %s:%d: %w", ErrJournal, j.path, number, err)
		}
	}
	return nil
}

func (j *journal) take(line []byte, number int) error {
	var e entry
	into, h := any(&e), &j.header
	if number == 1 {
		into = h
	}
	if err := strictjson.Decode(line, into); err != nil {
		return err
	}
	switch _, twice := j.done[e.Job]; {
	case number == 1 && (h.Format != journalFormat || h.Version != journalVersion):
		return fmt.Errorf("format %q version %d, want %q version %d", h.Format, h.Version, journalFormat,
			journalVersion)
	case number == 1:
	case j.end != nil:
		return errors.New("a line after the end of the run")
	case e.End != nil && e.Job == "" && e.Result == nil:
		j.end = e.End
	case e.End != nil || e.Job == "" || e.Result == nil:
		return errors.New("neither a job with its result nor the end of the run")
	case twice:
		return fmt.Errorf("job %s stands twice", e.Job)
	default:
		j.done[e.Job] = *e.Result
	}
	return nil
}
