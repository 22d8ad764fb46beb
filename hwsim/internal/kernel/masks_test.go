package kernel

import (
	"math/bits"
	"testing"

	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// TestHashedMasks: a warp adds once for each key, and takes as many iterations as keys meet on one place.
func TestHashedMasks(t *testing.T) {
	var onePlace, apart []uint32
	used := map[uint32]bool{}
	for key := uint32(0); len(onePlace) < 8 || len(apart) < 8; key++ {
		place := key * splitmix.Knuth >> (33 - bits.Len(impl.MaskPlaces))
		if place == 0 && len(onePlace) < 8 {
			onePlace = append(onePlace, key)
		}
		if !used[place] && len(apart) < 8 {
			used[place], apart = true, append(apart, key)
		}
	}
	for want, keys := range map[int][]uint32{8: onePlace, 1: apart} {
		warp := make([]uint32, 32)
		for l := range warp {
			warp[l] = keys[l*5%8]
		}
		masked, iterations, adds := 0, 0, 0
		watched(t, kernelProfile(t, "gtx980"), impl.Spec{Reduction: impl.Peers, Masks: impl.Hash},
			warp, 1, 0, func(in machine.Instruction, lanes int) {
				switch in.Op {
				case machine.OpAtomicShared:
					masked += lanes
					iterations++
				case machine.OpAtomic:
					adds += lanes
				}
			})
		if masked != 32 || iterations != want || adds != 8 {
			t.Errorf("%v: %d lanes in %d turns, %d adds", keys, masked, iterations, adds)
		}
	}
}
