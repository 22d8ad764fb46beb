package speedup

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// parsed returns an implementation by name.
func parsed(t testing.TB, name string) variant.Variant {
	t.Helper()
	v, err := variant.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// leftOf is the mean number of adds that are left of a warp's by the algorithms in
// plain words, over warps of 32.
func leftOf(v variant.Variant, indices []uint32, rng *rand.Rand) float64 {
	adds, warps := 0, 0
	for w := range slices.Chunk(indices, 32) {
		warps++
		if v.Reduction == variant.SR {
			adds += scannedOf(w, v.T(32))
			continue
		}
		adds += votedOf(w, v, rng)
	}
	return float64(adds) / float64(warps)
}

func scannedOf(w []uint32, threshold int) int {
	runs, length, longest := 0, 0, 0
	for l, x := range w {
		if l == 0 || w[l-1] != x {
			runs, length = runs+1, 0
		}
		length++
		longest = max(longest, length)
	}
	if longest < threshold {
		return len(w)
	}
	return runs
}

func votedOf(w []uint32, v variant.Variant, rng *rand.Rand) int {
	adds, rest := len(w), slices.Clone(w)
	for range v.M() {
		if len(rest) < v.T(32) {
			break
		}
		sampled := rest[rng.IntN(len(rest))]
		before := len(rest)
		rest = slices.DeleteFunc(rest, func(x uint32) bool { return x == sampled })
		if votes := before - len(rest); votes >= v.T(32) {
			adds -= votes - 1
		}
	}
	return adds
}

// hotStream mixes runs of a hot target with targets drawn at random.
func hotStream(rng *rand.Rand, n int, hot, stay float64) []uint32 {
	indices := make([]uint32, n)
	for i := range indices {
		switch {
		case i > 0 && rng.Float64() < stay:
			indices[i] = indices[i-1]
		case rng.Float64() < hot:
			indices[i] = 0
		default:
			indices[i] = uint32(1 + rng.IntN(4000))
		}
	}
	return indices
}

// TestAddsWithParameters holds the adds that the closed form leaves with t and m to
// those of the algorithms, executed on the warps of streams with one hot target.
func TestAddsWithParameters(t *testing.T) {
	d := builtin(t, "h200")
	checked, worst, sum := 0, 0.0, 0.0
	for _, hot := range []float64{0, 0.1, 0.3, 0.5, 0.7, 0.9, 1} {
		for _, stay := range []float64{0, 0.5, 0.8} {
			rng := rand.New(rand.NewPCG(uint64(100*hot), uint64(100*stay)))
			indices := hotStream(rng, 1<<14, hot, stay)
			s, err := collision.Analyze(indices, collision.Options{WarpSize: 32, BlockSize: 256, Bins: 4001})
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"vr", "vr:t=4", "vr:t=8", "vr:t=28", "vr:m=4", "vr:m=2,t=8", "sr", "sr:t=3", "sr:t=6"} {
				if stay > 0 && name[0] == 'v' && parsed(t, name).T(32) < 20 {
					continue // other targets than the hottest reach low thresholds, too
				}
				v := parsed(t, name)
				b, err := CompileAll([]variant.Variant{v}, d, device.Call{})
				if err != nil {
					t.Fatal(err)
				}
				var a adds
				b.reduce(&b.reductions[0], streamOf(b, &s), &a)
				got, want := a.lanes, leftOf(v, indices, rng)
				off := math.Abs(got - want)
				if off > 9 {
					t.Errorf("%s, hot %v, stay %v: %.1f adds of a warp predicted, %.1f left", name, hot, stay, got, want)
				}
				checked, worst, sum = checked+1, max(worst, off), sum+off
			}
		}
	}
	t.Logf("%d cases: off by %.2f adds of a warp in the mean, %.2f at worst", checked, sum/float64(checked), worst)
	if mean := sum / float64(checked); checked < 100 || mean > 1.5 {
		t.Errorf("%d cases, off by %.2f adds of a warp in the mean", checked, mean)
	}
}

// TestParametersAtDefaults checks that an implementation with its defaults spelled
// out, which is priced on its own, costs what it does without them.
func TestParametersAtDefaults(t *testing.T) {
	for _, name := range device.Names() {
		d := builtin(t, name)
		lanes := int(d.Core.WarpLanes.Value)
		s, err := collision.Analyze(hotStream(rand.New(rand.NewPCG(1, 2)), 1<<14, 0.7, 0.3),
			collision.Options{WarpSize: lanes, BlockSize: 256, Bins: 4001})
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range [][2]variant.Variant{
			{{Reduction: variant.VR}, {Reduction: variant.VR, Threshold: variant.VoteThreshold(lanes)}},
			{{Reduction: variant.SR}, {Reduction: variant.SR, Threshold: variant.SegmentThreshold}},
			{{Base: variant.Private, Reduction: variant.VR}, {Base: variant.Private, Reduction: variant.VR, Samples: 1, Threshold: variant.VoteThreshold(lanes)}},
		} {
			a, errA := Predict(pair[0], &s, d, device.Call{})
			b, errB := Predict(pair[1], &s, d, device.Call{})
			if errA != nil || errB != nil || a.US != b.US {
				t.Errorf("%s: %s %v us, %v; %+v %v us, %v", name, pair[0], a.US, errA, pair[1], b.US, errB)
			}
		}
	}
}

// TestParametersApart prices implementations that differ in their parameters alone
// in one bundle.
func TestParametersApart(t *testing.T) {
	d := builtin(t, "h200")
	rng := rand.New(rand.NewPCG(4, 4))
	indices := hotStream(rng, 1<<18, 0.4, 0)
	s, err := collision.Analyze(indices, collision.Options{WarpSize: 32, BlockSize: 256, Bins: 4001})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"vr:t=4", "vr", "vr:t=28", "vr:m=8,t=4", "private+vr:t=4", "private+vr"}
	var list []variant.Variant
	for _, name := range names {
		list = append(list, parsed(t, name))
	}
	b, err := CompileAll(list, d, device.Call{})
	if err != nil {
		t.Fatal(err)
	}
	together := make([]float64, len(list))
	b.US(&s, together)
	for i, v := range list {
		alone, err := Predict(v, &s, d, device.Call{})
		if err != nil || alone.US != together[i] {
			t.Errorf("%s: %v us alone, %v us in a bundle, %v", v, alone.US, together[i], err)
		}
	}
	// About 13 lanes of each warp meet the hot target: a low threshold spares their
	// atomics, a high one does not.
	if !(together[0] < 0.8*together[1] && together[3] < together[0] && together[2] <= together[1]) {
		t.Errorf("%v take %v us", names, together)
	}
}

// TestThresholdsOfDevices checks what Thresholds offers: the solutions of the
// inequalities for the device's own setup, found by trial.
func TestThresholdsOfDevices(t *testing.T) {
	for _, name := range device.Names() {
		d := builtin(t, name)
		n := d.Core.WarpLanes.Value
		sr, vr := Thresholds(d)
		x := 2.0
		for math.Log2(x)+Setup(d, variant.SR) > x {
			x++
		}
		y := 2.0
		for (n-y)+math.Log2(y)+Setup(d, variant.VR) > y {
			y++
		}
		if sr != int(x) || vr != int(y) {
			t.Errorf("%s: thresholds %d and %d, want %v and %v", name, sr, vr, x, y)
		}
		for _, v := range []variant.Variant{{Reduction: variant.SR, Threshold: sr}, {Reduction: variant.VR, Threshold: vr}} {
			if err := v.Validate(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
