package microbench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/microbench/calls"
	"github.com/atomtune/atomtune/microbench/job"
	"github.com/atomtune/atomtune/microbench/micro"
)

// someDevice is what a driver says of an H200, as far as plans ask.
var someDevice = driver.Description{Name: "NVIDIA H200", Major: 9, Attributes: []driver.Attribute{
	{Name: "sm_count", Value: 132, Unit: "1"}, {Name: "warp_lanes", Value: 32, Unit: "1"},
	{Name: "max_threads_per_sm", Value: 2048, Unit: "1"}, {Name: "shared_bytes_per_block",
		Value: 232448, Unit: "byte"},
}}

func mustPlan(t *testing.T, o Options) *Plan {
	t.Helper()
	return must.Get(NewPlan(someDevice, o))(t)
}

// TestPlan: suites come in their order, --suite picks some, and a quick run has fewer jobs and patterns.
// testdata/plans.txt holds what the suites measure.
func TestPlan(t *testing.T) {
	for _, o := range []Options{{}, {Options: calls.Options{Quick: true}}, {Suites: []string{"warp", "device"}},
		{Counters: &micro.Counters{Profiler: "ncu"}}} {
		var got []string
		for _, j := range mustPlan(t, o).Jobs {
			got = append(got, j.Suite)
		}
		want := slices.DeleteFunc(Suites(), func(s string) bool {
			return len(o.Suites) > 0 && !slices.Contains(o.Suites, s) || s == "counters" && o.Counters == nil
		})
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%+v: suites %v, want %v", o, got, want)
		}
	}
	quick, full := mustPlan(t, Options{Options: calls.Options{Quick: true}}), mustPlan(t, Options{})
	if len(quick.Jobs) >= len(full.Jobs) || len(quick.Patterns) >= len(full.Patterns) || len(quick.Patterns) < 1000 {
		t.Errorf("%d quick jobs of %d, %d quick patterns of %d", len(quick.Jobs), len(full.Jobs),
			len(quick.Patterns), len(full.Patterns))
	}
}

// TestPlanHash: the same options and the same content of the files give the same hash, others another.
func TestPlanHash(t *testing.T) {
	stream, companion := filepath.Join(t.TempDir(), "s.txt"), filepath.Join(t.TempDir(), "companion")
	hash := func(text, program string, o Options) string {
		for path, content := range map[string]string{stream: text, companion: program} {
			must.Do(t, os.WriteFile(path, []byte(content), 0o755))
		}
		h, err := mustPlan(t, o).hash()
		if err != nil || len(h) != 64 {
			t.Fatal(h, err)
		}
		return h
	}
	files := Options{Suites: []string{"calls"}, Options: calls.Options{Quick: true, Files: []string{stream},
		Companion: companion}}
	warp := Options{Suites: []string{"warp"}}
	all := []string{hash("0\n1\n", "one", files), hash("0\n2\n", "one", files), hash("0\n1\n", "two", files),
		hash("", "", warp), hash("", "", Options{Suites: []string{"memory"}}),
		hash("", "", Options{Suites: []string{"warp"}, Options: calls.Options{Repeats: 7}})}
	if again := hash("0\n1\n", "one", files); again != all[0] {
		t.Errorf("%s, again %s", all[0], again)
	}
	slices.Sort(all)
	if len(slices.Compact(all)) != 6 {
		t.Errorf("plans that differ have the same hashes: %v", all)
	}
}

// TestPlanErrors: what there is not, and what leaves nothing.
func TestPlanErrors(t *testing.T) {
	for _, c := range []struct {
		options Options
		words   string
	}{
		{Options{Suites: []string{"calling"}}, `"calling"`},
		{Options{Suites: []string{"warp", "warp"}}, "warp"},
		{Options{Options: calls.Options{Repeats: -1}}, "-1"},
		{Options{Options: calls.Options{Repeats: 1001}}, "1001"},
		{Options{Suites: []string{"counters"}}, ""},
		{Options{Options: calls.Options{Implementations: []impl.Spec{{Reduction: impl.VR,
			Threshold: 9}}}}, "vr:t=9"},
		{Options{Options: calls.Options{Implementations: []impl.Spec{{}, {}}}},
			"naive"},
		{Options{Options: calls.Options{Drawn: 1, Specs: "a.txt"}}, "a.txt"},
	} {
		if _, err := NewPlan(someDevice, c.options); !errors.Is(err, ErrOptions) ||
			!strings.Contains(err.Error(), c.words) {
			t.Errorf("%+v: %v, want %q", c.options, err, c.words)
		}
	}
	twice := &Plan{Jobs: []job.Job{reading("a", 1), reading("a", 2)}}
	if err := twice.validate(); err == nil || !strings.Contains(err.Error(), "warp/a") {
		t.Error(err)
	}
}

