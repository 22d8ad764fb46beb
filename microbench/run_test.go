package microbench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/microbench/calls"
	"github.com/atomtune/atomtune/microbench/job"
)

// named is a GPU of which a run asks the name and the clocks alone.
type named struct {
	driver.GPU
	description driver.Description
}

func (n named) Describe() driver.Description { return n.description }
func (n named) Clocks() (int, int)           { return 1480, 1990 }

var someGPU = named{description: driver.Description{Name: "GPU", UUID: "GPU-1", Major: 9,
	Driver: "580.1", CUDA: "13.0"}}

// reading is a job with one reading.
func reading(key string, value float64) job.Job {
	return job.Job{Suite: "warp", Key: key, Run: func(context.Context, driver.GPU, any) (job.Result,
		error) {
		return job.Result{Readings: []recordings.Reading{
			{Suite: "warp", Name: key, Value: value, Low: value, High: value, Unit: "cycle", Repeats: 1},
		}}, nil
	}}
}

func runOptions(folder string) RunOptions {
	return RunOptions{Folder: folder, Program: "probe", Now: func() time.Time {
		return time.Unix(1e9,
			0)
	}}
}

func mustRun(t *testing.T, p *Plan, o RunOptions) Outcome {
	t.Helper()
	return must.Get(p.Run(t.Context(), someGPU, o))(t)
}

// TestRun: every part of a result reaches its file, in the order of the plan,
// with the provenance; jobs are prepared before they run, and told of.
func TestRun(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "run")
	p := &Plan{Options: Options{Options: calls.Options{Quick: true}},
		Patterns: []patterns.Pattern{{0, 1}, {0, 0}}}
	for i := range 20 {
		j := reading(fmt.Sprint("r", i), float64(i+1))
		run := j.Run
		j.Prepare = func() (any, error) { return i, nil }
		j.Run = func(ctx context.Context, g driver.GPU, prepared any) (job.Result, error) {
			if prepared != i {
				t.Errorf("job %d got %v", i, prepared)
			}
			return run(ctx, g, prepared)
		}
		p.Jobs = append(p.Jobs, j)
	}
	p.Jobs = append(p.Jobs, job.Job{Suite: "scratchpad", Key: "u32_add",
		Run: func(context.Context, driver.GPU, any) (job.Result, error) {
			return job.Result{
				Patterns: []recordings.ScratchpadColumn{{Name: "u32_add", Cycles: []float64{37, 39},
					Low: []float64{37, 38}, High: []float64{37, 40}, Repeats: 3, Kernel: "k", Launch: "2x32+9",
					Unroll: 8}},
				Warnings: []string{"one lane is missing"},
			}, nil
		}})
	var seen []Progress
	o := runOptions(folder)
	o.Progress = func(now Progress) { seen = append(seen, now) }
	outcome := mustRun(t, p, o)
	if outcome.Jobs != 21 || outcome.Readings != 20 || outcome.Columns != 1 ||
		len(outcome.Files) != 3 || !slices.Equal(outcome.Warnings, []string{"one lane is missing"}) {
		t.Errorf("%+v", outcome)
	}
	run := must.Get(recordings.ReadFolder(folder))(t)
	for i, r := range run.Readings {
		if r.Value != float64(i+1) || r.Starts != 1 {
			t.Errorf("reading %d is %s on %d starts", i, r.Name, r.Starts)
		}
	}
	want := recordings.Start{Date: "2001-09-09T01:46:40Z", SMClockBefore: 1480, SMClockAfter: 1480,
		MemoryClock: 1990}
	hash, err := p.hash()
	if pr := run.Provenance; err != nil || pr.GPU != "GPU" || pr.GPUUUID != "GPU-1" ||
		pr.Plan != hash || pr.Driver != "580.1" || pr.Options != "--quick" || pr.Program != "probe" ||
		pr.Starts[0] != want {
		t.Errorf("%+v", pr)
	}
	if c := run.Scratchpad.Columns[0]; c.High[1] != 40 || c.Kernel != "k" || c.Launch != "2x32+9" ||
		c.Unroll != 8 {
		t.Errorf("%+v", c)
	}
	if last := seen[len(seen)-1]; last != (Progress{21, 21, "scratchpad", "u32_add"}) {
		t.Errorf("%+v", last)
	}
}

