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
	e.speed = func(_ context.Context, suites []string, told func(speed.Result)) (*speed.Run, error) {
		if strings.Join(suites, "+") != "regtree+hwsim" {
			return nil, errors.New("other suites")
		}
		r := speed.Result{Suite: "regtree", Case: "rows=5", Work: 5, Unit: "rows", Cores: 1, Rounds: 3, Seconds: 0.5,
			Beside: &speed.Beside{Name: "golearn", Work: 5, Seconds: 60}, Aim: speed.Aim{Ratio: 100}}
		told(r)
		return &speed.Run{Processor: "Some CPU 7", Vectors: "AVX2", Cores: 2, With: "go", Results: []speed.Result{r}}, nil
	}
	args := strings.Fields("bench speed --only regtree,hwsim --table run.json --out .")
	if code := e.Run(newRoot(e), args); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	for _, want := range []string{"Some CPU 7", "regtree rows=5", "10 rows/s", "golearn", "120", "met", "wrote run.json"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if errs.String() != "regtree rows=5: 500 ms\n" {
		t.Errorf("told %q", errs.String())
	}
	page, err := os.ReadFile("SPEED.md")
	if err != nil || !strings.Contains(string(page), "| `rows=5` | 1 | 500 ms | 10 rows/s | golearn | 120 |") {
		t.Errorf("%v\n%s", err, page)
	}
	if again := done(t, "bench", "speed", "--run", "run.json"); !strings.HasPrefix(out.String(), again) {
		t.Errorf("read again:\n%s\nmeasured:\n%s", again, out.String())
	}
	failed(t, exitUsage, "bench speed streams", "streams")
	failed(t, exitUsage, "bench speed --run run.json --only regtree", "--only")
	failed(t, 1, "bench speed --run none.json", "none.json")
	failed(t, 1, "bench speed --only sums", "sums")
}
