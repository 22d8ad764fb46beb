package speed

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// TestTime: a case and its reference are called in turn, the first call of each untimed.
func TestTime(t *testing.T) {
	var calls []string
	note := func(name string) func() error {
		return func() error { calls = append(calls, name); return nil }
	}
	var kept []Result
	full, failed := errors.New("no place to keep it"), errors.New("no memory")
	r := runner{ctx: context.Background(), suite: "s", told: func(r Result) error {
		kept = append(kept, r)
		return nil
	}}
	deaf := runner{ctx: r.ctx, suite: "s", told: func(Result) error { return full }}
	own := Case{Name: "k=1", Work: 8, Unit: "rows", Cores: 2, Run: note("own"),
		Against: &Reference{Name: "other", Work: 4, Run: note("other")}}
	once, broken, idle := own, own, own
	once.Against = &Reference{Name: "slow", Work: 8, Run: note("slow"), Once: true}
	broken.Run, idle.Work = func() error { return failed }, 0

	if err := r.time(own); err != nil || len(calls) != 2*(roundsMost+1) {
		t.Fatalf("%d calls, %v", len(calls), err)
	}
	for i, name := range calls {
		if want := []string{"own", "other"}[i%2]; name != want {
			t.Fatalf("call %d is of %s, want %s", i, name, want)
		}
	}
	if len(kept) != 1 || kept[0].Rounds != roundsMost || kept[0].Case != "k=1" || kept[0].Beside.Name != "other" {
		t.Errorf("told of %+v", kept)
	}
	calls = nil
	if err := r.time(once); err != nil || calls[1] != "slow" || slices.Contains(calls[2:], "slow") ||
		len(calls) != roundsMost+2 || r.results[1].Beside.Seconds <= 0 {
		t.Errorf("a reference to time once: calls %v, %+v, %v", calls, r.results[1].Beside, err)
	}
	if err := deaf.time(own); !errors.Is(err, full) {
		t.Errorf("a result that cannot be kept: %v", err)
	}
	if err := r.time(broken); !errors.Is(err, failed) {
		t.Errorf("a case that failed: %v", err)
	}
	if err := r.time(idle); err == nil {
		t.Error("a case without work was timed")
	}
	ended, end := context.WithCancel(r.ctx)
	end()
	r.ctx = ended
	if err := r.time(own); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

// TestResult: rates are of a core, ratios of the same work, and an aim has to be met in all that it asks.
func TestResult(t *testing.T) {
	r := Result{Work: 6, Seconds: 2, Cores: 3, Beside: &Beside{"sum", 12, 1}}
	if r.Rate() != 1 || r.Ratio() != 0.25 {
		t.Errorf("rate %v, ratio %v", r.Rate(), r.Ratio())
	}
	for aim, met := range map[Aim]bool{
		{}: true, {Rate: 1}: true, {Rate: 1.01}: false, {Ratio: 0.25}: true, {Ratio: 0.26}: false,
		{Seconds: 2}: true, {Seconds: 1.9}: false, {Rate: 1, Ratio: 0.25, Seconds: 1}: false,
	} {
		if r.Aim = aim; r.Met() != met {
			t.Errorf("aim %v: met %v", aim, r.Met())
		}
	}
}

// TestSuitesByName: the suites named run, and they alone, in the order of all.
func TestSuitesByName(t *testing.T) {
	all := Suites
	defer func() { Suites = all }()
	Suites = nil
	for _, name := range []string{"a", "b", "c", "d"} {
		one := Case{Name: "k=" + name, Work: 1, Cores: 1, Run: func() error { return nil }}
		Suites = append(Suites, Suite{Name: name, run: func(r *runner) error { return r.time(one) }})
	}
	for names, want := range map[string]string{"": "a b c d", "b": "b", "d b": "b d"} {
		run, err := Measure(context.Background(), strings.Fields(names), nil, func(Result) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		var ran []string
		for _, r := range run.Results {
			ran = append(ran, r.Suite)
		}
		if got := strings.Join(ran, " "); got != want {
			t.Errorf("of %q ran %q, want %q", names, got, want)
		}
	}
	if _, err := Measure(context.Background(), []string{"sums"}, nil, nil); err == nil ||
		!strings.Contains(err.Error(), `"sums"`) {
		t.Errorf("a suite that is not there: %v", err)
	}
}

// TestRead: a run is read as it was written, and a broken one is refused.
func TestRead(t *testing.T) {
	run := newRun()
	run.Results = []Result{{Suite: "regtree", Case: "k=1", Work: 5, Unit: "rows", Cores: 1, Rounds: 3, Seconds: 0.5,
		Beside: &Beside{"sum", 1, 2}, Aim: Aim{Ratio: 3}}}
	path := filepath.Join(t.TempDir(), "run.json")
	write := func(data string) {
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(string(run.JSON()))
	again, err := Read(path)
	if err != nil || !bytes.Equal(again.JSON(), run.JSON()) {
		t.Errorf("%v\n%s", err, again.JSON())
	}
	for _, broken := range [][2]string{{`"seconds": 0.5`, `"seconds": 0`}, {`"cores": 1,`, `"cores": 0,`},
		{`"seconds": 2`, `"seconds": -1`}, {`"results"`, `"result"`}} {
		write(strings.Replace(string(run.JSON()), broken[0], broken[1], 1))
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), path+": broken run") {
			t.Errorf("%s: %v", broken[1], err)
		}
	}
}

// TestProcessor: the model comes from the system's file.
func TestProcessor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cpuinfo")
	if err := os.WriteFile(path, []byte("processor\t: 0\nmodel name\t: Some CPU 7\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := processor(path); got != "Some CPU 7" {
		t.Errorf("%q", got)
	}
	if processor(path+"none") == "" {
		t.Error("no name without the file")
	}
}

// TestRecorded: each recorded run has all suites. Counting targets alone is slower than 0.6 times the sum,
// as profiles/collision.md says.
func TestRecorded(t *testing.T) {
	runs, err := Recorded("recorded")
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range runs {
		for _, name := range SuiteNames() {
			if !slices.ContainsFunc(run.Results, func(r Result) bool { return r.Suite == name }) {
				t.Errorf("%s has no suite %s", run, name)
			}
		}
		at := slices.IndexFunc(run.Results, func(r Result) bool { return strings.HasPrefix(r.Case, "counters/") })
		if at < 0 || run.Results[at].Ratio() >= 0.6 {
			t.Errorf("%s: %d, %+v", run, at, run.Results)
		}
	}
}

// FuzzDecode: a run that is read is written, and read as the same.
func FuzzDecode(f *testing.F) {
	f.Add((&Run{Processor: "p", Results: []Result{{Suite: "s", Case: "c", Work: 1, Unit: "rows",
		Seconds: 2, Cores: 1, Rounds: 3}}}).JSON())
	f.Fuzz(func(t *testing.T, data []byte) {
		var run *Run
		var err error
		allocation.Bound(t, len(data), func() { run, err = decode("run.json", data) })
		if err != nil {
			if !strings.Contains(err.Error(), "run.json: ") {
				t.Error(err)
			}
			return
		}
		once := run.JSON()
		again, err := decode("run.json", once)
		if err != nil || !bytes.Equal(again.JSON(), once) {
			t.Errorf("%v: %s", err, once)
		}
	})
}
