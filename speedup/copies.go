package speedup

import (
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// copies are the private copies of a block in shared memory.
type copies struct {
	number             float64 // R
	inverse            float64 // 1/R
	invFull            float64 // 1 / copies that the lanes of one warp use
	share              float64 // of a block's warps that use one copy
	shared             bool    // a warp uses more than one copy
	cyclic             bool    // neighbouring lanes take neighbouring copies
	pad                uint32  // words between copies, less whole rows of banks
	bytes              float64 // R · size, shared memory per target
	padWords, padBytes float64
	// invShift[k] is 1 / the number of different banks on which the copies of a
	// target lie that one warp uses, for copies (K+pad) mod banks = k apart.
	invShift []float64

	// ramp[k] is the number of lanes that fall on the fullest bank where neighbouring
	// lanes have neighbouring targets, for copies (K+pad) mod banks = k apart; nil where
	// the lanes of a warp do not take copies in turn.
	ramp []float64

	sumUS float64 // of one target in the flush

	way                           addWay
	base, round, bank, port, hold float64 // cycles
	write, lock                   float64 // cycles, and lock bits

	leastTries, leastLatency float64 // instructions and cycles of a warp's add, at least
}

// need is the shared memory that the copies take in a block, in bytes.
func (c *copies) need(st *stream) float64 { return st.bins*c.bytes + c.padBytes }

// addWay is how a shared memory adds atomically, as far as formulas differ.
type addWay uint8

const (
	addNative addWay = iota // lanes of a bank one by one
	addMerge                // different words of a bank one by one
	addByBank               // a loop with a lock per bank
	addByLock               // a loop with more locks than banks
	addCAS                  // a loop that waits for equal targets only
)

func wayOf(a device.SharedAtomic, banks float64) addWay {
	switch {
	case a.Mechanism == device.Merge:
		return addMerge
	case a.Mechanism == device.CAS:
		return addCAS
	case a.Mechanism == device.Native:
		return addNative
	case a.Locks.Value <= banks:
		return addByBank
	}
	return addByLock
}

// copiesOf prepares the private form of an implementation. Where each lane adds
// the constant 1 for itself, the device may have a way of its own.
func copiesOf(v variant.Variant, d *device.Profile, c device.Call) copies {
	lanes, banks := d.Core.WarpLanes.Value, int(d.Shared.Banks.Value)
	size := float64(c.Type.Bytes())
	words := math.Ceil(size / d.Shared.BankBytes.Value)
	k := copies{number: float64(v.R()), pad: uint32(v.Pad % banks), bytes: float64(v.R()) * size}
	k.inverse, k.padWords = 1/k.number, float64(v.R()*v.Pad)
	k.padBytes = k.padWords * size
	perWarp := smaller(k.number, lanes)
	if v.Map == variant.Block {
		// A copy serves threads/R consecutive threads; blocks have at least 256.
		perWarp = larger(1, smaller(perWarp, lanes*k.number/256))
	}
	k.cyclic = v.Map != variant.Block
	k.shared, k.invFull, k.share = perWarp > 1, 1/perWarp, perWarp*k.inverse
	k.invShift = make([]float64, banks)
	for i := range k.invShift {
		stride := i * int(words) % banks
		k.invShift[i] = 1 / smaller(perWarp, float64(banks/gcd(stride, banks)))
	}
	if k.shared && k.cyclic {
		k.ramp = fullestOfRamps(int(lanes/words), int(perWarp), int(words), banks)
	}
	add := d.SharedUpdate(device.Call{Type: c.Type, Op: c.Op})
	if v.Reduction == variant.None {
		add = d.SharedUpdate(c)
	}
	k.way, k.base, k.round, k.bank = wayOf(add, float64(banks)), add.Base.Value, add.Round.Value, add.Bank.Value*words
	k.port, k.write = add.Port.Value*words, add.WritePort.Value*words
	k.hold, k.lock = add.Hold.Value*k.inverse, add.Locks.Value
	k.setLeast(lanes)
	return k
}

// setLeast prepares what an add takes where no lane waits for another: one round,
// one word in each bank. Rounding may leave a little less.
func (c *copies) setLeast(lanes float64) {
	c.leastTries, c.leastLatency, _ = c.add(1, 1)
	c.leastTries *= rounded
	c.leastLatency = larger(0, c.leastLatency-(1-rounded)*(c.base+c.round+lanes*c.bank))
}

func gcd(a, b int) int {
	for a != 0 {
		a, b = b%a, a
	}
	return b
}

// add is what one warp's add in shared memory takes, by the lanes that wait for
// each other (rounds) and the different words in the fullest bank (degree): warp
// instructions, cycles of latency, and cycles of the port.
//
// A loop re-reads in every round what is still pending. With one lock per bank
// the words pending in a bank fall from degree to 1, so the port reads
// rounds·(degree+1)/2 times; with other locks only the first round has conflicts,
// rounds + degree - 1 times. It writes once a round.
//
//	latency = Base + (rounds-1)·Round + (reads-rounds)·Bank
//	port    = reads·Port + rounds·WritePort
func (c *copies) add(rounds, degree float64) (instructions, latency, port float64) {
	var reads float64
	switch c.way {
	case addNative:
		return c.addDirect(rounds)
	case addMerge:
		return atomicInstructions, c.base + (degree-1)*c.bank, degree * c.port
	case addByBank:
		reads = rounds * 0.5 * (smaller(degree, rounds) + 1)
	default:
		reads = rounds + degree - 1
	}
	return swapInstructions * rounds, c.base + (rounds-1)*c.round + (reads-rounds)*c.bank,
		reads*c.port + rounds*c.write
}

// addDirect is add where the lanes of a bank are served one by one.
func (c *copies) addDirect(rounds float64) (instructions, latency, port float64) {
	return atomicInstructions, c.base + (rounds-1)*c.round, rounds * c.port
}
