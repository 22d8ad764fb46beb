package speedup

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

func TestBundleRefuses(t *testing.T) {
	h200 := builtin(t, "h200")
	all, err := CompileAll(runnable(h200, device.Call{}), h200, device.Call{})
	if err != nil {
		t.Fatal(err)
	}
	s := measure(uniform(640, 10, 1), 10, 64) // warps of another size
	out := make([]float64, len(all.list))
	all.US(&s, out)
	for i, us := range out {
		if !math.IsInf(us, 1) {
			t.Errorf("%s: %v us", all.list[i].v, us)
		}
	}
	if m, err := CompileAll([]variant.Variant{{}, {Base: variant.Coordinator}}, h200, device.Call{}); m != nil || err == nil {
		t.Errorf("the coordinator compiles: %v", err)
	}
}

// TestLaunches holds the closed form to the recorded calls of empty kernels.
func TestLaunches(t *testing.T) {
	r := ratesOf(builtin(t, "h200"), device.Call{})
	end := r.first
	for number := 1.0; number < 5; number++ {
		end = r.after(end, number, 0)
	}
	if want := r.first + 4*r.next; math.Abs(end-want) > 1e-9 {
		t.Errorf("five empty kernels take %v us, want %v", end, want)
	}
	if got, want := r.after(100, 1, 7), 100+r.gap+7; got != want {
		t.Errorf("a kernel after a long one ends at %v us, want %v", got, want)
	}
}

func TestFullestSlice(t *testing.T) {
	m, err := Compile(variant.Variant{}, builtin(t, "h200"), device.Call{})
	if err != nil {
		t.Fatal(err)
	}
	for edge := range 4 {
		last := 1.0
		for n := 1.0; n < 1e12; n *= 1.1 {
			share := m.b.fullestSlice(n, float64(edge))
			if share > last || share < 1/n || share < m.b.sliceShare {
				t.Fatalf("fullestSlice(%v, %v) = %v after %v", n, edge, share, last)
			}
			last = share
		}
		if last > 1.01*m.b.sliceShare {
			t.Errorf("of infinitely many chunks %v lie on one of %v slices", last, 1/m.b.sliceShare)
		}
	}
	// The four chunks of a region lie on two slices, those of two halves on four.
	four, two, halves := m.b.fullestSlice(4, 0), m.b.fullestSlice(2, 0), m.b.fullestSlice(4, 2)
	if four != two || math.Abs(two-0.5) > 0.01 || math.Abs(halves-0.25) > 0.01 {
		t.Errorf("four chunks put %v on one slice, two %v, four in two regions %v", four, two, halves)
	}
	if small, large := m.b.edgeOf(1024), m.b.edgeOf(1<<22); small != 2 || large != 0 {
		t.Errorf("%v and %v chunks to the end of the region", small, large)
	}
}
