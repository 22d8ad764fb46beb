package microbench

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/checkpoint"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/microbench/job"
)

// CheckpointFile is the file of a run's folder that keeps what its jobs measured.
const CheckpointFile = "journal.jsonl"

const journalFormat, checkpointVersion = "atomprobe-journal", 1

// header is the first line of a checkpoint, entry a further one: a finished job, or the
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

// kept is a checkpoint with what it holds.
type kept struct {
	*checkpoint.File
	header header
	done   map[string]job.Result
	end    *end
}

// openCheckpoint opens the checkpoint at path for appending, or begins it with the header, anew where
// restart forgets what it holds. Until it is closed no other process opens it: that wraps ErrBusy.
// A checkpoint of another run wraps ErrCheckpoint, as does a broken one. A checkpoint that begins removes the
// results of an earlier run from its folder.
func openCheckpoint(path string, asked header, restart bool) (k *kept, err error) {
	k = &kept{done: map[string]job.Result{}}
	if restart {
		err = checkpoint.Forget(path)
	}
	if err == nil {
		k.File, k.header, _, err = k.kind().Open(path, asked)
	}
	if errors.Is(err, wholefile.ErrBusy) {
		return nil, fmt.Errorf("%w: %s: another process measures into this folder: wait until it ends, or name "+
			"another folder", ErrBusy, path)
	} else if err != nil {
		return nil, err
	}
	if len(k.done) == 0 {
		if err := recordings.ClearFolder(filepath.Dir(path)); err != nil {
			return nil, errors.Join(err, k.Close())
		}
	}
	return k, nil
}

// kind reads a checkpoint into what is kept.
func (k *kept) kind() *checkpoint.Kind[header, entry] {
	named := func(h header) error { return checkpoint.Named(h.Format, h.Version, journalFormat, checkpointVersion) }
	return &checkpoint.Kind[header, entry]{Err: ErrCheckpoint, Head: named, Part: k.take, Refuse: header.refuse}
}

// refuse reports that the checkpoint is of another run, whenever that began.
func (h header) refuse(asked header) error {
	h.Start, h.CUDA = asked.Start, asked.CUDA
	if d := checkpoint.Difference(h, asked); d != "" {
		return fmt.Errorf("it was started with %s: name another folder, or start over with --restart", d)
	}
	return nil
}

// append writes one line and waits until it is on the disk.
func (k *kept) append(line entry) error {
	err := k.Append(line)
	if err == nil {
		err = k.Sync()
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", k.Name(), err)
	}
	return nil
}

func (k *kept) finish(name string, r job.Result) error {
	k.done[name] = r
	return k.append(entry{Job: name, Result: &r})
}

// take keeps what a line holds.
func (k *kept) take(_ header, e *entry) error {
	switch _, twice := k.done[e.Job]; {
	case k.end != nil:
		return errors.New("a line after the end of the run")
	case e.End != nil && e.Job == "" && e.Result == nil:
		k.end = e.End
	case e.End != nil || e.Job == "" || e.Result == nil:
		return errors.New("neither a job with its result nor the end of the run")
	case twice:
		return fmt.Errorf("job %s is given twice", e.Job)
	default:
		k.done[e.Job] = *e.Result
	}
	return nil
}
