package synth

import (
	"math/bits"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// permutation is a keyed bijection of [0, k) that needs no table: a balanced
// Feistel network over the next even number of bits, walked until the value
// falls below k. That takes fewer than four turns on average.
type permutation struct {
	k    uint32
	half uint // bits of each half
	mask uint64
	keys [6]uint64
}

func newPermutation(k uint32, r *Rand) permutation {
	half := max(1, (uint(bits.Len32(k-1))+1)/2)
	p := permutation{k: k, half: half, mask: 1<<half - 1}
	for i := range p.keys {
		p.keys[i] = r.Uint64()
	}
	return p
}

// at returns the image of i, which is below k.
func (p *permutation) at(i uint32) uint32 {
	v := uint64(i)
	for {
		left, right := v>>p.half, v&p.mask
		for _, key := range p.keys {
			left, right = right, left^splitmix.Mix(right^key)&p.mask
		}
		v = left<<p.half | right
		if v < uint64(p.k) {
			return uint32(v)
		}
	}
}
