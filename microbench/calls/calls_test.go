package calls

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/bindings/gpu/kernels"
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/microbench/job"
)

// tinyStreams are streams on which the fake GPU is fast, one of them grouped, one
// with more targets than shared memory holds, none a multiple of a warp but one.
var tinyStreams = []string{
	"uniform:n=1003,k=7,seed=1",
	"runs:n=2048,k=300,seed=2,len=4",
	"sorted:n=999,k=50,seed=3",
	"zipf:n=1500,k=60001,seed=4,s=1.1",
}

func tinySources(t *testing.T) []source {
	t.Helper()
	var list []source
	for _, text := range tinyStreams {
		spec := must.Get(synth.Parse(text))(t)
		list = append(list, source{label: spec.String(), load: func() ([]uint32, uint64, error) {
			indices, err := synth.Generate(spec)
			return indices, uint64(spec.K), err
		}})
	}
	return list
}

// testSuite is a full suite of all types with few repeats.
func testSuite(d driver.Description) *suite {
	return newSuite(d, Options{Types: device.Types(), Repeats: 2})
}

func runJob(t *testing.T, j job.Job, g driver.GPU) (job.Result, error) {
	t.Helper()
	prepared := must.Get(j.Prepare())(t)
	return j.Run(context.Background(), g, prepared)
}

// jobRun is what a job measured, with what it launched.
type jobRun struct {
	job.Result
	key      string
	launches []callsLaunch
}

// allTypes are the runs of a full suite, which several tests look at.
var allTypes []jobRun

func runAllTypes(t *testing.T) []jobRun {
	t.Helper()
	if allTypes == nil {
		g := newCallsGPU()
		allTypes = runJobs(t, testSuite(g.description), g)
		if g.allocated != 0 {
			t.Errorf("%d pieces of device memory are left", g.allocated)
		}
	}
	return allTypes
}

// runJobs runs a suite on the tiny streams.
func runJobs(t *testing.T, s *suite, g *callsGPU) (all []jobRun) {
	t.Helper()
	for _, j := range s.jobs(tinySources(t)) {
		first := len(g.launches)
		r := must.Get(runJob(t, j, g))(t)
		all = append(all, jobRun{r, j.Key, g.launches[first:]})
	}
	return all
}

// TestCalls: each kind of call in each implementation that the device can run
// stands once in the results, right, timed, with the shape that the device
// package rules, through kernels that take what is passed.
func TestCalls(t *testing.T) {
	suite := testSuite(h200Description())
	profile := must.Get(device.Builtin("h200"))(t)
	checked := 0
	for _, r := range runAllTypes(t) {
		if r.Stream == nil || r.Stream.Label != r.key || r.Stream.Stats.Updates == 0 || len(r.Wrong) > 0 {
			t.Fatalf("job %s: stream %+v, wrong %v", r.key, r.Stream, r.Wrong)
		}
		stats := r.Stream.Stats
		var want, have []string
		for _, kind := range suite.calls {
			for _, v := range implementations(kind, false) {
				if profile.CanRun(v, kind.Type, stats.Bins) == nil && v.Worthwhile(stats.Bins, kind.Type.Bytes()) &&
					!inLibrary(v) { // no companion
					want = append(want, fmt.Sprint(kind, v))
				}
			}
		}
		for _, c := range r.Calls {
			have = append(have, fmt.Sprint(c.Call, c.Implementation))
			checkCall(t, c, profile, stats)
			checked++
		}
		if !slices.Equal(want, have) {
			t.Errorf("%s: measured\n%v\nwant\n%v", r.key, have, want)
		}
		if _, err := recordings.EncodeCalls(recordings.Provenance{}, r.Calls); err != nil {
			t.Error(err)
		}
	}
	if checked < 800 {
		t.Errorf("only %d calls", checked)
	}
}