// TestResume: what was finished before an error is not run again.
func TestResume(t *testing.T) {
	folder := t.TempDir()
	broken, ran := true, 0
	counted := func(j job.Job) job.Job {
		run := j.Run
		j.Run = func(ctx context.Context, g driver.GPU, prepared any) (job.Result, error) {
			ran++
			return run(ctx, g, prepared)
		}
		return j
	}
	p := &Plan{Jobs: []job.Job{counted(reading("a", 1)), counted(reading("b", 2)),
		{Suite: "warp", Key: "c", Run: func(context.Context, driver.GPU, any) (job.Result, error) {
			if broken {
				return job.Result{}, driver.ErrMemory
			}
			return job.Result{}, nil
		}}, counted(reading("d", 4))}}
	_, err := p.Run(t.Context(), someGPU, runOptions(folder))
	if !errors.Is(err, driver.ErrMemory) || !strings.Contains(err.Error(), "warp, c") {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 1 {
		t.Errorf("%v, %v, want the journal alone", files, err)
	}
	broken = false
	outcome := mustRun(t, p, runOptions(folder))
	if outcome.Resumed != 2 || ran != 3 || outcome.Readings != 3 {
		t.Errorf("%+v after %d runs of jobs", outcome, ran)
	}
	if again := mustRun(t, p, runOptions(folder)); again.Resumed != 4 || ran != 3 {
		t.Errorf("%+v after %d runs of jobs", again, ran)
	}
	o := runOptions(folder)
	o.Restart = true
	if anew := mustRun(t, p, o); anew.Resumed != 0 || ran != 6 {
		t.Errorf("%+v after %d runs of jobs", anew, ran)
	}
}

// TestRunErrors: faults of preparing, of results that no file can hold, and of
// the context, each by the job's name.
func TestRunErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	last := reading("last", 1)
	run := last.Run
	last.Run = func(ctx context.Context, g driver.GPU, prepared any) (job.Result, error) {
		cancel()
		return run(ctx, g, prepared)
	}
	for _, c := range []struct {
		job   job.Job
		ctx   context.Context
		kind  error
		words string
	}{
		{job.Job{Suite: "calls", Key: "s", Prepare: func() (any, error) { return nil, ErrOptions }},
			t.Context(), ErrOptions, "calls, s"},
		{reading("nan", math.NaN()), t.Context(), nil, "journal.jsonl"},
		{last, ctx, ErrInterrupted, "1 of 2"},
		{job.Job{Suite: "calls", Key: "s", Run: func(ctx context.Context, _ driver.GPU, _ any) (job.Result,
			error) {
			cancel()
			return job.Result{}, ctx.Err()
		}}, ctx, ErrInterrupted, "0 of 2"},
	} {
		p := &Plan{Jobs: []job.Job{c.job, reading("end", 1)}}
		_, err := p.Run(c.ctx, someGPU, runOptions(t.TempDir()))
		if err == nil || c.kind != nil && !errors.Is(err, c.kind) ||
			!strings.Contains(err.Error(), c.words) {
			t.Errorf("%v, want %v with %q", err, c.kind, c.words)
		}
	}
}

// TestWrong: wrong results are an error, and the files are written.
func TestWrong(t *testing.T) {
	folder := t.TempDir()
	p := &Plan{Jobs: []job.Job{reading("a", 1), {Suite: "calls", Key: "s",
		Run: func(context.Context, driver.GPU, any) (job.Result, error) {
			return job.Result{Wrong: []string{"sr on s"}}, nil
		}}}}
	_, err := p.Run(t.Context(), someGPU, runOptions(folder))
	if !errors.Is(err, ErrWrong) || !strings.Contains(err.Error(), "sr on s") {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(folder, recordings.ReadingsFile)); err != nil {
		t.Error(err)
	}
}

