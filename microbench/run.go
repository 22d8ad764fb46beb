package microbench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/microbench/job"
)

// RunOptions say where a run keeps its results, and who looks on.
type RunOptions struct {
	Folder  string
	Program string // name and version, for the provenance
	Restart bool   // forget what the folder's checkpoint holds
	Now     func() time.Time
	// Progress is called before and after each job; nil for nobody.
	Progress func(Progress)
}

type Progress struct {
	Done, Total int
	Suite, Key  string // of the job that runs now
}

// Run carries out the plan and writes the folder's files. What the folder's checkpoint holds is not
// measured again. A run that was cut leaves its checkpoint, and the same call goes on. Errors name the
// job, and wrap ErrInterrupted where the context ended, ErrWrong where results were wrong (the
// files are written then), ErrCheckpoint, ErrBusy, or what the driver or the job says.
func (p *Plan) Run(ctx context.Context, g driver.GPU, o RunOptions) (_ Outcome, err error) {
	hash, err := p.hash()
	if err == nil {
		err = os.MkdirAll(o.Folder, 0o755)
	}
	if err != nil {
		return Outcome{}, err
	}
	d := g.Describe()
	start := recordings.Start{Date: o.Now().UTC().Format(time.RFC3339)}
	start.SMClockBefore, start.MemoryClock = g.Clocks()
	j, err := openCheckpoint(filepath.Join(o.Folder, CheckpointFile), header{
		Format: journalFormat, Version: checkpointVersion, GPU: d.Name, UUID: d.UUID, Device: d.Index,
		ComputeCapability: d.Capability(), Driver: d.Driver, CUDA: d.CUDA,
		Program: o.Program, Options: p.Options.String(), Plan: hash, Start: start,
	}, o.Restart)
	if err != nil {
		return Outcome{}, err
	}
	defer func() { err = errors.Join(err, j.Close()) }() // only then another process may begin
	resumed := len(j.done)
	if j.end == nil {
		r := runner{p, g, j, o.Progress}
		if err := r.run(ctx); err != nil {
			return Outcome{}, err
		}
	}
	return p.write(o.Folder, j, resumed)
}

type runner struct {
	plan       *Plan
	gpu        driver.GPU
	checkpoint *kept
	progress   func(Progress)
}

const mostPrepared = 16 // streams in memory at once

// nextBatch bounds the updates that are in memory at once too: one takes about 32 bytes.
func nextBatch(jobs []job.Job, cores int) int {
	most := min(len(jobs), cores, mostPrepared)
	updates := 0
	for i := range jobs[:most] {
		if updates += jobs[i].Updates; updates > job.UnknownUpdates {
			return max(1, i)
		}
	}
	return most
}

// run prepares some jobs side by side and then runs them one after the other: nothing else
// uses the processor while the device is timed.
func (r *runner) run(ctx context.Context) error {
	left := slices.DeleteFunc(slices.Clone(r.plan.Jobs), func(j job.Job) bool {
		_, done := r.checkpoint.done[j.Name()]
		return done
	})
	for len(left) > 0 {
		jobs := left[:nextBatch(left, runtime.GOMAXPROCS(0))]
		left = left[len(jobs):]
		r.report(&jobs[0])
		inputs, faults := make([]any, len(jobs)), make([]error, len(jobs))
		var preparing sync.WaitGroup
		for i := range jobs {
			if jobs[i].Prepare != nil && ctx.Err() == nil {
				preparing.Go(func() { inputs[i], faults[i] = jobs[i].Prepare() })
			}
		}
		preparing.Wait()
		for i := range jobs {
			if err := r.runJob(ctx, &jobs[i], inputs[i], faults[i]); err != nil {
				return err
			}
			inputs[i] = nil // its memory is free
		}
	}
	r.checkpoint.end = &end{}
	r.checkpoint.end.SMClock, r.checkpoint.end.MemoryClock = r.gpu.Clocks()
	return r.checkpoint.append(entry{End: r.checkpoint.end})
}

