package speedup

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
	"pgregory.net/rapid"
)

func TestThresholdsByTrial(t *testing.T) {
	checked := 0
	for s := 0.0; s < 40; s += 0.37 {
		want := 1
		for math.Log2(float64(want))+s > float64(want) {
			want++
		}
		if got := ThresholdSR(s); got != want {
			t.Errorf("ThresholdSR(%v) = %d, want %d", s, got, want)
		}
		for n := 0; n <= 130; n++ {
			want := 1
			for float64(n-want)+math.Log2(float64(want))+s > float64(want) {
				want++
			}
			if got := ThresholdVR(n, s); got != want {
				t.Errorf("ThresholdVR(%d, %v) = %d, want %d", n, s, got, want)
			}
			checked++
		}
	}
	if checked < 10000 {
		t.Errorf("checked %d thresholds", checked)
	}
}

func TestThresholdLimits(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"SR without overhead", ThresholdSR(0), 1},
		{"SR at one step", ThresholdSR(1), 1},
		{"SR above one step", ThresholdSR(1.01), 3},
		{"SR negative", ThresholdSR(-3), 1},
		{"SR of NaN", ThresholdSR(math.NaN()), math.MaxInt},
		{"SR of infinity", ThresholdSR(math.Inf(1)), math.MaxInt},
		{"SR large", ThresholdSR(1000), 1010},
		{"VR of no thread", ThresholdVR(0, 0), 1},
		{"VR of one thread", ThresholdVR(1, 0), 1},
		{"VR negative", ThresholdVR(-5, -5), 1},
		{"VR of a warp", ThresholdVR(32, 0), 19},
		{"VR never pays", ThresholdVR(32, 40), 39},
		{"VR of NaN", ThresholdVR(32, math.NaN()), math.MaxInt},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", c.name, c.got, c.want)
		}
	}
}

func TestThresholdIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.Float64Range(0, 1e9).Draw(t, "s")
		n := rapid.IntRange(0, 1<<30).Draw(t, "n")
		sr := func(x float64) bool { return math.Log2(x)+s <= x }
		vr := func(x float64) bool { return (float64(n)-x)+math.Log2(x)+s <= x }
		if x := float64(ThresholdSR(s)); !sr(x) || (x > 1 && sr(x-1)) {
			t.Errorf("ThresholdSR(%v) = %v", s, x)
		}
		if x := float64(ThresholdVR(n, s)); !vr(x) || (x > 1 && vr(x-1)) {
			t.Errorf("ThresholdVR(%d, %v) = %v", n, s, x)
		}
	})
}

func TestSetup(t *testing.T) {
	for _, name := range device.Names() {
		d, err := device.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for what, s := range map[string]float64{"SetupSR": Setup(d, variant.SR), "SetupVR": Setup(d, variant.VR)} {
			if !(s > 1 && s < 40) {
				t.Errorf("%s(%s) = %v reduction steps", what, name, s)
			}
		}
		if x := ThresholdVR(32, Setup(d, variant.VR)); x <= 16 {
			t.Errorf("%s: vr at %d of 32 lanes", name, x)
		}
	}
}
