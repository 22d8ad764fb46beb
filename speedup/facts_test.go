package speedup

import (
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
)

// facts are measured on one NVIDIA H200 (driver 580.159.04, CUDA 13.0): 2^24
// updates of K targets drawn uniformly, naive, milliseconds with launch and
// clearing. The targets began with a region, not where the profile assumes that small
// arrays begin.
var facts = []struct {
	bins     uint32
	u32, f32 float64
}{
	{1, 12.3, 29.5}, {2, 7.1, 16.8}, {4, 4.3, 10.2}, {16, 3.1, 4.3}, {64, 4.9, 4.9},
	{256, 4.4, 4.4}, {1024, 1.45, 1.45}, {4096, 0.50, 0.51}, {65536, 0.22, 0.21}, {4194304, 0.19, 0.19},
}

// factsWithin is the factor within which every prediction meets its fact.
const factsWithin = 1.25

func TestFacts(t *testing.T) {
	own := *builtin(t, "h200")
	hash := *own.Global.Hash
	h200 := &own
	hash.SmallBase, h200.Global.Hash = 0, &hash
	checked := 0
	for _, f := range facts {
		s, err := collision.Analyze(uniform(1<<18, f.bins, 7), collision.Options{Bins: uint64(f.bins)})
		if err != nil {
			t.Fatal(err)
		}
		s = scale(s, 64)
		s.HotWarps, s.HotSegments = 0, 0 // not of a stream that is 64 times as long
		for typ, want := range map[device.Type]float64{device.U32: f.u32, device.F32: f.f32} {
			got, _ := priced(t, "naive", &s, h200, device.Call{Type: typ})
			ratio := got.US / 1e3 / want
			t.Logf("K=%-8d %s  predicted %7.3f ms, measured %7.3f ms, ratio %.2f, %s",
				f.bins, typ, got.US/1e3, want, ratio, got.Binding)
			if ratio > factsWithin || ratio < 1/factsWithin {
				t.Errorf("K=%d %s: ratio %.2f", f.bins, typ, ratio)
			}
			checked++
		}
	}
	if checked != 2*len(facts) {
		t.Errorf("checked %d predictions, want %d", checked, 2*len(facts))
	}
}
