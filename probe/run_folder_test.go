package probe

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/gpu/driver"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/probe/job"
)

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
		if _, err := p.Run(t.Context(), other, runOptions(folder)); !errors.Is(err, ErrJournal) {
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
