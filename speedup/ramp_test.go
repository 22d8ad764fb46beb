package speedup

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"

	"github.com/atomtune/atomtune/collision"
)

// statsOf measures the stream of a specification.
func statsOf(t *testing.T, spec string) collision.Stats {
	t.Helper()
	parsed, err := synth.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	indices, err := synth.Generate(parsed)
	if err != nil {
		t.Fatal(err)
	}
	s, err := collision.Analyze(indices, collision.Options{Bins: uint64(parsed.K)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// bundleOf prepares an implementation on the H200.
func bundleOf(t *testing.T, name string, c device.Call) *Bundle {
	t.Helper()
	m, err := Compile(parse(t, name), builtin(t, "h200"), c)
	if err != nil {
		t.Fatal(err)
	}
	return &m.b
}

// TestRamp: only streams whose neighbours have neighbouring targets are ramps.
func TestRamp(t *testing.T) {
	b := bundleOf(t, "private:r=8,pad=1", device.Call{Type: device.F32})
	for spec, want := range map[string]float64{
		"sequential:n=65536,k=462,seed=1":          1,
		"sequential:n=65536,k=8,seed=1":            1,
		"uniform:n=65536,k=462,seed=1":             0,
		"uniform:n=65536,k=8,seed=1":               0,
		"permuted:n=65536,k=65536,seed=2":          0,
		"sorted:n=65536,k=1024,seed=3":             0,
		"stride:n=65536,k=4096,seed=0,step=17":     0, // odd: the banks are even, the sectors are not
		"constant:n=65536,k=100,seed=4,at=3":       0,
		"zipf:n=65536,k=1024,seed=5,s=1,shuffle=1": 0,
	} {
		s := statsOf(t, spec)
		var p Pricing
		b.Start(&s, &p)
		if got := p.st.ramp; math.Abs(got-want) > 0.15 {
			t.Errorf("%s: %.3f of a ramp", spec, got)
		}
	}
}

// TestFullestOfRamp counts lanes on banks one by one: copies that shift back as far as
// the targets go forward fall on one bank.
func TestFullestOfRamp(t *testing.T) {
	for _, c := range []struct {
		lanes, copies, words, stride int
		want                         float64
	}{
		{32, 1, 1, 0, 1}, {32, 32, 1, 31, 32}, {32, 16, 1, 31, 16}, {32, 32, 1, 1, 2}, {32, 32, 1, 0, 1},
		{16, 16, 2, 30, 16}, {16, 1, 2, 0, 1}, {16, 8, 2, 30, 8}, {16, 16, 2, 0, 1}, {16, 16, 2, 2, 2},
	} {
		if got := fullestOfRamp(c.lanes, c.copies, c.words, c.stride, 32); got != c.want {
			t.Errorf("%+v: %v lanes", c, got)
		}
	}
}

// TestCopiesInStep: copies that are in step with a ramp spread nothing.
func TestCopiesInStep(t *testing.T) {
	c := device.Call{Type: device.F64}
	price := func(name, spec string) float64 {
		s := statsOf(t, spec)
		cost, err := Predict(parse(t, name), &s, builtin(t, "h200"), c)
		if err != nil {
			t.Fatal(err)
		}
		return cost.US
	}
	// 463 elements of 8 bytes between copies: two banks back, as far as a lane's
	// target is ahead of the one before.
	on, off := price("private:r=16,pad=1", "sequential:n=4194304,k=462,seed=1"), price("private:r=16,pad=1", "sequential:n=4194304,k=460,seed=1")
	if on < 3*off {
		t.Errorf("%.1f us where copies and targets are in step, %.1f us where they are not", on, off)
	}
	// Of 8 copies each of 8 targets meets one alone.
	one, many := price("private", "sequential:n=4194304,k=8,seed=1"), price("private:r=8,pad=1", "sequential:n=4194304,k=8,seed=1")
	random := price("private:r=8,pad=1", "uniform:n=4194304,k=8,seed=1")
	if many < 1.3*random || many > 1.01*one {
		t.Errorf("8 copies of 8 targets: %.1f us in turn, %.1f us at random, one copy %.1f us", many, random, one)
	}
}

// TestCrowd: hot targets on different chunks can meet on a slice.
func TestCrowd(t *testing.T) {
	b := bundleOf(t, "naive", device.Call{})
	for spec, want := range map[string][2]float64{
		"hotspot:n=262144,k=1048576,seed=1,h=1,p=0.4,shuffle=1":  {1, 1.02},
		"hotspot:n=262144,k=1048576,seed=2,h=16,p=0.4,shuffle=1": {1.6, 2},
		"hotspot:n=262144,k=1048576,seed=2,h=40,p=0.4,shuffle=1": {2.2, 3},
		"hotspot:n=262144,k=1048576,seed=2,h=64,p=0.4,shuffle=0": {1, 1.02}, // one chunk
		"permuted:n=65536,k=65536,seed=3":                        {1, 1},
		"constant:n=65536,k=100,seed=4,at=3":                     {1, 1},
	} {
		s := statsOf(t, spec)
		var p Pricing
		b.Start(&s, &p)
		if got := p.st.crowd; !(got >= want[0]-1e-9 && got <= want[1]) {
			t.Errorf("%s: %.3f hot chunks on the fullest slice, want %v", spec, got, want)
		}
		s.HotWarps, s.HotSegments = 0, 0
		if b.Start(&s, &p); p.st.crowd != 1 {
			t.Errorf("%s, hot warps not known: %v", spec, p.st.crowd)
		}
	}
}
