package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/lab/bench/speed"
)

// TestBenchSpeed: a run is measured, kept, read again and written down.
func TestBenchSpeed(t *testing.T) {
	t.Chdir(t.TempDir())
	var out, errs bytes.Buffer
	e := newEnv(nil, &out, &errs)
	e.speed = func(_ context.Context, suites []string, known []speed.Result, told func(speed.Result) error) (*speed.Run, error) {
		if strings.Join(suites, "+") != "regtree+hwsim" {
			return nil, errors.New("other suites")
		}
		r := speed.Result{Suite: "regtree", Case: "rows=5", Work: 5, Unit: "rows", Cores: 1, Rounds: 3, Seconds: 0.5,
			Beside: &speed.Beside{Name: "golearn", Work: 5, Seconds: 60}, Aim: speed.Aim{Ratio: 100}}
		if err := told(r); err != nil {
			return nil, err
		}
		return &speed.Run{Processor: "Some CPU 7", Cores: 2, With: "go", Results: []speed.Result{r}}, nil
	}
	args := strings.Fields("bench speed --only regtree,hwsim --table run.json --out .")
	if code := e.RunContext(context.Background(), newRoot(e), args); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	for _, want := range []string{"Some CPU 7", "regtree rows=5", "10 rows/s", "golearn", "120", "run.json"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Count(errs.String(), "\n") != 1 || !strings.Contains(errs.String(), "regtree rows=5: 500 ms") {
		t.Errorf("told %q", errs.String())
	}
	page, err := os.ReadFile("SPEED.md")
	if err != nil || !strings.Contains(string(page), "| `rows=5` | 1 | 500 ms | 10 rows/s | golearn | 120 |") {
		t.Errorf("%v\n%s", err, page)
	}
	if again := done(t, "bench", "speed", "--run", "run.json"); !strings.HasPrefix(out.String(), again) {
		t.Errorf("read again:\n%s\nmeasured:\n%s", again, out.String())
	}
}

// TestBenchSpeedGoesOn: an interrupted bench keeps its results beside the table, and goes on with them.
func TestBenchSpeedGoesOn(t *testing.T) {
	t.Chdir(t.TempDir())
	all := []speed.Result{{Suite: "regtree", Case: "a", Work: 5, Unit: "rows", Cores: 1, Rounds: 3, Seconds: 0.5},
		{Suite: "regtree", Case: "b", Work: 5, Unit: "rows", Cores: 1, Rounds: 3, Seconds: 0.25}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	bench := func(line string, first int, end func() error) (stderr string, code int) {
		var out, errs bytes.Buffer
		e := newEnv(nil, &out, &errs)
		e.speed = func(_ context.Context, _ []string, known []speed.Result, told func(speed.Result) error) (*speed.Run, error) {
			if len(known) != first {
				t.Errorf("%d results are known, want %d", len(known), first)
			}
			if err := told(all[first]); err != nil {
				return nil, err
			}
			return &speed.Run{Processor: "Some CPU 7", Cores: 2, With: "go", Results: all}, end()
		}
		code = e.RunContext(ctx, newRoot(e), strings.Fields(line))
		return errs.String(), code
	}
	const line, checkpoint = "bench speed --table run.json", "run.json.journal"
	stderr, code := bench(line, 0, func() error { cancel(); return ctx.Err() })
	if code != 130 || !strings.Contains(stderr, checkpoint) {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	ctx = context.Background()
	kept, err := os.ReadFile(checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	other := append([]byte(`"results of another"`), kept[bytes.IndexByte(kept, '\n'):]...)
	for _, c := range []struct {
		checkpoint  string
		known, code int
	}{{string(other), 1, 1}, {string(kept) + "{}\nnone\n", 1, 1}, {`"results on `, 0, 0}, {string(kept) + `{"cut`, 1, 0}} {
		write(t, checkpoint, c.checkpoint)
		if stderr, code := bench(line, c.known, func() error { return nil }); code != c.code ||
			strings.Contains(stderr, checkpoint) != (code == 1) {
			t.Errorf("%q: exit code %d, %s", c.checkpoint, code, stderr)
		}
	}
	if run, err := speed.Read("run.json"); err != nil || len(run.Results) != 2 {
		t.Errorf("%+v, %v", run, err)
	}
	if _, err := os.Stat(checkpoint); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the checkpoint stays: %v", err)
	}
}

// madeUpSpeed is a run that measures nothing.
func madeUpSpeed(_ context.Context, _ []string, _ []speed.Result, told func(speed.Result) error) (*speed.Run, error) {
	r := speed.Result{Suite: "regtree", Case: "rows=5", Work: 5, Unit: "rows", Cores: 1, Rounds: 3, Seconds: 0.5}
	return &speed.Run{Processor: "Some CPU 7", Cores: 2, With: "go", Results: []speed.Result{r}}, told(r)
}
