package speedup

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/device"
	"pgregory.net/rapid"
)

// TestFloor: no implementation is priced below the floor.
func TestFloor(t *testing.T) {
	priced := 0
	rapid.Check(t, func(t *rapid.T) {
		d, err := device.Builtin(rapid.SampledFrom(device.Names()).Draw(t, "device"))
		if err != nil {
			t.Fatal(err)
		}
		s := repeated(drawShort(t, int(d.Core.WarpLanes.Value)), drawFactor(t))
		c := rapid.SampledFrom(calls()).Draw(t, "call")
		for _, v := range candidates() {
			m, err := Compile(v, d, c)
			if err != nil {
				continue
			}
			us, floor := m.US(&s), m.b.Floor(&s)
			if !(us >= floor.US*(1-1e-9)) { // sums in another order round otherwise
				t.Fatalf("%s on %s %+v: %v us, floor %+v", v, d.Name, c, us, floor)
			}
			priced++
		}
	})
	if priced < cases(500) {
		t.Errorf("%d priced", priced)
	}
}

// TestFloorByHand: a million updates of 4-byte targets on the H200, counted by hand.
func TestFloorByHand(t *testing.T) {
	d := builtin(t, "h200")
	s := scale(measure(uniform(4096, 1<<20, 1), 1<<20, 32), 1<<8) // 2^20 updates
	unique := float64(s.Unique)
	for _, c := range []struct {
		call  device.Call
		bytes float64
	}{
		{device.Call{}, 8<<20 + 4<<20},
		{device.Call{Operand: device.One}, 4<<20 + 4<<20},
		{device.Call{Returns: true}, 12<<20 + 4<<20},
		{device.Call{Type: device.F64, Keeps: true}, 12<<20 + 16*unique},
	} {
		b, err := CompileAll(nil, d, c.call)
		if err != nil {
			t.Fatal(err)
		}
		want := d.Launch.First.Value + c.bytes/d.Memory.L2Rate.Value*1e6
		if f := b.Floor(&s); f.Bytes != c.bytes || math.Abs(f.US-want) > 1e-9*want {
			t.Errorf("%+v: %+v, want %v bytes in %v us", c.call, f, c.bytes, want)
		}
	}
}
