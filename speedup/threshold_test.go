package speedup

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
	"pgregory.net/rapid"
)

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
// vote from what inequality (2) says.
func TestThresholdsOfDevices(t *testing.T) {
	for _, name := range device.Names() {
		d := builtin(t, name)
		lanes := int(d.Core.WarpLanes.Value)
		ofSR, ofVR := Setup(d, variant.SR), Setup(d, variant.VR)
		sr, vr := Thresholds(d)
		if min(ofSR, ofVR) <= 1 || max(ofSR, ofVR) >= 40 || vr <= lanes/2 {
			t.Errorf("%s: set-ups of %v and %v steps, vr from %d lanes", name, ofSR, ofVR, vr)
		}
		if sr != max(2, ThresholdSR(ofSR)) || vr != max(2, ThresholdVR(lanes, ofVR)) {
			t.Errorf("%s: thresholds %d and %d", name, sr, vr)
		}
		if got, want := variant.VoteThreshold(lanes), ThresholdVR(lanes, 2); got != want {
			t.Errorf("%d lanes: the kernels vote from %d, inequality (2) says %d", lanes, got, want)
		}
	}
}
