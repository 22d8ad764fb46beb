package speedup

import (
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// copies are the private copies of a block in shared memory.
type copies struct {
	number             float64 // R
	ranges             float64 // G
	kind               impl.Reduction
	invPerWarp         float64 // 1 / copies that the lanes of one warp use
	spread             float64 // standard deviations by which the fullest of these is above the mean one
	share              float64 // of a block's warps that use one copy
	shared             bool    // a warp uses more than one copy
	cyclic             bool    // neighbouring lanes take neighbouring copies
	pad                uint32  // words between copies, less whole rows of banks
	bytes              float64 // R · size, shared memory per target
	padWords, padBytes float64
	sumUS              float64 // of one target in the flush

	// For copies (K+pad) mod banks = k apart, invBanks[k] is 1 / the number of different banks on
	// which the copies of a target lie that one warp uses, and ramp[k] the number of lanes on the
	// fullest bank where neighbouring lanes have neighbouring targets; nil where the lanes of a
	// warp do not take copies in turn.
	invBanks, ramp []float64

	native, merge, cas            bool    // the mechanism
	perBank                       bool    // it is a loop with a lock per bank
	base, round, bank, port, hold float64 // cycles
	write, locks                  float64 // cycles, and lock bits
}

// stride is the distance of neighbouring copies, less whole rows of banks.
func (c *copies) stride(st *stream) uint32 {
	return (uint32(uint64(st.bins)) + c.pad) % uint32(len(c.invBanks))
}

// fullest is how many standard deviations the highest of n normal numbers is above their mean, in the mean:
// sqrt(2·ln n) less about 0.6 from 2 to 32.
func fullest(n float64) float64 {
	if n < 2 {
		return 0
	}
	return math.Sqrt(2*math.Log(n)) - 0.6
}

// copiesOf prepares the private copies of an implementation. Where each lane adds
// the constant 1 for itself, the device may have a way of its own.
func (b *Bundle) copiesOf(v impl.Spec) copies {
	banks, words, r := int(b.banks), int(b.words), float64(v.R())
	k := copies{number: r, ranges: float64(v.G()), kind: v.Reduction, bytes: r * b.size,
		cyclic: v.Map != impl.Block}
	pad := v.Apart()
	k.pad, k.padWords = uint32(pad%banks), r*float64(pad)
	k.padBytes = k.padWords * b.size
	k.sumUS = (b.sharedLoad + r*(b.words*b.passPort+b.alu) + flushInstructions*b.alu) *
		b.cycle
	perWarp := min(r, b.lanes)
	if !k.cyclic {
		// A copy serves threads/R consecutive threads; blocks are taken to have 256.
		perWarp = max(1, min(perWarp, b.lanes*r/directThreads))
	}
	k.shared, k.invPerWarp, k.share = perWarp > 1, 1/perWarp, perWarp*(1/r)
	k.spread = fullest(perWarp)
	k.invBanks = make([]float64, banks)
	for i := range k.invBanks {
		k.invBanks[i] = 1 / min(perWarp, float64(banks/gcd(i*words%banks, banks)))
	}
	if k.shared && k.cyclic {
		k.ramp = fullestOfRamps(int(b.lanes)/words, int(perWarp), words, banks)
	}
	add := b.d.SharedUpdate(device.Call{Type: b.c.Type, Op: b.c.Op})
	if !v.Reduces() {
		add = b.d.SharedUpdate(b.c)
	}
	k.setAdd(add, b.words, r)
	return k
}

// setAdd sets the mechanism of the adds, to words of so many banks in so many copies.
func (k *copies) setAdd(add device.SharedAtomic, words, r float64) {
	m := add.Mechanism
	k.native, k.merge, k.cas, k.locks = m == device.Native, m == device.Merge, m == device.CAS,
		add.Locks.Value
	k.perBank = !k.native && !k.merge && !k.cas && k.locks <= float64(len(k.invBanks))
	k.base, k.round, k.bank = add.Base.Value, add.Round.Value, add.Bank.Value*words
	k.port, k.write, k.hold = add.Port.Value*words, add.WritePort.Value*words, add.Hold.Value*(1/r)
}

func gcd(a, b int) int {
	for a != 0 {
		a, b = b%a, a
	}
	return b
}

// add is what one warp's add in shared memory takes, by the lanes that wait for each other (rounds)
// and the different words in the fullest bank (degree): warp instructions, cycles of latency, and
// cycles of the port. A native atomic serves the lanes of a bank one by one, a merging one its
// words. A loop re-reads in every round what is still pending: with one lock per bank
// rounds·(degree+1)/2 times; with other locks only the first round has conflicts, rounds + degree -
//  1. It writes once a round.
//     latency = Base + (rounds-1)·Round + (reads-rounds)·Bank
//     port    = reads·Port + rounds·WritePort
func (c *copies) add(rounds, degree float64) (instructions, latency, port float64) {
	reads := rounds + degree - 1
	switch {
	case c.native:
		return atomicInstructions, c.base + (rounds-1)*c.round, rounds * c.port
	case c.merge:
		return atomicInstructions, c.base + (degree-1)*c.bank, degree * c.port
	case c.perBank:
		reads = rounds * 0.5 * (min(degree, rounds) + 1)
	}
	return swapInstructions * rounds, c.base + (rounds-1)*c.round + (reads-rounds)*c.bank,
		reads*c.port + rounds*c.write
}
