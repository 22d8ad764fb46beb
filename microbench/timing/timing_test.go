package timing

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/atomtune/atomtune/bindings/gpu/libcuda"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/internal/standin"
	"github.com/atomtune/atomtune/microbench/calls"
	"github.com/atomtune/atomtune/tuner"
)

var once = calls.Options{Repeats: 1}

func TestMain(m *testing.M) {
	os.Exit(standin.Run(m, libcuda.LibraryVariable, libcuda.ManagementVariable))
}

func open(t *testing.T) *libcuda.GPU {
	t.Helper()
	l := must.Get(libcuda.Open())(t)
	g := must.Get(l.Open(0))(t)
	t.Cleanup(func() { g.Close() })
	return g
}

func stream(t *testing.T) calls.Stream {
	t.Helper()
	spec := must.Get(synth.Parse("zipf:n=20000,k=300,seed=4,s=1.1"))(t)
	indices := must.Get(synth.Generate(spec))(t)
	return calls.Stream{Name: "zipf", Indices: indices, Bins: uint64(spec.K)}
}

// clock goes on by a second each time it is read.
func clock() func() time.Time {
	now := time.Unix(0, 0)
	return func() time.Time { now = now.Add(time.Second); return now }
}

// TestRun: every implementation is timed in every launch, once each, the fastest first; the few
// fastest and the choice are timed again. What is predicted is what a choice in that launch
// predicts, and the choice is held against the least time.
func TestRun(t *testing.T) {
	s, p := stream(t), must.Get(device.Builtin("h100"))(t)
	call := device.Call{Type: device.F32, Operand: device.Loaded}
	shown := 0
	r := must.Get(Run(t.Context(), open(t), s, Options{Call: call, Profile: p, Options: once, Now: clock(),
		Progress: func(tried, all int) {
			if tried != shown || tried >= all {
				t.Errorf("%d of %d tried at call %d", tried, all, shown)
			}
			shown++
		}}))(t)
	if len(r.Timed) < 200 || r.Known != len(r.Timed) || shown != r.Known || r.Ended != "" ||
		len(r.Untimed) > 0 || r.ElapsedS <= 0 {
		t.Errorf("%d calls of %d, %d shown, ended %q, untimed %v", len(r.Timed), r.Known, shown, r.Ended,
			r.Untimed)
	}
	again := 0
	seen := map[impl.Spec][]device.Launch{}
	for i, c := range r.Timed {
		if slices.Contains(seen[c.Implementation], c.Launch) || c.MedianUS <= 0 || c.Wrong != "" {
			t.Errorf("%+v", c)
		}
		seen[c.Implementation] = append(seen[c.Implementation], c.Launch)
		if i > 0 && c.MedianUS < r.Timed[i-1].MedianUS {
			t.Errorf("%v us stands behind %v us", c.MedianUS, r.Timed[i-1].MedianUS)
		}
		if c.Again {
			again++
		}
	}
	if best := r.Best(); len(best) != len(seen) || *r.Fastest() != best[0] || again < 5 || again > 6 {
		t.Errorf("%d of %d implementations, %d calls timed again", len(best), len(seen), again)
	}
	checkChoice(t, &r)
	checkPredictions(t, &r, s, p, call)
}

// checkChoice compares the choice with the calls that were timed.
func checkChoice(t *testing.T, r *Result) {
	t.Helper()
	least, of := math.Inf(1), math.Inf(1)
	for _, c := range r.Timed {
		least = min(least, c.MedianUS)
		if c.Implementation == r.Choice.Implementation && c.Launch == r.Choice.Launch {
			of = c.MedianUS
		}
	}
	if c := r.Choice; c.MeasuredUS == nil || *c.MeasuredUS != of || *c.OverBest != of/least ||
		c.Profile != "h100" || c.Why != "" {
		t.Errorf("choice %+v, measured %v of least %v", c, of, least)
	}
}

// checkPredictions compares those of three launches with what a choice predicts there.
func checkPredictions(t *testing.T, r *Result, s calls.Stream, p *device.Profile, call device.Call) {
	t.Helper()
	checked := 0
	if d, err := tuner.ChooseStream(s.Indices, s.Bins, p, tuner.Options{Call: call}); err != nil ||
		r.FloorUS != d.Floor.US {
		t.Errorf("floor of %v us, %v", r.FloorUS, err)
	}
	for _, l := range []device.Launch{{}, {Blocks: 8, Threads: 256, Unroll: 1},
		{Blocks: 4, Threads: 512, Unroll: 4}} {
		d := must.Get(tuner.ChooseStream(s.Indices, s.Bins, p, tuner.Options{Call: call, Launches: []device.Launch{l}}))(t)
		for _, want := range d.Ranking {
			i := slices.IndexFunc(r.Timed, func(c Timed) bool {
				return c.Implementation == want.Implementation && (c.Launch == l || c.Ruled && l == device.Launch{})
			})
			if i < 0 {
				continue
			}
			checked++
			if c := r.Timed[i]; c.PredictedUS == nil || *c.PredictedUS != want.PredictedUS ||
				*c.Ratio() != want.PredictedUS/c.MedianUS {
				t.Errorf("%s in %v: predicted %v us, want %v", c.Implementation, c.Launch, *c.PredictedUS,
					want.PredictedUS)
			}
		}
	}
	if checked < 40 {
		t.Errorf("only %d predictions were compared", checked)
	}
	for _, c := range r.Timed {
		if c.PredictedUS == nil || *c.PredictedUS <= 0 {
			t.Errorf("nothing is predicted of %s in %v", c.Implementation, c.Launch)
		}
	}
}

// TestBudget: with time for three calls, the choice and what is predicted to be next are timed.
func TestBudget(t *testing.T) {
	r, err := Run(t.Context(), open(t), stream(t), Options{Profile: must.Get(device.Builtin("h100"))(t), Options: once,
		Budget: 4 * time.Second, Now: clock()})
	if err != nil || len(r.Timed) != 3 || r.Ended != OutOfBudget || r.Choice.MeasuredUS == nil {
		t.Errorf("%d calls, ended %q, choice %+v, %v", len(r.Timed), r.Ended, r.Choice, err)
	}
}

// TestCut: what was timed before the context ended is there.
func TestCut(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, err := Run(ctx, open(t), stream(t), Options{Options: once, Now: clock(), Progress: func(tried, _ int) {
		if tried == 4 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || len(r.Timed) != 4 || r.Ended != Cut || r.Choice != nil ||
		r.Timed[0].PredictedUS != nil {
		t.Errorf("%d calls, ended %q, choice %v, %v", len(r.Timed), r.Ended, r.Choice, err)
	}
}

// TestUntimedChoice: a choice that is not timed says why.
func TestUntimedChoice(t *testing.T) {
	for timed, only := range map[bool][]impl.Spec{false: {{}}, true: nil} {
		r, err := Run(t.Context(), open(t), stream(t), Options{Profile: must.Get(device.Builtin("h100"))(t),
			Options: calls.Options{Repeats: 1, Implementations: only}, Now: clock(), Budget: 30 * time.Second})
		if err != nil || (r.Choice.Why == "") != timed || (r.Choice.MeasuredUS != nil) != timed {
			t.Errorf("only %v: %+v, %v", only, r.Choice, err)
		}
	}
}
