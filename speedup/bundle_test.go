package speedup

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

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
	m, err := Compile(impl.Spec{}, builtin(t, "h200"), device.Call{})
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

func BenchmarkBundle(b *testing.B) {
	list := runnable(builtin(b, "h200"), device.Call{})
	all, err := CompileAll(list, builtin(b, "h200"), device.Call{})
	if err != nil {
		b.Fatal(err)
	}
	out := make([]float64, len(list))
	for name, bins := range map[string]uint32{"few": 256, "many": 1 << 20} {
		s := scale(measure(uniform(1<<14, bins, 1), uint64(bins), 32), 64)
		b.Run("targets="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				all.US(&s, out)
			}
		})
	}
}

func TestUSDoesNotAllocate(t *testing.T) {
	checked := map[impl.Spec]bool{}
	for name, lanes := range map[string]int{"h200": 32, "hd5870": 64} {
		d := builtin(t, name)
		stream := uniform(4096, 100, 1)
		s := tabled(stream, 100, lanes)
		for _, v := range runnable(d, device.Call{}) {
			m, err := Compile(v, d, device.Call{})
			if err != nil {
				t.Fatal(err)
			}
			if n := testing.AllocsPerRun(100, func() { m.US(&s) }); n != 0 {
				t.Errorf("%s on %s: %v allocations", v, name, n)
			}
			checked[v] = true
		}
	}
	if len(checked) < len(candidates()) {
		t.Errorf("%d implementations checked", len(checked))
	}
}

// TestMeanings: each bound has a meaning of its own.
func TestMeanings(t *testing.T) {
	seen := map[string]bool{"": true}
	for _, name := range Bottlenecks() {
		if text := Meaning(name); seen[text] {
			t.Errorf("%s: %q", name, text)
		} else {
			seen[text] = true
		}
	}
	if Meaning("chunks") != "" {
		t.Error("any name has a meaning")
	}
}
