package calibration

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// TestBusiest: of each degree the reading of most warps serves, unless it has less than half the
// warps of another degree's, as where more do not fit into shared memory.
func TestBusiest(t *testing.T) {
	var rows []recordings.Reading
	for degree, most := range map[int]int{1: 32, 2: 16, 4: 8} {
		for warps := 1; warps <= most; warps *= 2 {
			rows = append(rows, recordings.Reading{Suite: "shared", Name: "throughput", Value: 1, Unit: "cycle",
				Parameters: fmt.Sprintf("op=f64_add conflict=bank degree=%d warps=%d", degree, warps)})
		}
	}
	l, err := newLookup(rows)
	if err != nil {
		t.Fatal(err)
	}
	warps := map[float64]float64{}
	for _, r := range busiest(l.rows("shared", "throughput", "op=f64_add")) {
		warps[r.number("degree")] = r.number("warps")
	}
	if len(warps) != 2 || warps[1] != 32 || warps[2] != 16 {
		t.Errorf("warps by degree: %v", warps)
	}
}

// TestHold: an add keeps other warps out for what was measured, within one iteration of its loop and eight;
// an operation that was not measured for as many iterations as another, and one iteration where none was.
func TestHold(t *testing.T) {
	loop := latency.Params{Structure: latency.Structure{Mechanism: device.Lock}}
	loop.Round = 10
	contention := func(op string, cycles float64) recordings.Reading {
		return recordings.Reading{Suite: "shared", Name: "contention", Value: 32 * cycles, Unit: "cycle",
			Parameters: "op=" + op + " warps=2 colliding_warps=2 colliding_lanes=32 degree=32"}
	}
	for _, c := range []struct {
		key   string
		rows  []recordings.Reading
		value float64
	}{
		{"f32_add", nil, 10},
		{"f32_add", []recordings.Reading{contention("f32_add", 25)}, 25},
		{"f32_add", []recordings.Reading{contention("f32_add", 4)}, 10},
		{"f32_add", []recordings.Reading{contention("f32_add", 81)}, 80},
		{"u32_max", []recordings.Reading{contention("f32_add", 25)}, 25},
		{"u32_max", []recordings.Reading{contention("f32_add", 4)}, 10},
		{"u32_max", []recordings.Reading{contention("f64_add", 30), contention("f32_add", 20)}, 30},
	} {
		rows, err := newLookup(c.rows)
		if err != nil {
			t.Fatal(err)
		}
		b := &builder{rows: rows, columns: map[string]*Result{"f32_add": {Params: loop}, "f64_add": {Params: loop}}}
		b.p.Core.WarpLanes.Value = 32
		if e := b.hold(c.key, loop); math.Abs(e.value-c.value) > 1e-9 {
			t.Errorf("%s of %+v: %v, want %v", c.key, c.rows, e.value, c.value)
		}
	}
}

// TestKeyed: of an operation measured with several numbers of keys the readings with that number serve, else
// those without, and the first where there are neither.
func TestKeyed(t *testing.T) {
	at := func(keys string, value float64) recordings.Reading {
		return recordings.Reading{Suite: "warp", Name: "latency", Value: value, Unit: "cycle",
			Parameters: strings.TrimSpace("op=match " + keys)}
	}
	for _, c := range []struct {
		rows []recordings.Reading
		want []float64
	}{
		{[]recordings.Reading{at("keys=2", 20), at("keys=1", 10), at("keys=4", 40)}, []float64{10}},
		{[]recordings.Reading{at("", 7)}, []float64{7}},
		{[]recordings.Reading{at("keys=2", 20), at("keys=4", 40)}, []float64{20}},
	} {
		rows, err := newLookup(c.rows)
		if err != nil {
			t.Fatal(err)
		}
		b := &builder{rows: rows}
		if got := valuesOf(b.keyed("latency", "match", 1)); !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}
