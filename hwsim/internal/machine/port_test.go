package machine

import (
	"testing"

	"github.com/atomtune/atomtune/device"
)

// onBankZero returns a pattern whose first lanes want different words of bank 0, the others own
// words of other banks.
func onBankZero(lanes int) []int32 {
	change := map[int]int32{}
	for l := range lanes {
		change[l] = int32(32 * l)
	}
	return ownWords(32, change)
}

// TestPortIsBusy: other warps' accesses wait for every pass of a read, and for every pass of a
// write.
func TestPortIsBusy(t *testing.T) {
	for _, c := range []struct {
		device string
		op     device.Operation
		typ    device.Type
		writes func(lanes int) int64 // passes
	}{
		{"gtx580", device.OpAdd, device.F32, func(n int) int64 { return int64(n) }},
		{"c2075", device.OpAdd, device.U32, func(n int) int64 { return int64(n) }},
		{"h200", device.OpCASLoop, device.U32, func(n int) int64 { return int64(n) }},
		{"h200", device.OpAdd, device.F32, func(int) int64 { return 1 }}, // a lock for each bank
		{"h200", device.OpAdd, device.U32, nil},                          // does not loop
	} {
		s := scratchpad(t, c.device, c.op, c.typ)
		for _, lanes := range []int{1, 2, 5, 16} {
			var unit sharedUnit
			r := on(t, s, onBankZero(lanes), 0)
			r.advance(&unit, 0)
			if got, want := unit.port.take(0, 0), int64(lanes)*s.how.readPort; got != want || want == 0 {
				t.Errorf("%s %s, %d words of a bank: the read keeps the port for %d ticks, want %d",
					c.device, c.op, lanes, got, want)
			}
			if c.writes == nil {
				continue
			}
			start := r.until(&unit, 1000, dueWrite)
			if got, want := unit.port.take(0, 0)-start, c.writes(lanes)*s.how.writePort; got != want ||
				want == 0 {
				t.Errorf("%s %s, %d words of a bank: the write keeps the port for %d ticks, want %d",
					c.device, c.op, lanes, got, want)
			}
		}
	}
}

// TestLockIsHeldThroughTheWrite: where two words of a bank are written one after the other, the
// lock of the second stays taken until its own pass is done, though the port is free before: a
// read of another warp that comes in between goes without.
func TestLockIsHeldThroughTheWrite(t *testing.T) {
	for _, name := range []string{"gtx580", "c2075"} {
		s := scratchpad(t, name, device.OpAdd, device.F32)
		end := s.how.writePort + s.how.writePass
		refused := 0
		for later := int64(0); later < 2*end; later += max(1, s.how.writePort/2) {
			var unit sharedUnit
			first := on(t, s, onBankZero(2), 0)
			start := first.until(&unit, 1000, dueWrite)
			free := unit.port.take(0, 0)
			second := on(t, s, only(32), 0) // the second word of bank 0
			second.advance(&unit, start+later)
			won := second.won != 0
			if want := max(start+later, free) >= start+end; won != want {
				t.Errorf("%s: a read %d ticks after a write began has the lock: %t; the write takes %d",
					name, later, won, end)
			}
			if !won {
				refused++
			}
		}
		if refused < 4 {
			t.Errorf("%s: only %d reads were refused", name, refused)
		}
	}
}
