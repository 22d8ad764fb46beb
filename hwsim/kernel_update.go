package hwsim

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// The buffers that every call has. Sorting adds its own behind them.
const (
	bufTarget = iota
	bufIndex
	bufValue
	bufReturn
	bufScratch
)

// bufFactor is the buffer of the second operands of mad, which no scratch is
// needed for.
const bufFactor = bufScratch

// The arguments of an update kernel.
const (
	argUpdates = iota
	argBins
	argSeed
	updateArgs
)

// updater assembles the kernels that loop over the stream and add.
type updater struct {
	*builder
	v     variant.Variant
	call  device.Call
	lanes uint64

	laneID   operand
	own      operand // mask of this lane alone
	below    operand // mask of the lanes below this one
	upTo     operand // mask of the lanes up to this one
	left     operand // sr: number of the lane to the left
	notFirst operand // sr, predicate: there is such a lane
	copyAt   operand // private: where the thread's copy begins
	state    operand // vr: this turn's element of the random sequence
	advance  operand // vr: from one turn's element to the next one's
	inside   operand // predicate: this turn's update lies within the stream
	active   operand // ballot of inside
	at       operand // number of this turn's update
}

// updateKernel assembles the main kernel of the naive and reduced-collision
// implementations: a grid-stride loop over the stream, in which each warp
// loads an index and a value per lane, reduces them if asked to, and adds.
func updateKernel(v variant.Variant, call device.Call, lanes int) *program {
	u := &updater{builder: newBuilder(v.String(), updateArgs), v: v, call: call, lanes: uint64(lanes)}
	u.laneID = u.lane()
	u.masks()
	if v.Base == variant.Private {
		u.openCopies()
	}
	warp := u.add(u.mul(scalarReg(scalarBlock), scalarReg(scalarWarps)), scalarReg(scalarWarp))
	warps := u.mul(scalarReg(scalarBlocks), scalarReg(scalarWarps))
	stride := u.mul(warps, imm(u.lanes))
	u.at = u.add(u.mul(warp, imm(u.lanes)), u.laneID)
	if v.Reduction == variant.VR {
		u.openSequence(warp, warps)
	}
	u.loop(func() {
		u.inside = u.less(u.at, u.arg(argUpdates))
		u.leaveUnless(u.inside)
		index := u.load(bufIndex, u.at)
		value := u.operandValue(u.at)
		if call.Op == device.Mad {
			u.second = u.secondValue(u.at)
		}
		u.reduceAndAdd(index, value)
		u.inc(u.at, stride)
	})
	if v.Base == variant.Private {
		u.flushCopies()
	}
	return u.done()
}

// masks prepares what the warp reductions need of the lane's place in the warp.
func (u *updater) masks() {
	if u.v.Reduction == variant.None {
		return
	}
	u.own = u.shl(imm(1), u.laneID)
	u.below = u.sub(u.own, imm(1))
	u.upTo = u.or(u.own, u.below)
	if u.v.Reduction == variant.SR {
		u.left = u.sub(u.laneID, imm(1))
		u.notFirst = u.differ(u.laneID, imm(0))
	}
}

// operandValue loads what each lane adds, or makes the constant 1.
func (u *updater) operandValue(at operand) operand {
	if u.call.Operand == device.Loaded {
		return u.load(bufValue, at)
	}
	one := u.vec()
	u.mov(one, imm(oneOf(u.call.Type)))
	return one
}

// secondValue loads the second operands of mad, or makes the constant 1.
func (u *updater) secondValue(at operand) operand {
	if u.call.Operand == device.Loaded {
		return u.load(bufFactor, at)
	}
	return imm(oneOf(u.call.Type))
}

// made returns what a target holds after the updates of a partial result.
func made(b *builder, call device.Call, total operand) operand {
	if call.Op != device.Div {
		return total
	}
	return b.calc(opMakeT, imm(cleared(call)), total)
}

func (u *updater) wide() bool { return u.call.Type.Bytes() == 8 }

// addOne lets every active lane add its value.
func (u *updater) addOne(index, value operand) {
	switch {
	case u.v.Base == variant.Private && u.v.Reduction == variant.None && u.call.Operand == device.One:
		u.countShared(u.wide(), false, u.add(u.copyAt, index), value)
	case u.v.Base == variant.Private:
		u.atomicShared(u.wide(), u.add(u.copyAt, index), value)
	case u.call.Returns:
		u.store(bufReturn, u.at, u.atomicReturn(bufTarget, index, value))
	default:
		u.atomic(bufTarget, false, index, value)
	}
}