func checkCall(t *testing.T, c recordings.Call, profile *device.Profile, stats collision.Stats) {
	t.Helper()
	if c.Updates != stats.Updates || c.Bins != stats.Bins || !(c.MinUS > 0 && c.MinUS <= c.MedianUS &&
		c.MedianUS <= c.MaxUS) {
		t.Errorf("%+v: not the stream's, or no times", c)
	}
	s := profile.Limits().Shape(c.Implementation, c.Call, c.Bins, c.Updates, device.Launch{})
	if !c.Correct || c.Origin != recordings.Measured || c.Repeats != 2 || c.Kernel == "" ||
		c.Threads != s.Threads || c.SharedBytes != s.SharedBytes || c.Blocks != s.Blocks {
		t.Errorf("%+v: want a right call of 2 repeats in shape %+v", c, s)
	}
}

// TestCallsBoundedByResidency: where an SM holds fewer blocks than the rule
// says, fewer are launched, and where it holds none the error says so.
func TestCallsBoundedByResidency(t *testing.T) {
	g := newCallsGPU()
	g.residents = 1
	suite := testSuite(g.description)
	suite.calls = suite.calls[:1]
	in := must.Get(suite.prepare(source{label: "long", load: func() ([]uint32, uint64, error) {
		return make([]uint32, 50000), 1, nil
	}}))(t)
	r, err := suite.run(context.Background(), g, in)
	if err != nil || r.Calls[0].Blocks != 132 || r.Calls[0].Threads != 256 {
		t.Errorf("%+v, %v: want 132 blocks of 256", r.Calls[0], err)
	}
	g.residents = -1
	if _, err := suite.run(t.Context(), noneResident{g}, in); !errors.Is(err, kernels.ErrShape) {
		t.Errorf("no block fits: error %v", err)
	}
}

type noneResident struct{ *callsGPU }

func (noneResident) Resident(driver.Kernel, int, uint64) (int, error) { return 0, nil }

// TestCallsInLaunches: beside the rule's launch, each implementation with kernels is measured in
// those whose blocks all have updates, exactly as large, and the targets are right in each.
func TestCallsInLaunches(t *testing.T) {
	g := newCallsGPU()
	g.residents = 2 // fewer than some launches have for an SM: these run in waves
	suite := testSuite(g.description)
	suite.Launches, suite.calls = true, suite.calls[:1]
	indices := make([]uint32, 140000) // 547 blocks of 256
	for i := range indices {
		indices[i] = uint32(i % 40)
	}
	in := must.Get(suite.prepare(source{label: "long", load: func() ([]uint32, uint64, error) {
		return indices, 40, nil
	}}))(t)
	r, err := suite.run(t.Context(), g, in)
	if err != nil || len(r.Wrong) > 0 {
		t.Fatal(r.Wrong, err)
	}
	have, unrolled, ruled := map[impl.Spec][]string{}, map[int]int{}, 0
	for _, c := range r.Calls {
		if !c.Fixed {
			ruled++
			have[c.Implementation] = nil
		} else {
			if c.Unroll == 1 {
				have[c.Implementation] = append(have[c.Implementation],
					fmt.Sprintf("%dx%d", c.Blocks, c.Threads))
			}
			unrolled[c.Unroll]++
			if !c.Correct {
				t.Errorf("%+v", c)
			}
		}
	}
	all := []string{"132x256", "264x256", "528x256", "132x512", "264x512", "132x1024"}
	for v, got := range have {
		want := all
		if !slices.Contains(launched, v) {
			want = nil
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s in launches %v, want %v", v, got, want)
		}
	}
	if len(unrolled) != 2 || unrolled[4] < 30 {
		t.Errorf("launches by their updates in flight: %v", unrolled)
	}
	if ruled != len(have) || ruled < 15 {
		t.Errorf("%d implementations, %d calls in the rule's launch", len(have), ruled)
	}
	if _, err := recordings.EncodeCalls(recordings.Provenance{}, r.Calls); err != nil {
		t.Error(err)
	}
}
