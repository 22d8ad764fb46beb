package speedup

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/device"
)

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