// TestOptionsString: the flags that make the plan, in one order.
func TestOptionsString(t *testing.T) {
	for want, o := range map[string]Options{
		"--full":                    {},
		"--quick --repeats 7":       {Options: calls.Options{Quick: true, Repeats: 7}},
		"--full --drawn 9 --seed 4": {Options: calls.Options{Drawn: 9, Seed: 4}},
		"--full --specs a.txt":      {Options: calls.Options{Specs: "some/a.txt"}},
		"--full --launches":         {Options: calls.Options{Launches: true}},
		"--full --clear=false":      {Options: calls.Options{Keeps: true}},
		"--full --suite calls --implementation vr:t=8 --implementation naive --stream a.npy": {
			Suites: []string{"calls"}, Options: calls.Options{
				Files: []string{"a.npy"}, Implementations: []impl.Spec{{Reduction: impl.VR,
					Threshold: 8}, {}},
			},
		},
		"--full --suite warp --suite calls --type u32 --type f64 --stream a.npy --companion": {
			Suites: []string{"calls", "warp"}, Options: calls.Options{
				Types: []device.Type{device.F64, device.U32}, Files: []string{"a.npy"}, Companion: "/bin/c",
			},
		},
	} {
		if got := o.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestUnknownLength: a file is prepared alone, whatever its neighbours are.
func TestUnknownLength(t *testing.T) {
	file, made := job.Job{Updates: job.UnknownUpdates}, job.Job{Updates: 1 << 20}
	for _, c := range []struct {
		jobs []job.Job
		want int
	}{{[]job.Job{file, made, made}, 1}, {[]job.Job{made, made, file}, 2}, {[]job.Job{file, file}, 1},
		{[]job.Job{made, made, made}, 3}} {
		if got := nextBatch(c.jobs, 8); got != c.want {
			t.Errorf("%d jobs at once, want %d", got, c.want)
		}
	}
}

// TestStreamsTogetherFitMemory: the inputs of the streams that are prepared side
// by side, indices, two orders and the reference, take less than 3 GiB.
func TestStreamsTogetherFitMemory(t *testing.T) {
	all := calls.Streams(false)
	jobs := make([]job.Job, len(all))
	for i, s := range all {
		jobs[i].Updates = s.N
	}
	most := 0
	for at := 0; at < len(all); {
		batch := nextBatch(jobs[at:], 64)
		sum := 0
		for _, s := range all[at : at+batch] {
			sum += 12*s.N + 12*int(s.K)
		}
		most = max(most, sum)
		at += batch
	}
	if most > 3<<30 || most < 1<<28 {
		t.Errorf("%d bytes in a batch", most)
	}
}

// TestPlans: the jobs of a suite and the patterns, quick and full, are what testdata/plans.txt holds.
func TestPlans(t *testing.T) {
	var lines []string
	for _, quick := range []bool{true, false} {
		for _, s := range Suites() {
			p := mustPlan(t, Options{Options: calls.Options{Quick: quick}, Suites: []string{s},
				Counters: &micro.Counters{Profiler: "ncu"}})
			var jobs golden.Digest
			for _, j := range p.Jobs {
				jobs.Written(j.Name()+" "+fmt.Sprint(j.Content), 9)
			}
			lines = append(lines, fmt.Sprintf("quick %v, %s: %d jobs, %s", quick, s, len(p.Jobs), jobs.String()))
		}
		var rows golden.Digest
		rows.JSON(t, mustPlan(t, Options{Options: calls.Options{Quick: quick}}).Patterns)
		lines = append(lines, fmt.Sprintf("quick %v: patterns, %s", quick, rows.String()))
	}
	golden.Compare(t, "testdata/plans.txt", lines)
}
