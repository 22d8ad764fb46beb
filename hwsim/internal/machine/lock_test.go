package machine

import (
	"testing"

	"github.com/atomtune/atomtune/device"
)

// held lets one warp perform an iteration from 0 on and another one an iteration that begins
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
	want := ScratchpadRun{Cycles: 2 + 120 + 108, Iterations: 3, Refused: 32}
	if err != nil || run != want {
		t.Errorf("%+v, %v, want %+v", run, err, want)
	}
}

// on begins an operation of one warp on a pattern, at that cycle.
func on(t *testing.T, s *Scratchpad, pattern []int32, begin float64) *request {
	t.Helper()
	r := new(request)
	lanes, err := s.sort(&r.groups, pattern)
	if err != nil {
		t.Fatal(err)
	}
	r.begin(&s.how, lanes, lanes == s.timing.full, inTicks(begin))
	return r
}

// until performs the stages that are due before that cycle, or all of an iteration up to its last one. It
// returns when the last of them began, in ticks.
func (r *request) until(u *sharedUnit, cycle float64, last stage) (start int64) {
	for stop := false; !stop && r.due != dueNothing && r.at < inTicks(cycle); {
		stop, start = r.due == last, r.at
		r.advance(u, start)
	}
	return start
}

// only is a pattern of one lane.
func only(word int32) []int32 {
	p := make([]int32, 32)
	for l := range p {
		p[l] = -1
	}
	p[0] = word
	return p
}

// TestConflictsTakeNoLock: a read whose lanes meet on a bank takes its locks when it has resolved
// that, t_bank later on the GTX 580. Another warp comes before it until then, and not after.
func TestConflictsTakeNoLock(t *testing.T) {
	s := scratchpad(t, "gtx580", device.OpAdd, device.F32)
	conflict := ownWords(32, nil)
	conflict[1] = 32 // on the bank of word 0
	for _, c := range []struct {
		begin float64
		first bool
	}{{10, true}, {31, true}, {33, false}, {40, false}} {
		var unit sharedUnit
		slow, quick := on(t, s, conflict, 0), on(t, s, only(0), c.begin)
		slow.until(&unit, 1, dueRead)
		slow.until(&unit, c.begin, dueLocks)
		quick.until(&unit, c.begin+1, dueRead)
		slow.until(&unit, 33, dueLocks)
		if got := quick.won != 0; got != c.first {
			t.Errorf("a read at %v beside one that reaches its words at 32: wins %v", c.begin, got)
		}
		if got := slow.won&1 != 0; got == c.first {
			t.Errorf("beside a read at %v the one with a conflict gets word 0: %v", c.begin, got)
		}
	}
}

// TestLocksAreFreedByPass: the words of a bank are written one after the other, and each frees its
// lock when it is written, not when the write starts.
func TestLocksAreFreedByPass(t *testing.T) {
	s := scratchpad(t, "gtx580", device.OpAdd, device.F32)
	conflict := ownWords(32, nil)
	conflict[1] = 32
	var unit sharedUnit
	r := on(t, s, conflict, 0)
	start := r.until(&unit, 1000, dueWrite)
	if inCycles(start) != 32+36+18 {
		t.Fatalf("the write starts at %v", inCycles(start))
	}
	for word, want := range map[int]float64{0: 2, 2: 2, 32: 2 + 32} {
		if got := inCycles(unit.locked[word] - start); got != want {
			t.Errorf("word %d is free %v cycles after the start of the write, want %v", word, got, want)
		}
	}
}

// TestRefusedWritesNothing: a warp that gets no lock takes nothing of the port to write, and as
// long as an iteration that adds.
func TestRefusedWritesNothing(t *testing.T) {
	s := scratchpad(t, "gtx580", device.OpAdd, device.F32)
	var unit sharedUnit
	holder, other := on(t, s, only(7), 0), on(t, s, only(7), 4)
	holder.until(&unit, 1, dueRead)
	other.until(&unit, 5, dueRead)
	free := unit.port.free
	other.until(&unit, 100, dueWrite)
	if other.won != 0 || unit.port.free != free || inCycles(other.at) != 4+120 {
		t.Errorf("lanes %x win, the port is free at %v, the next turn begins at %v", other.won,
			inCycles(unit.port.free), inCycles(other.at))
	}
}
