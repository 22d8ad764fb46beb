package machine

import (
	"testing"

	"github.com/atomtune/atomtune/device"
)

// held lets one warp perform a turn from 0 on and another one a turn that begins
// at that cycle, on the same words, and reports whether the second warp's lanes
// all win.
func held(t *testing.T, name string, begin float64) bool {
	t.Helper()
	s := scratchpad(t, name, device.OpAdd, device.F32)
	var first, second request
	for _, r := range []*request{&first, &second} {
		lanes, err := s.sort(&r.groups, ownWords(32, nil))
		if err != nil {
			t.Fatal(err)
		}
		r.begin(&s.how, lanes, true, 0)
	}
	second.at = inTicks(begin)
	var unit sharedUnit
	first.advance(&unit, 0)
	early := second.at < first.at
	if early {
		second.advance(&unit, second.at)
	}
	first.advance(&unit, first.at)
	if !early {
		second.advance(&unit, second.at)
	}
	second.advance(&unit, second.at)
	if first.won != s.timing.full {
		t.Fatalf("%s: the first warp won lanes %x", name, first.won)
	}
	return second.won == s.timing.full
}

// TestHold finds how long a warp keeps another one out, which is shorter than
// its operation: on the GTX 580 from its read to its write, on the H200 by
// making stale what others read before its swap.
func TestHold(t *testing.T) {
	for _, c := range []struct {
		device    string
		from, end float64 // cycles in which a read comes too early
	}{
		{"gtx580", 2, 36 + 18}, // load and addition; later reads queue behind the write
		{"h200", 1, 33.69 + 5}, // load and addition
	} {
		for begin := c.from; begin < c.from+80; begin++ {
			if got, want := held(t, c.device, begin), begin >= c.end; got != want {
				t.Errorf("%s: a read at %v beside one at 0: wins %v, want %v", c.device, begin, got, want)
			}
		}
	}
}

// TestTwoWarps follows two warps on the same words of the GTX 580: the second
// one's first read waits for two cycles at the port, finds 32 locks taken and
// tries again 120 cycles later.
func TestTwoWarps(t *testing.T) {
	s := scratchpad(t, "gtx580", device.OpAdd, device.F32)
	p := ownWords(32, nil)
	run, err := s.Warps([][]int32{p, p}, 1)
	want := ScratchpadRun{Cycles: 2 + 120 + 108, Turns: 3, Refused: 32}
	if err != nil || run != want {
		t.Errorf("%+v, %v, want %+v", run, err, want)
	}
}