// TestQuiet: nothing is prepared while a job runs, and no more is held at once
// than the bound.
func TestQuiet(t *testing.T) {
	var preparing, held atomic.Int32
	p := &Plan{}
	for i := range 40 {
		j := reading(fmt.Sprint(i), 1)
		run := j.Run
		j.Prepare = func() (any, error) {
			preparing.Add(1)
			defer preparing.Add(-1)
			if held.Add(1) > mostPrepared {
				t.Error("too much is held")
			}
			time.Sleep(time.Millisecond)
			return nil, nil
		}
		j.Run = func(ctx context.Context, g driver.GPU, prepared any) (job.Result, error) {
			if preparing.Load() != 0 {
				t.Error("a job runs beside one that is prepared")
			}
			held.Add(-1)
			return run(ctx, g, prepared)
		}
		p.Jobs = append(p.Jobs, j)
	}
	mustRun(t, p, runOptions(t.TempDir()))
	if held.Load() != 0 {
		t.Errorf("%d jobs were prepared and not run", held.Load())
	}
}

// TestOtherGPU: a run that was begun on one GPU does not go on on another of the
// same name.
func TestOtherGPU(t *testing.T) {
	folder := t.TempDir()
	p := &Plan{Jobs: []job.Job{reading("a", 1)}}
	mustRun(t, p, runOptions(folder))
	for _, change := range []func(*driver.Description){
		func(d *driver.Description) { d.UUID = "GPU-2" }, func(d *driver.Description) { d.UUID = "" },
		func(d *driver.Description) { d.Index = 1 },
	} {
		other := someGPU
		change(&other.description)
		if _, err := p.Run(t.Context(), other, runOptions(folder)); !errors.Is(err, ErrCheckpoint) {
			t.Errorf("on %+v: %v", other.description, err)
		}
	}
}

// TestStaleFiles: the results of an earlier run are gone when another begins, and
// only what was written is listed.
func TestStaleFiles(t *testing.T) {
	for _, restart := range []bool{false, true} {
		folder := t.TempDir()
		stale := filepath.Join(folder, recordings.CallsFile)
		must.Do(t, os.WriteFile(stale, []byte("old"), 0o644))
		o := runOptions(folder)
		o.Restart = restart
		outcome := mustRun(t, &Plan{Jobs: []job.Job{reading("a", 1)}}, o)
		if _, err := os.Stat(stale); !errors.Is(err, os.ErrNotExist) ||
			!slices.Equal(outcome.Files, []string{recordings.ReadingsFile}) {
			t.Errorf("restart %v: %v, files %v", restart, err, outcome.Files)
		}
	}
	folder := t.TempDir()
	p := &Plan{Jobs: []job.Job{reading("a", 1)}}
	mustRun(t, p, runOptions(folder))
	inTheWay := filepath.Join(folder, recordings.ReadingsFile)
	must.Do(t, errors.Join(os.Remove(inTheWay), os.MkdirAll(filepath.Join(inTheWay, "x"),
		0o755)))
	if outcome, err := p.Run(t.Context(), someGPU, runOptions(folder)); err == nil ||
		outcome.Folder != "" || outcome.Files != nil {
		t.Errorf("%v, %+v of files that cannot be written", err, outcome)
	}
	if nothing := mustRun(t, &Plan{Jobs: []job.Job{{Suite: "warp", Key: "a",
		Run: func(context.Context, driver.GPU, any) (job.Result, error) {
			return job.Result{}, nil
		}}}}, runOptions(t.TempDir())); nothing.Files == nil || len(nothing.Files) != 0 {
		t.Errorf("%+v of a run without results", nothing)
	}
}