func (u *updater) reduceAndAdd(index, value operand) {
	switch u.v.Reduction {
	case variant.None:
		u.addOne(index, value)
	case variant.SR:
		u.active = u.ballot(u.inside)
		u.scanAndReduce(index, value)
	case variant.VR:
		u.active = u.ballot(u.inside)
		u.voteAndReduce(index, value)
	case variant.Peers:
		u.active = u.ballot(u.inside)
		u.reducePeers(index, value, u.claimPeers(index))
	case variant.Match:
		u.reducePeers(index, value, u.unary(u.vec(), opMatch, index))
	}
}

// openCopies zeroes the block's copies and finds the thread's own,
// [gomezluna13] offsets (1) and (2).
func (u *updater) openCopies() {
	step := u.add(u.arg(argBins), imm(uint64(u.v.Pad)))
	threads := u.mul(scalarReg(scalarWarps), imm(u.lanes))
	thread := u.tid()
	u.scoped(func() {
		total := u.mul(step, imm(uint64(u.v.R())))
		k := u.vec()
		u.mov(k, thread)
		u.loop(func() {
			u.leaveUnless(u.less(k, total))
			u.storeShared(u.wide(), k, imm(neutral(u.call)))
			u.inc(k, threads)
		})
	})
	u.barrier()
	which := u.vec()
	if u.v.Map == variant.Block {
		// floor(thread·R/N), which is floor(thread/(N/R)) where R divides N.
		u.to(which, opShr, u.mul(thread, imm(uint64(u.v.R()))), u.unary(u.uni(), opFls, threads))
	} else {
		u.remainder(which, thread, uint64(u.v.R()))
	}
	u.copyAt = u.mul(which, step)
}

// remainder computes a mod n: a mask where n is a power of two, and otherwise
// a multiplication by the reciprocal, exact for the thread numbers of a block.
func (u *updater) remainder(dst, a operand, n uint64) {
	if n&(n-1) == 0 {
		u.to(dst, opAnd, a, imm(n-1))
		return
	}
	quotient := u.shr(u.mul(a, imm((1<<32)/n+1)), imm(32))
	u.to(dst, opSub, a, u.mul(quotient, imm(n)))
}

// flushCopies sums each target's copies and adds the sums that are not zero, or whatever no updates leave,
// to the global targets.
func (u *updater) flushCopies() {
	u.barrier()
	step := u.add(u.arg(argBins), imm(uint64(u.v.Pad)))
	threads := u.mul(scalarReg(scalarWarps), imm(u.lanes))
	k := u.tid()
	u.loop(func() {
		u.leaveUnless(u.less(k, u.arg(argBins)))
		total := u.loadShared(u.wide(), k)
		place := u.vec()
		u.mov(place, k)
		for range u.v.R() - 1 {
			u.scoped(func() {
				u.inc(place, step)
				u.to(total, opAddT, total, u.loadShared(u.wide(), place))
			})
		}
		u.when(u.differ(total, imm(neutral(u.call))), func() { u.atomic(bufTarget, false, k, total) }, nil)
		u.inc(k, threads)
	})
}

// clearTarget is the name of the kernel that clears the targets.
const clearTarget = "clear targets"

// clearKernel sets a buffer of as many elements as its argument says.
func clearKernel(buf, lanes int, value uint64) *program {
	name := "clear scratch"
	if buf == bufTarget {
		name = clearTarget
	}
	b := newBuilder(name, 1)
	warp := b.add(b.mul(scalarReg(scalarBlock), scalarReg(scalarWarps)), scalarReg(scalarWarp))
	stride := b.mul(b.mul(scalarReg(scalarBlocks), scalarReg(scalarWarps)), imm(uint64(lanes)))
	k := b.add(b.mul(warp, imm(uint64(lanes))), b.lane())
	b.loop(func() {
		b.leaveUnless(b.less(k, b.arg(0)))
		b.store(buf, k, imm(value))
		b.inc(k, stride)
	})
	return b.done()
}
