package calibration

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/allocation"
)

// TestReadingIntervals: the range of few repeats is widened by Lord's factors, that of six and
// more stands as it is.
func TestReadingIntervals(t *testing.T) {
	for repeats, want := range map[int]Interval{
		2: {0, 100 + 6.353*20}, 3: {100 - 1.304*20, 100 + 1.304*20},
		5: {100 - 0.507*20, 100 + 0.507*20}, 6: {90, 110}, 50: {90, 110},
	} {
		r := reading{Reading: recordings.Reading{Value: 100, Low: 90, High: 110, Repeats: repeats}}
		if got := r.interval(); math.Abs(got.Low-want.Low) > 1e-9 ||
			math.Abs(got.High-want.High) > 1e-9 {
			t.Errorf("%d repeats: %+v, want %+v", repeats, got, want)
		}
	}
}

// TestEstimateIntervals: what two estimates make together lies between the ends that lie
// furthest apart.
func TestEstimateIntervals(t *testing.T) {
	a := estimate{value: 10, interval: Interval{9, 12}}
	b := estimate{value: 4, interval: Interval{3, 5}}
	for name, c := range map[string]struct {
		got  estimate
		want estimate
	}{
		"less": {a.less(b), estimate{value: 6, interval: Interval{4, 9}}},
		"plus": {a.plus(b), estimate{value: 14, interval: Interval{12, 17}}},
		"by":   {a.by(b), estimate{value: 40, interval: Interval{27, 60}}},
		"per":  {a.per(b), estimate{value: 2.5, interval: Interval{9.0 / 5, 4}}},
	} {
		if c.got.value != c.want.value || c.got.interval != c.want.interval {
			t.Errorf("%s: %v in %+v, want %v in %+v", name, c.got.value, c.got.interval, c.want.value,
				c.want.interval)
		}
	}
}

// TestLayouts: each chunk may have a slice of its own, or take turns on up to 16; a region holds whole iterations,
// and no layout stands twice.
func TestLayouts(t *testing.T) {
	seen := map[layout]bool{}
	for _, l := range layouts() {
		if seen[l] || l.region%(l.chunk*l.slices) != 0 || l.slices == 1 && l.region != l.chunk {
			t.Errorf("%+v", l)
		}
		seen[l] = true
	}
	for _, want := range []layout{{32, 32, 1}, {8192, 8192, 1}, {32, 64, 2}, {32, 65536, 16}, {4096, 65536, 16},
		{8192, 16384, 2}} {
		if !seen[want] {
			t.Errorf("%+v is not searched", want)
		}
	}
	if got := (layout{64, 256, 2}).slice(256 + 3*64); got != 3 { // second region, odd chunk
		t.Errorf("slice %d, want 3", got)
	}
}

// TestFootprint: adds to at most a quarter of L2 and to twice as much or more tell what stays there; without
// either it is assumed.
func TestFootprint(t *testing.T) {
	const l2 = 1 << 24
	for _, c := range []struct {
		bytes   []int
		assumed bool
	}{
		{[]int{l2 / 4, 2 * l2}, false}, {[]int{l2 / 8, 4 * l2, 8 * l2}, false},
		{[]int{l2/4 + 1, 2 * l2}, true}, {[]int{l2 / 4, 2*l2 - 1}, true}, {nil, true},
	} {
		var list []recordings.Reading
		for _, n := range c.bytes {
			ns := 1.0
			if n > l2 {
				ns = 20
			}
			list = append(list, recordings.Reading{Suite: "global", Name: "footprint", Value: ns, Unit: "ns",
				Parameters: fmt.Sprintf("op=u32_add bytes=%d", n), Low: ns, High: ns, Repeats: 3})
		}
		rows, err := newLookup(list)
		if err != nil {
			t.Fatal(err)
		}
		b := &builder{rows: rows}
		b.p.Core.WarpLanes.Value = 32
		b.footprint(l2, 1000)
		if m := b.p.Memory; (m.L2AtomicBytes.Source == "assumed") != c.assumed || (m.MissBytes.Source == "assumed") != c.assumed {
			t.Errorf("%v: %+v", c.bytes, m)
		}
	}
}

func TestSlug(t *testing.T) {
	for gpu, want := range map[string]string{"NVIDIA H200": "h200", "NVIDIA GeForce RTX 3090": "geforce-rtx-3090",
		"Tesla V100 (PCIe)": "tesla-v100-pcie"} {
		if got := Slug(gpu); got != want {
			t.Errorf("%s becomes %s, want %s", gpu, got, want)
		}
	}
}

func TestCapability(t *testing.T) {
	for text, want := range map[string]struct {
		name       string
		schedulers float64
	}{
		"6.0": {"Pascal", 2}, "6.1": {"Pascal", 4}, "7.0": {"Volta", 4}, "7.5": {"Turing", 4}, "8.6": {"Ampere", 4},
		"8.9": {"Ada", 4}, "9.0": {"Hopper", 4}, "12.0": {"Blackwell", 4},
		"14.0": {"compute capability 14.0", 4},
	} {
		c, err := parseCapability(text)
		if err != nil || c.architecture() != want.name || c.schedulers() != want.schedulers || c.String() != text {
			t.Errorf("%s: %s, %v, %v", text, c.architecture(), c.schedulers(), err)
		}
	}
	for _, text := range []string{"", "9", "x.0", "9.x", "0.0", "9.10"} {
		if _, err := parseCapability(text); !errors.Is(err, ErrData) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzNames: the texts of recordings that a fit takes apart read as what prints as them.
func FuzzNames(f *testing.F) {
	for _, text := range []string{"9.0", "12.10", "u32_add", "f64_load", "09.0", "u32_add_cycles"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var c capability
		var err error
		allocation.Bound(t, len(text), func() { c, err = parseCapability(text) })
		if err != nil && !errors.Is(err, ErrData) || err == nil && c.String() != text {
			t.Errorf("capability %q is %s, %v", text, c, err)
		}
		if kind, operation, ok := ParseColumn(text); ok && kind.String()+"_"+string(operation) != text {
			t.Errorf("column %q is %s of %s", text, operation, kind)
		}
	})
}
