package calls

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/must"
)

// standIn writes a companion that greets as the real one and answers each
// request with the given lines of shell, which see it word by word in $1 to $7.
func standIn(t *testing.T, greeting, answer string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), companionName)
	script := "#!/bin/sh\necho '" + greeting + "'\nwhile read -r request; do\nset -- $request\n" +
		answer + "\ndone\necho ended >\"$0.end\"\n"
	must.Do(t, os.WriteFile(path, []byte(script), 0o755))
	return path
}

const goodGreeting = "atomtune-companion 1 cub=2.8.2 cuda=13.0 gpu=NVIDIA H200"

// TestCompanionMeasures: requests hold what the protocol says, the file holds
// the indices, and the answers are the call's.
func TestCompanionMeasures(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("TMPDIR", t.TempDir())
	path := standIn(t, goodGreeting,
		`echo "$1 $2 $3 $4 $5 $6 $(wc -c <"$7") $CUDA_VISIBLE_DEVICES" >>`+log+`; echo "ok 12.5 12 13.25 1"`)
	t.Setenv("CUDA_VISIBLE_DEVICES", "")
	g := newCallsGPU()
	suite := testSuite(g.description)
	suite.Repeats = 0
	suite.companion = &companion{path: path, device: g.description}
	r, err := runJob(t, suite.jobs(tinySources(t)[2:3])[0], g) // the only job: it ends the companion
	if err != nil {
		t.Fatal(err)
	}
	want := []string{}
	for _, c := range r.Calls {
		if algorithm := c.Implementation.Algorithm; algorithm != impl.Sort && algorithm != impl.SegReduce {
			continue
		}
		if c.Origin != recordings.Measured || !c.Correct || c.MedianUS != 12.5 || c.MinUS != 12 ||
			c.MaxUS != 13.25 ||
			c.Repeats != 9 || c.Kernel != "cub=2.8.2" {
			t.Errorf("%+v", c)
		}
		want = append(want, strings.Join([]string{
			c.Implementation.String(), c.Call.Type.String(), c.Call.Operand.String(), "50", "999", "9",
			"3996", "0"}, " "))
	}
	text, err := os.ReadFile(log)
	if err != nil || strings.TrimSpace(string(text)) != strings.Join(want, "\n") || len(want) != 24 {
		t.Errorf("requests\n%s%v\nwant\n%s", text, err, strings.Join(want, "\n"))
	}
	if _, err := os.Stat(path + ".end"); err != nil {
		t.Errorf("the companion did not end: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "atomtune-*.u32")); err != nil ||
		len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestPartitionIsAsked: the companion alone measures a partition, of which a device that can run it
// has the times, and no time stands for it if there is none.
func TestPartitionIsAsked(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	g := newCallsGPU()
	measure := func(name string, with bool) int {
		v := must.Get(impl.Parse(name))(t)
		suite := testSuite(g.description)
		suite.Implementations, suite.Repeats = []impl.Spec{v}, 3
		if with {
			path := standIn(t, goodGreeting, `echo "$1 $2 $3 $4 $5 $6" >>`+log+`; echo "ok 3 2 4 1"`)
			suite.companion = &companion{path: path, device: g.description}
		}
		r := must.Get(runJob(t, suite.jobs(tinySources(t)[2:3])[0], g))(t)
		return len(r.Calls)
	}
	const fits, wide = "partition:w=1024,r=3", "partition:w=65536,r=2"
	if n := measure(fits, true); n != 12 {
		t.Errorf("%d calls of %s, want 12", n, fits)
	}
	if n := measure(fits, false) + measure(wide, true); n != 0 {
		t.Errorf("%d calls without a companion, and of copies that fit no block", n)
	}
	text, err := os.ReadFile(log)
	if err != nil || strings.Count(string(text), fits+" ") != 12 ||
		!strings.Contains(string(text), fits+" f32 one 50 999 3\n") {
		t.Errorf("requests\n%s%v", text, err)
	}
}

// TestCompanionWrongResult is a wrong call, not an error.
func TestCompanionWrongResult(t *testing.T) {
	g := newCallsGPU()
	suite := testSuite(g.description)
	suite.calls = suite.calls[:1]
	suite.companion = &companion{path: standIn(t, goodGreeting, `echo "ok 1 1 1 0"`),
		device: g.description}
	r, err := runJob(t, suite.jobs(tinySources(t)[:1])[0], g)
	if err != nil || len(r.Wrong) != 1 || !strings.Contains(r.Wrong[0], "sort") {
		t.Errorf("%q, %v", r.Wrong, err)
	}
}

func TestCompanionFaults(t *testing.T) {
	for _, c := range []struct{ greeting, answer, names string }{
		{"hello", "", `"hello"`},
		{"atomtune-companion 2 cub=3 cuda=14 gpu=NVIDIA H200", "", "atomtune-companion 2"},
		{"atomtune-companion 1 cub=2.8.2 cuda=13.0 gpu=NVIDIA A100", "", `"NVIDIA A100"`},
		{goodGreeting, "echo error out of memory", "out of memory"},
		{goodGreeting, "echo ok fast", `"ok fast"`},
		{goodGreeting, "echo ok 1 1 1 7", "7"},
		{goodGreeting, "exit 3", "3"},
	} {
		g := newCallsGPU()
		suite := testSuite(g.description)
		suite.companion = &companion{path: standIn(t, c.greeting, c.answer), device: g.description}
		_, err := runJob(t, suite.jobs(tinySources(t)[:1])[0], g)
		if !errors.Is(err, ErrCompanion) || !strings.Contains(err.Error(), c.names) || g.allocated != 0 {
			t.Errorf("%s, %s: %v, want it to name %s", c.greeting, c.answer, err, c.names)
		}
		if suite.companion.command != nil {
			t.Errorf("%s, %s: it still runs", c.greeting, c.answer)
		}
	}
	missing := &companion{path: filepath.Join(t.TempDir(), "none"), device: h200Description()}
	if err := missing.ask(context.Background(), &recordings.Call{}, 1, "file"); !errors.Is(err,
		ErrCompanion) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no program: error %v", err)
	}
}

// TestCompanionIsLeftWhenCancelled: an interruption does not wait for an answer.
func TestCompanionIsLeftWhenCancelled(t *testing.T) {
	c := &companion{path: standIn(t, goodGreeting, "exec sleep 20"), device: h200Description()}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	err := c.ask(ctx, &recordings.Call{}, 1, "file")
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 10*time.Second ||
		c.command != nil {
		t.Errorf("error %v after %v", err, time.Since(began))
	}
}

func TestFindCompanion(t *testing.T) {
	t.Setenv("PATH", "")
	if path, err := FindCompanion(""); path != "" || err != nil {
		t.Errorf("none there: %q, %v", path, err)
	}
	if _, err := FindCompanion(filepath.Join(t.TempDir(), "none")); !errors.Is(err, ErrCompanion) {
		t.Errorf("a path to nothing: error %v", err)
	}
	there := standIn(t, goodGreeting, "")
	if path, err := FindCompanion(there); path != there || err != nil {
		t.Errorf("by path: %q, %v", path, err)
	}
	t.Setenv("PATH", filepath.Dir(there))
	if path, err := FindCompanion(""); path != there || err != nil {
		t.Errorf("in PATH: %q, %v", path, err)
	}
	t.Chdir(filepath.Dir(there))
	for _, paths := range []string{".", "", ":"} {
		t.Setenv("PATH", paths)
		if path, err := FindCompanion(""); path != "" || err != nil {
			t.Errorf("in the working folder with PATH=%q: %q, %v", paths, path, err)
		}
		if _, err := FindCompanion(companionName); !errors.Is(err, ErrCompanion) {
			t.Errorf("by its name with PATH=%q: %v", paths, err)
		}
	}
	if path, err := FindCompanion("./" + companionName); path != "./"+companionName || err != nil {
		t.Errorf("by a path from the working folder: %q, %v", path, err)
	}
}

func TestVisibleDevice(t *testing.T) {
	for _, c := range []struct {
		visible string
		index   int
		want    string
	}{{"", 0, "0"}, {"", 3, "3"}, {"2,5", 1, "5"}, {"GPU-1a", 0, "GPU-1a"}} {
		if got := visibleDevice(c.visible, c.index); got != c.want {
			t.Errorf("device %d of %q: %q, want %q", c.index, c.visible, got, c.want)
		}
	}
}
