package speedup

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
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

// TestPadding: a stream takes no less than its updates alone, close together, and no more than a
// stream of as many positions that all update. The floor reads the indices of padding.
func TestPadding(t *testing.T) {
	const n, k = 1 << 20, 1 << 12
	d := builtin(t, "h200")
	r := rand.New(rand.NewPCG(1, 2))
	all, some := make([]uint32, n), make([]uint32, n)
	var active []uint32
	for i := range all {
		all[i] = r.Uint32N(k)
		if some[i] = all[i]; r.IntN(2) == 0 {
			some[i] = collision.Inactive
		} else {
			active = append(active, all[i])
		}
	}
	stats := func(indices []uint32, padded bool) *collision.Stats {
		s, err := collision.Analyze(indices, collision.Options{Bins: k, Padded: padded})
		if err != nil {
			t.Fatal(err)
		}
		return &s
	}
	padded, dense, full := stats(some, true), stats(active, false), stats(all, false)
	if padded.Updates != dense.Updates || padded.Positions() != n {
		t.Fatalf("%d updates of %d positions", padded.Updates, padded.Positions())
	}
	checked := 0
	for _, v := range impl.Candidates() {
		for _, c := range []device.Call{{}, {Type: device.F64}, {Type: device.F32, Operand: device.One}} {
			us := func(s *collision.Stats) float64 {
				cost, err := Predict(v, s, d, c)
				if err != nil {
					return 0
				}
				return cost.US
			}
			least, got, most := us(dense), us(padded), us(full)
			if least == 0 {
				continue
			}
			checked++
			if got < least*0.99 || got > most*1.001 {
				t.Errorf("%s %+v: %v us, want %v, of the updates alone, to %v, of as many positions", v, c,
					got, least, most)
			}
		}
	}
	if checked < 40 {
		t.Errorf("checked %d calls", checked)
	}
	b, err := CompileAll(nil, d, device.Call{Type: device.F64})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := b.Floor(padded).Bytes, b.Floor(dense).Bytes+4*float64(padded.Ignored); got != want {
		t.Errorf("the floor reads and writes %v bytes, want %v", got, want)
	}
}