func (r *runner) runJob(ctx context.Context, j *job.Job, prepared any, err error) error {
	done, total := len(r.checkpoint.done), len(r.plan.Jobs)
	interrupted := fmt.Errorf("%w after %d of %d jobs: the same command resumes", ErrInterrupted, done,
		total)
	if ctx.Err() != nil {
		return interrupted
	}
	r.report(j)
	var result job.Result
	if err == nil {
		result, err = j.Run(ctx, r.gpu, prepared)
	}
	switch {
	case err == nil:
		err = r.checkpoint.finish(j.Name(), result)
		r.report(j)
		return err
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return interrupted
	case done == 0:
		return fmt.Errorf("suite %s, %s: %w", j.Suite, j.Key, err)
	}
	return fmt.Errorf("suite %s, %s: %w (%d of %d jobs are saved in %s: the same command resumes)",
		j.Suite, j.Key, err, done, total, r.checkpoint.Name())
}

func (r *runner) report(j *job.Job) {
	if r.progress != nil {
		r.progress(Progress{len(r.checkpoint.done), len(r.plan.Jobs), j.Suite, j.Key})
	}
}

type Outcome struct {
	Folder   string   `json:"folder"`
	Files    []string `json:"files"`
	Jobs     int      `json:"jobs"`
	Resumed  int      `json:"resumed"` // jobs that the checkpoint held already
	Readings int      `json:"readings"`
	Columns  int      `json:"columns"` // of the scratchpad
	Calls    int      `json:"calls"`
	Streams  int      `json:"streams"`
	Wrong    []string `json:"wrong"`    // calls whose results were not those of the reference
	Warnings []string `json:"warnings"` // what could not be measured
}

// write makes the folder's files of what the checkpoint holds, in the order of the plan.
func (p *Plan) write(folder string, j *kept, resumed int) (Outcome, error) {
	o := Outcome{Folder: folder, Jobs: len(p.Jobs), Resumed: resumed, Wrong: []string{},
		Warnings: []string{}}
	h := j.header
	h.Start.SMClockAfter = j.end.SMClock
	run := recordings.Run{Name: folder, Provenance: recordings.Provenance{
		GPU: h.GPU, GPUUUID: h.UUID, ComputeCapability: h.ComputeCapability, Driver: h.Driver,
		CUDA: h.CUDA, Program: h.Program, Options: h.Options, Plan: h.Plan,
		Starts: []recordings.Start{h.Start},
	}}
	pad := &recordings.Scratchpad{Patterns: p.Patterns}
	for _, planned := range p.Jobs {
		r, ok := j.done[planned.Name()]
		if !ok {
			return Outcome{}, fmt.Errorf("%w: %s: it has ended without job %s", ErrCheckpoint, j.Name(),
				planned.Name())
		}
		run.Readings = append(run.Readings, r.Readings...)
		run.Calls = append(run.Calls, r.Calls...)
		pad.Columns = append(pad.Columns, r.Patterns...)
		if s := r.Stream; s != nil {
			half := recordings.Half(s.Label)
			run.Streams = append(run.Streams, recordings.Stream{Label: s.Label, Half: half, Stats: s.Stats})
		}
		o.Wrong = append(o.Wrong, r.Wrong...)
		o.Warnings = append(o.Warnings, r.Warnings...)
	}
	for i := range run.Readings {
		run.Readings[i].Starts = 1
	}
	for i := range run.Calls {
		run.Calls[i].Starts = 1
	}
	for i := range pad.Columns {
		pad.Columns[i].Starts = 1
	}
	if len(pad.Columns) > 0 {
		run.Scratchpad = pad
	}
	files, err := recordings.WriteFolder(folder, run)
	if err != nil {
		return Outcome{}, err
	}
	o.Files = append([]string{}, files...)
	o.Readings, o.Calls, o.Streams = len(run.Readings), len(run.Calls), len(run.Streams)
	o.Columns = len(pad.Columns)
	if len(o.Wrong) > 0 {
		return o, fmt.Errorf("%w of %d calls, the first %s: their rows have correct 0",
			ErrWrong, len(o.Wrong), o.Wrong[0])
	}
	return o, nil
}
