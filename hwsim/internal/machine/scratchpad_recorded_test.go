package machine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
)

// TestRecordedPatterns compares single warps with the patterns recorded on an
// H200. Limits are relative errors in percent.
func TestRecordedPatterns(t *testing.T) {
	m, err := h200.Archive.Scratchpad()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		column                  string
		median, p90, everything float64
	}{
		{"u32_load", 0.3, 0.5, 1}, {"u32_store", 0.3, 0.5, 1}, {"u32_add", 0.3, 0.5, 1},
		{"u32_min", 0.3, 0.5, 1}, {"u32_exch", 0.3, 0.5, 1}, {"f32_add", 0.3, 0.5, 1},
		{"u64_add", 0.3, 0.5, 1}, {"f64_add", 0.3, 0.5, 1}, {"u64_exch", 0.3, 0.5, 1},
		{"u64_load", 0.3, 0.5, 1},
		{"u64_store", 0.3, 0.5, 25}, // pairs of lanes, for which the load after the store takes less
		{"u32_casloop", 1.5, 2, 8}, {"f32_casloop", 1.5, 2, 8}, {"f64_casloop", 1.5, 2, 8},
	} {
		column, err := m.Column(c.column)
		if err != nil {
			t.Fatal(err)
		}
		typ, op, _ := strings.Cut(c.column, "_")
		of, err := device.ParseType(typ)
		if err != nil {
			t.Fatal(err)
		}
		s := scratchpad(t, "h200", device.Operation(op), of)
		var off []float64
		for i, p := range m.Patterns {
			got, err := s.Warp(p)
			if err != nil {
				t.Fatal(err)
			}
			off = append(off, 100*math.Abs(got/column.Cycles[i]-1))
		}
		if len(off) < 7000 {
			t.Fatalf("%s: only %d patterns", c.column, len(off))
		}
		slices.Sort(off)
		median, p90, most := off[len(off)/2], off[len(off)*9/10], off[len(off)-1]
		if median > c.median || p90 > c.p90 || most > c.everything {
			t.Errorf("%s: error: median %.3f %%, p90 %.3f %%, at most %.2f %%, want up to %v, %v, %v",
				c.column, median, p90, most, c.median, c.p90, c.everything)
		}
	}
}

// TestContentions compares several warps with the recordings on an H200. What
// the recording kernel does between two operations is taken from its single
// warp, and the port's two cycles of a compare-and-swap from its warps without
// conflicts; nothing else was fitted to these recordings. Single experiments are
// up to 1.9 times off, most where conflicts within and between warps meet. Each seventh one
// is simulated, all of them with ATOMTUNE_FULL=1.
func TestContentions(t *testing.T) {
	recorded, err := h200.Archive.Contentions()
	if err != nil {
		t.Fatal(err)
	}
	every := 7
	if golden.Full() {
		every = 1
	}
	for _, c := range []struct {
		operation              string
		low, median, top, high float64 // of simulated over recorded: p10, median up to, p90
	}{
		{"f32_add", 0.75, 0.9, 1.1, 1.25}, {"f64_add", 0.75, 0.9, 1.1, 1.25},
		{"u32_add", 0.75, 0.9, 1.1, 1.25}, {"u32_casloop", 0.7, 0.9, 1.1, 1.25},
	} {
		typ, op, _ := strings.Cut(c.operation, "_")
		of, err := device.ParseType(typ)
		if err != nil {
			t.Fatal(err)
		}
		s := scratchpad(t, "h200", device.Operation(op), of)
		alone, err := s.Warp(ownWords(32, nil))
		if err != nil {
			t.Fatal(err)
		}
		rows := slices.DeleteFunc(slices.Clone(recorded), func(r archive.Contention) bool {
			return r.Operation != c.operation
		})
		var ratios []float64
		for i, r := range rows {
			if i%every != 0 {
				continue
			}
			if len(ratios) == 0 { // one warp, no conflict
				s.GapCycles = r.Cycles - alone
			}
			ratios = append(ratios, perOperation(t, s, contending(r.Warps, r.Colliding, r.Lanes,
				r.Degree))/r.Cycles)
		}
		if len(ratios) < 444/every {
			t.Fatalf("%s: only %d experiments", c.operation, len(ratios))
		}
		if math.Abs(ratios[0]-1) > 0.02 {
			t.Errorf("%s: the gap does not explain the single warp: %.3f", c.operation, ratios[0])
		}
		slices.Sort(ratios)
		p10, p50, p90 := ratios[len(ratios)/10], ratios[len(ratios)/2], ratios[len(ratios)*9/10]
		if p10 < c.low || p50 < c.median || p50 > c.top || p90 > c.high {
			t.Errorf("%s: simulated and recorded cycles disagree: p10 %.2f, median %.2f, p90 %.2f",
				c.operation, p10, p50, p90)
		}
	}
}
