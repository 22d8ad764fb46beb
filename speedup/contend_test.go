package speedup

import (
	"fmt"
	"math"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/device"
)

// TestServed finds, from the readings of shared contention in which all warps of an SM
// add to the same words, how many adds to a word come through in a turn:
//
//	time per warp = max(round, warps·port)·degree·(1 + (warps-1)/addsPerTurn) / warps
func TestServed(t *testing.T) {
	readings, err := h200.Readings()
	if err != nil {
		t.Fatal(err)
	}
	d := builtin(t, "h200")
	var logs float64
	n := 0
	for _, r := range readings {
		var op string
		var warps, colliding, lanes, degree float64
		const format = "op=%s warps=%f colliding_warps=%f colliding_lanes=%f degree=%f"
		if r.Name != "contention" {
			continue
		}
		if got, err := fmt.Sscanf(r.Parameters, format, &op, &warps, &colliding, &lanes, &degree); got != 5 {
			t.Fatalf("%q: %v", r.Parameters, err)
		}
		types := map[string]device.Type{"f32_add": device.F32, "f64_add": device.F64}
		typ, known := types[op]
		if !known || warps < 8 || colliding != warps || lanes != 32 {
			continue
		}
		a := d.SharedUpdate(device.Call{Type: typ})
		port := (a.Port.Value + a.WritePort.Value) * float64(typ.Bytes()) / d.Shared.BankBytes.Value
		turns := r.Value * warps / (math.Max(a.Round.Value, warps*port) * degree)
		each := (warps - 1) / (turns - 1)
		if each < 1.7 || each > 3.5 {
			t.Errorf("%s: %.2f adds come through in a turn", r.Parameters, each)
		}
		logs += math.Log(each)
		n++
	}
	if mean := math.Exp(logs / float64(n)); n != 24 || math.Abs(mean/addsPerTurn-1) > 0.03 {
		t.Errorf("%.3f adds come through in a turn of %d readings, the formulas say %v", mean, n, addsPerTurn)
	}
}

// TestContend: alone no warp waits, and the more warps meet at a word the longer each
// takes; warps that never have the same target do not meet.
func TestContend(t *testing.T) {
	d := builtin(t, "h200")
	call := device.Call{Type: device.F64}
	us := func(name string, stream []uint32, bins uint64) float64 {
		s := scale(measure(stream, bins, 32, 256), 1<<8)
		cost, err := Predict(parse(t, name), &s, d, call)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range cost.Phases {
			if p.Name == "update" {
				return p.US
			}
		}
		t.Fatalf("%s has no update", name)
		return 0
	}
	apart := make([]uint32, 1<<14) // the lanes of a block differ
	for i := range apart {
		apart[i] = uint32(i % 1024)
	}
	few := make([]uint32, 1<<14) // each warp has the same 32 targets
	for i := range few {
		few[i] = uint32(i % 32)
	}
	alone, meeting := us("private", apart, 1024), us("private", few, 1024)
	if meeting < 1.1*alone {
		t.Errorf("%.1f us where warps meet, %.1f us where they do not", meeting, alone)
	}
	before := 0.0
	for _, name := range []string{"private:r=4,map=block", "private"} { // two warps, and eight, at a copy
		now := us(name, few, 32)
		if now < 1.03*before {
			t.Errorf("%s: %.1f us, with fewer warps at a copy %.1f us", name, now, before)
		}
		before = now
	}
	if one, all := overlapped(1), overlapped(1e9); one != 1 || math.Abs(all-1/addsPerTurn) > 1e-8 {
		t.Errorf("a lock is held for %v of a turn by one warp, %v by many", one, all)
	}
}
