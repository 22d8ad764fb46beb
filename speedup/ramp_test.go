package speedup

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
)

// statsOf measures the stream of a specification in warps of 32.
func statsOf(t *testing.T, spec string) collision.Stats {
	t.Helper()
	_, s := Analyzed(t, spec, 32)
	return s
}

// Analyzed returns the stream of a specification and its statistics in warps of so many
// lanes.
func Analyzed(t *testing.T, spec string, lanes int) ([]uint32, collision.Stats) {
	t.Helper()
	parsed, err := synth.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	indices, err := synth.Generate(parsed)
	if err != nil {
		t.Fatal(err)
	}
	s, err := collision.Analyze(indices, collision.Options{Bins: uint64(parsed.K), WarpSize: lanes, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return indices, s
}

// bundleOf prepares an implementation on the H200.
func bundleOf(t *testing.T, name string, c device.Call) *Bundle {
	t.Helper()
	m, err := Compile(parse(t, name), builtin(t, "h200"), c)
	if err != nil {
		t.Fatal(err)
	}
	return m.b
}

// streamOf is what the formulas read of a stream.
func streamOf(b *Bundle, s *collision.Stats) *stream {
	st := new(stream)
	b.read(s, st)
	return st
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
		if got := streamOf(b, &s).ramp; math.Abs(got-want) > 0.15 {
			t.Errorf("%s: %.3f of a ramp", spec, got)
		}
	}
}

// TestFullestOfRamps counts lanes on banks one by one: copies that shift back as far as
// the targets go forward fall on one bank.
func TestFullestOfRamps(t *testing.T) {
	for _, c := range []struct {
		lanes, copies, words, apart int
		want                        float64
	}{
		{32, 1, 1, 0, 1}, {32, 32, 1, 31, 32}, {32, 16, 1, 31, 16}, {32, 32, 1, 1, 2}, {32, 32, 1, 0, 1},
		{16, 16, 2, 31, 16}, {16, 1, 2, 0, 1}, {16, 8, 2, 15, 8}, {16, 16, 2, 0, 1}, {16, 16, 2, 1, 2},
	} {
		if got := fullestOfRamps(c.lanes, c.copies, c.words, 32)[c.apart]; got != c.want {
			t.Errorf("%+v: %v lanes", c, got)
		}
	}
}

// TestHoldersUnknown: where HotWarps is not known the hottest target is taken to be in as
// many warps as it can, and a block of one warp has no neighbours.
func TestHoldersUnknown(t *testing.T) {
	b := bundleOf(t, "private", device.Call{Type: device.F64})
	s := statsOf(t, "constant:n=262144,k=100,seed=1,at=3")
	known := streamOf(b, &s).heldAny
	s.HotWarps, s.HotSegments = 0, 0
	if got := streamOf(b, &s).heldAny; got != known || known != 1 {
		t.Errorf("%v of the warps have the target, not known: %v", known, got)
	}
	for _, block := range []int{32, 16, 1} {
		s := statsOf(t, "uniform:n=262144,k=1000,seed=1")
		s.BlockSize = block
		if st := streamOf(b, &s); st.neighbours != 0 || st.heldNear != st.heldHot {
			t.Errorf("blocks of %d: %v neighbours, %v of them hold the target", block, st.neighbours, st.heldNear)
		}
	}
}

// TestHotChunksOnSlices: hot targets on different chunks can meet on a slice.
func TestHotChunksOnSlices(t *testing.T) {
	b := bundleOf(t, "naive", device.Call{})
	for spec, want := range map[string][2]float64{
		"hotspot:n=262144,k=1048576,seed=1,h=1,p=0.4,shuffle=1":  {1, 1.02},
		"hotspot:n=262144,k=1048576,seed=2,h=16,p=0.4,shuffle=1": {1.6, 2},
		"hotspot:n=262144,k=1048576,seed=2,h=40,p=0.4,shuffle=1": {2.2, 3},
		"hotspot:n=262144,k=1048576,seed=2,h=64,p=0.4,shuffle=0": {1, 1.02}, // one chunk
		"permuted:n=65536,k=65536,seed=3":                        {1, 1},
		"sequential:n=1048583,k=1024,seed=3":                     {1, 1}, // no target repeats in a warp
		"constant:n=65536,k=100,seed=4,at=3":                     {1, 1},
	} {
		s := statsOf(t, spec)
		got := streamOf(b, &s).hotChunks
		if !(got >= want[0]-1e-9 && got <= want[1]) {
			t.Errorf("%s: %.3f hot chunks on the fullest slice, want %v", spec, got, want)
		}
		d, f32 := builtin(t, "h200"), device.Call{Type: device.F32}
		address := float64(s.MaxFrequency) * d.GlobalUpdate(f32).SameAddress.Value / d.Core.Clock.Value
		_, of := priced(t, "naive", &s, d, f32)
		if us := of["update address"]; us < 0.999*got*address {
			t.Errorf("%s: %.3f us for the slice with most of the hottest, %.3f us for the hottest alone", spec, us, address)
		}
		s.HotWarps, s.HotSegments = 0, 0
		if got := streamOf(b, &s).hotChunks; got != 1 {
			t.Errorf("%s, hot warps not known: %v", spec, got)
		}
	}
}
