package probe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/atomtune/atomtune/datasets/recordings"
)

// RunOptions say where a run keeps its results, and who looks on.
type RunOptions struct {
	Folder  string
	Program string // name and version, for the provenance
	Restart bool   // forget what the folder's journal holds
	Now     func() time.Time
	// Progress is called before each job; nil for nobody.
	Progress func(Progress)
}

// Progress is how far a run is.
type Progress struct {
	Done, Total int
	Suite, Key  string // of the job that runs now
}

// Outcome is what a run left in its folder.
type Outcome struct {
	Folder   string   `json:"folder"`
	Files    []string `json:"files"`
	Jobs     int      `json:"jobs"`
	Resumed  int      `json:"resumed"` // jobs that the journal held already
	Readings int      `json:"readings"`
	Columns  int      `json:"columns"` // of the scratchpad
	Calls    int      `json:"calls"`
	Streams  int      `json:"streams"`
	Wrong    []string `json:"wrong"`    // calls whose results were not those of the reference
	Warnings []string `json:"warnings"` // what could not be measured
}

// Run carries out the plan and writes the folder's files. What the folder's
// journal holds is not measured again. A run that was cut leaves its journal,
// and the same call goes on. Errors name the job, and wrap ErrInterrupted where
// the context ended, ErrWrong where results were wrong (the files are written
// then), ErrJournal, ErrBusy, or what the driver or the job says.
func (p *Plan) Run(ctx context.Context, g GPU, o RunOptions) (_ Outcome, err error) {
	h, err := p.header(g, o)
	if err != nil {
		return Outcome{}, err
	}
	if err := os.MkdirAll(o.Folder, 0o755); err != nil {
		return Outcome{}, err
	}
	j, err := openJournal(filepath.Join(o.Folder, JournalFile), h, o.Restart)
	if err != nil {
		return Outcome{}, err
	}
	defer func() { err = errors.Join(err, j.file.Close()) }() // only then another process may begin
	r := runner{plan: p, gpu: g, journal: j, options: o, resumed: len(j.done)}
	if err := r.run(ctx); err != nil {
		return Outcome{}, err
	}
	return p.write(o.Folder, j, r.resumed)
}

// header describes the run for its journal.
func (p *Plan) header(g GPU, o RunOptions) (header, error) {
	d := g.Describe()
	hash, err := p.hash()
	sm, memory := g.Clocks()
	return header{
		Format: journalFormat, Version: journalVersion,
		GPU: d.Name, UUID: d.UUID, Device: d.Index, ComputeCapability: fmt.Sprintf("%d.%d", d.Major, d.Minor), Driver: d.Driver, CUDA: d.CUDA,
		Program: o.Program, Options: p.Options.String(), Plan: hash,
		Start: recordings.Start{Date: o.Now().UTC().Format(time.RFC3339), SMClockBefore: sm, MemoryClock: memory},
	}, err
}

// runner carries out the jobs of a plan that its journal does not hold.
type runner struct {
	plan    *Plan
	gpu     GPU
	journal *journal
	options RunOptions
	resumed int
}

// These bound the streams that are in memory at once; a prepared update takes
// about 32 bytes.
const (
	mostPrepared        = 16
	mostPreparedUpdates = 1 << 26
	// unknownUpdates are counted for a file whose length nobody knows yet.
	unknownUpdates = mostPreparedUpdates
)

// nextBatch is the number of jobs, at least one, that are prepared side by side.
func nextBatch(jobs []Job, cores int) int {
	most := min(len(jobs), cores, mostPrepared)
	updates := 0
	for i := range jobs[:most] {
		if updates += jobs[i].Updates; updates > mostPreparedUpdates {
			return max(1, i)
		}
	}
	return most
}

func (r *runner) run(ctx context.Context) error {
	if r.journal.end != nil {
		return nil
	}
	var left []Job
	for _, job := range r.plan.Jobs {
		if _, done := r.journal.done[job.name()]; !done {
			left = append(left, job)
		}
	}
	for len(left) > 0 {
		now := left[:nextBatch(left, runtime.GOMAXPROCS(0))]
		left = left[len(now):]
		if err := r.runBatch(ctx, now); err != nil {
			return err
		}
	}
	sm, memory := r.gpu.Clocks()
	return r.journal.conclude(end{SMClock: sm, MemoryClock: memory})
}

// prepared is what a job's Prepare returned.
type prepared struct {
	value any
	err   error
}

// runBatch prepares some jobs side by side and then runs them one after the
// other: nothing else uses the processor while the device is timed.
func (r *runner) runBatch(ctx context.Context, jobs []Job) error {
	r.report(&jobs[0])
	ready := make([]prepared, len(jobs))
	var preparing sync.WaitGroup
	for i := range jobs {
		if jobs[i].Prepare != nil && ctx.Err() == nil {
			preparing.Go(func() { ready[i].value, ready[i].err = jobs[i].Prepare() })
		}
	}
	preparing.Wait()
	for i := range jobs {
		if err := r.runJob(ctx, &jobs[i], ready[i]); err != nil {
			return err
		}
		ready[i] = prepared{}
	}
	return nil
}

func (r *runner) runJob(ctx context.Context, job *Job, input prepared) error {
	if ctx.Err() != nil {
		return r.interrupted()
	}
	r.report(job)
	var result Result
	err := input.err
	if err == nil {
		result, err = job.Run(ctx, r.gpu, input.value)
	}
	switch {
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return r.interrupted()
	case err != nil:
		return fmt.Errorf("suite %s, %s: %w%s", job.Suite, job.Key, err, r.remedy())
	}
	return r.journal.finish(job.name(), result)
}

func (r *runner) report(job *Job) {
	if r.options.Progress != nil {
		r.options.Progress(Progress{Done: len(r.journal.done), Total: len(r.plan.Jobs), Suite: job.Suite, Key: job.Key})
	}
}

func (r *runner) interrupted() error {
	return fmt.Errorf("%w after %d of %d jobs: the same command goes on", ErrInterrupted, len(r.journal.done), len(r.plan.Jobs))
}

// remedy says what became of the finished jobs.
func (r *runner) remedy() string {
	if len(r.journal.done) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d of %d jobs are kept in %s: the same command goes on)",
		len(r.journal.done), len(r.plan.Jobs), r.journal.path)
}
