package machine

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
)

// contending returns the patterns of an experiment: the first lanes of the
// first colliding warps share words with these warps, lane by lane; degree lanes
// of a warp share a word.
func contending(warps, colliding, lanes, degree int) [][]int32 {
	all := make([][]int32, warps)
	for w := range all {
		all[w] = make([]int32, 32)
		for l := range all[w] {
			all[w][l] = int32(l / degree)
			if w >= colliding || l >= lanes {
				all[w][l] += int32(32 * (1 + w))
			}
		}
	}
	return all
}

const repeats = 64

// perOperation returns the cycles of all warps over the operations of all.
func perOperation(t *testing.T, s *Scratchpad, warps [][]int32) float64 {
	t.Helper()
	run, err := s.Warps(warps, repeats)
	if err != nil {
		t.Fatal(err)
	}
	return run.Cycles / repeats / float64(len(warps))
}

// TestPositionHalvesThroughput is a finding of [gomezluna13] section 2.1.1:
// from degree 4 on, each doubling halves the throughput.
func TestPositionHalvesThroughput(t *testing.T) {
	s := scratchpad(t, "gtx580", device.OpAdd, device.F32)
	for _, warps := range []int{1, 4, 16, 24} {
		before := perOperation(t, s, contending(warps, 0, 0, 4))
		for _, degree := range []int{8, 16, 32} {
			now := perOperation(t, s, contending(warps, 0, 0, degree))
			if ratio := now / before; math.Abs(ratio-2) > 0.2 {
				t.Errorf("%d warps, degree %d: throughput falls by %.3f, want 2", warps, degree, ratio)
			}
			before = now
		}
	}
}

// TestInterwarpConflicts are the findings of [gomezluna13] section 2.2: the
// throughput does not depend on how many lanes of a warp collide with other
// warps, it falls with the number of warps that collide, and less than by
// conflicts of as many lanes within the warps.
func TestInterwarpConflicts(t *testing.T) {
	s := scratchpad(t, "gtx580", device.OpAdd, device.F32)
	for _, warps := range []int{4, 8, 16, 24} {
		before := perOperation(t, s, contending(warps, 1, 32, 1))
		for colliding := 2; colliding <= warps; colliding *= 2 {
			all := perOperation(t, s, contending(warps, colliding, 32, 1))
			for _, lanes := range []int{1, 2, 8, 16} {
				if few := perOperation(t, s, contending(warps, colliding, lanes, 1)); math.Abs(
					few/all-1) > 0.05 {
					t.Errorf("%d of %d warps collide: %.2f cycles with %d lanes, %.2f with 32", colliding, warps,
						few, lanes, all)
				}
			}
			if all <= before {
				t.Errorf("%d of %d warps collide: %.2f cycles, %.2f when half as many do", colliding, warps,
					all, before)
			}
			if within := perOperation(t, s, contending(warps, 0, 0, colliding)); all >= within {
				t.Errorf("%d of %d warps collide: %.2f cycles, conflicts of that degree within the warp %.2f",
					colliding, warps, all, within)
			}
			before = all
		}
	}
}

// TestAloneAmongNone checks that several operations of one warp take what one
// takes so often, and that nothing refuses it.
func TestAloneAmongNone(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	p := make([]int32, 32)
	for _, c := range []struct {
		device string
		op     device.Operation
		typ    device.Type
	}{
		{"gtx580", device.OpAdd, device.F32}, {"gtx680", device.OpAdd, device.F64},
		{"h200", device.OpAdd, device.U32},
		{"h200", device.OpAdd, device.F32}, {"h200", device.OpAdd, device.F64},
		{"h200", device.OpCASLoop, device.U32},
	} {
		s := scratchpad(t, c.device, c.op, c.typ)
		for range 50 {
			patterns.Space{Words: 1 << rng.IntN(12), Kind: patterns.Kind(rng.IntN(6))}.Draw(rng, p)
			p[rng.IntN(32)] = 0 // one active lane at least
			one, err := s.Warp(p)
			if err != nil {
				t.Fatal(err)
			}
			run, err := s.Warps([][]int32{p}, 5)
			if err != nil || math.Abs(run.Cycles-5*one) > 1e-6*one || run.Refused != 0 || run.Iterations < 5 ||
				run.Iterations%5 != 0 {
				t.Fatalf("%s %s on %s over %v: %+v, %v, once %v cycles", c.device, c.op, c.typ, p, run, err,
					one)
			}
		}
	}
}

func TestGap(t *testing.T) {
	s := scratchpad(t, "h200", device.OpAdd, device.U32)
	p := [][]int32{ownWords(32, nil)}
	plain, err := s.Warps(p, 10)
	if err != nil {
		t.Fatal(err)
	}
	s.GapCycles = 7.5
	gaps, err := s.Warps(p, 10)
	if err != nil || gaps.Cycles != plain.Cycles+9*7.5 {
		t.Errorf("%v cycles, %v, want %v and nine gaps of 7.5", gaps.Cycles, err, plain.Cycles)
	}
}
