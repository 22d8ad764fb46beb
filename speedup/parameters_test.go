package speedup

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"pgregory.net/rapid"
)

// leftOf is the mean number of adds that are left of a warp's by the algorithms in
// plain words, over warps of 32.
func leftOf(v impl.Spec, indices []uint32, rng *rand.Rand) float64 {
	adds, warps := 0, 0
	for w := range slices.Chunk(indices, 32) {
		warps++
		if v.Reduction == impl.SR {
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

func votedOf(w []uint32, v impl.Spec, rng *rand.Rand) int {
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
				if stay > 0 && name[0] == 'v' && parse(t, name).T(32) < 20 {
					continue // other targets than the hottest reach low thresholds, too
				}
				v := parse(t, name)
				b, err := CompileAll([]impl.Spec{v}, d, device.Call{})
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

// TestThresholdIsLeast: a threshold satisfies its inequality, and one less does not.
func TestThresholdIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.Float64Range(0, 40), rapid.Float64Range(0, 1e9)).Draw(t, "s")
		n := rapid.OneOf(rapid.IntRange(0, 130), rapid.IntRange(0, 1<<30)).Draw(t, "n")
		sr := func(x float64) bool { return math.Log2(x)+s <= x }
		vr := func(x float64) bool { return (float64(n)-x)+math.Log2(x)+s <= x }
		if x := float64(ThresholdSR(s)); !sr(x) || (x > 1 && sr(x-1)) {
			t.Errorf("ThresholdSR(%v) = %v", s, x)
		}
		if x := float64(ThresholdVR(n, s)); !vr(x) || (x > 1 && vr(x-1)) {
			t.Errorf("ThresholdVR(%d, %v) = %v", n, s, x)
		}
	})
	for name, c := range map[string][2]int{
		"SR at one step":    {ThresholdSR(1), 1},
		"SR above one step": {ThresholdSR(1.01), 3},
		"SR negative":       {ThresholdSR(-3), 1},
		"SR of NaN":         {ThresholdSR(math.NaN()), math.MaxInt},
		"SR of infinity":    {ThresholdSR(math.Inf(1)), math.MaxInt},
		"VR of no thread":   {ThresholdVR(0, 0), 1},
		"VR negative":       {ThresholdVR(-5, -5), 1},
		"VR of a warp":      {ThresholdVR(32, 0), 19},
		"VR never pays":     {ThresholdVR(32, 40), 39},
		"VR of NaN":         {ThresholdVR(32, math.NaN()), math.MaxInt},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %d, want %d", name, c[0], c[1])
		}
	}
}

// TestThresholdsOfDevices: each device has those of its own set-up, a few steps of a reduction, and kernels
// vote from what inequality (2) says with two steps. With set-up and steps counted in atomics on one
// address, sr would pay for no warp.
func TestThresholdsOfDevices(t *testing.T) {
	for _, name := range device.Names() {
		d := builtin(t, name)
		lanes := int(d.Core.WarpLanes.Value)
		ofSR, ofVR := Setup(d, impl.SR), Setup(d, impl.VR)
		sr, vr := Thresholds(d)
		if min(ofSR, ofVR) <= 1 || max(ofSR, ofVR) >= 40 || vr <= lanes/2 {
			t.Errorf("%s: set-ups of %v and %v steps, vr from %d lanes", name, ofSR, ofVR, vr)
		}
		if sr != max(2, ThresholdSR(ofSR)) || vr != max(2, ThresholdVR(lanes, ofVR)) {
			t.Errorf("%s: thresholds %d and %d", name, sr, vr)
		}
		if got, want := impl.VoteThreshold(lanes), ThresholdVR(lanes, 2); got != want {
			t.Errorf("%d lanes: the kernels vote from %d, inequality (2) says %d", lanes, got, want)
		}
		r := ratesOf(d, device.Call{})
		p := recipes[impl.SR].prices(&r)
		scanned := p.setup.latency + p.enter.latency + r.treeSteps*p.step.latency
		atomic := d.GlobalUpdate(device.Call{}).SameAddress.Value
		if lanes, steps := scanned/atomic, p.step.latency/atomic; lanes <= r.lanes {
			t.Errorf("%s: a step is %.0f atomics, and sr pays from %.0f lanes on", name, steps, lanes)
		}
	}
}
