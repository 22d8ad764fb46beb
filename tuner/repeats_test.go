package tuner_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
)

// usesAtomics reports whether a decision ranks an implementation that adds atomically.
func usesAtomics(d tuner.Decision) bool {
	return slices.ContainsFunc(d.Ranking,
		func(r tuner.Ranked) bool { return r.Implementation.UsesAtomics() })
}

// TestRepeats: a deterministic choice takes atomics where the order of updates shows nowhere: with
// integers, with extremes, and on streams that are known to have each target once. Old values show
// the order.
func TestRepeats(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	const once, twice = "permuted:n=4096,k=4096", "uniform:n=4096,k=4096"
	f32, u32 := device.Call{Type: device.F32}, device.Call{}
	old := func(c device.Call) device.Call { c.Returns = true; return c }
	for _, c := range []struct {
		stream  string
		call    device.Call
		atomics bool // are ranked
		none    bool // nothing is
	}{
		{twice, u32, true, false},
		{twice, f32, false, false},
		{twice, device.Call{Type: device.F64, Op: device.Mul}, false, false},
		{twice, device.Call{Type: device.F64, Op: device.Min}, true, false},
		{twice, old(u32), false, true},
		{twice, old(device.Call{Type: device.F32, Op: device.Max}), false, true},
		{once, f32, true, false},
		{once, old(u32), true, false},
		{once, old(f32), true, false},
	} {
		o := tuner.Options{Call: c.call, Deterministic: true}
		s := tunertest.Analyze(t, c.stream)
		got, err := tuner.Choose(s, d, o)
		if none := errors.Is(err, model.ErrNone); none != c.none || err != nil && !none {
			t.Errorf("%s %+v: %v", c.stream, c.call, err)
		}
		if usesAtomics(got) != c.atomics {
			t.Errorf("%s %+v: atomics are ranked: %v", c.stream, c.call, usesAtomics(got))
		}
		chooser, err := tuner.NewChooser(d, o)
		if err != nil {
			t.Fatal(err)
		}
		pick, err := chooser.Pick(s)
		if errors.Is(err, model.ErrNone) != c.none ||
			err == nil && pick.Variant != got.Choice.Implementation {
			t.Errorf("%s %+v: Pick says %s, %v", c.stream, c.call, pick.Variant, err)
		}
	}
}

// TestRepeatsUnknown: of a stream that is sampled, or of which the size alone is known, nobody says
// that each target occurs once.
func TestRepeatsUnknown(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	o := tuner.Options{Call: device.Call{Type: device.F32}, Deterministic: true}
	indices := make([]uint32, 1<<16)
	for i := range indices {
		indices[i] = uint32(i)
	}
	for _, n := range []int{5, len(indices)} {
		got, err := tuner.ChooseSampled(indices[:n], 1<<24, d, o, tuner.SamplingBudget{Launches: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got.Sampling.Sampled || usesAtomics(got) {
			t.Errorf("%d updates, not sampled: atomics are ranked: %v", n, usesAtomics(got))
		}
	}
	for sample, atomics := range map[int]bool{0: true, 8: false} {
		s, err := collision.Analyze(indices, collision.Options{Bins: 1 << 16, Sample: sample})
		if err != nil {
			t.Fatal(err)
		}
		got, err := tuner.Choose(&s, d, o)
		if err != nil || usesAtomics(got) != atomics {
			t.Errorf("a sample of %d blocks: atomics are ranked: %v, %v", sample, usesAtomics(got), err)
		}
	}
}
