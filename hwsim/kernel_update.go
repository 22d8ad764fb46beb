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
	how   implementation
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

func newUpdater(name string, args int, v variant.Variant, call device.Call, lanes int) *updater {
	u := &updater{builder: newBuilder(name, args), v: v, call: call, lanes: uint64(lanes)}
	u.how, _ = implementationOf(v)
	u.laneID = u.lane()
	return u
}

// updateKernel assembles the main kernel of the naive and reduced-collision
// implementations: a grid-stride loop over the stream, in which each warp
// loads an index and a value per lane, reduces them if asked to, and adds.
func updateKernel(v variant.Variant, call device.Call, lanes int) *program {
	u := newUpdater(v.String(), updateArgs, v, call, lanes)
	u.masks()
	if u.how.open != nil {
		u.how.open(u)
	}
	warp, warps := u.gridWarps()
	stride := u.mul(warps, imm(u.lanes))
	u.at = u.add(u.mul(warp, imm(u.lanes)), u.laneID)
	u.draw(func() (group, groups operand) { return warp, warps })
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
	if u.how.close != nil {
		u.how.close(u)
	}
	return u.done()
}

// loop launches the kernel that loops over the stream.
func (s *session) loop() error {
	p := updateKernel(s.variant, s.call, s.machine.lanes)
	return s.launch(s.shaped(s.variant, s.grid, p, s.updates, s.bins, s.seed))
}

// masks prepares what the warp reduction needs of the lane's place in the warp.
func (u *updater) masks() {
	if u.how.masks != nil {
		u.how.masks(u)
	}
}

// draw opens the warp reduction's random sequence, if it has one.
func (u *updater) draw(place func() (group, groups operand)) {
	if u.how.draw != nil {
		group, groups := place()
		u.how.draw(u, group, groups)
	}
}

// reduceAndAdd reduces the warp's updates and adds what is left.
func (u *updater) reduceAndAdd(index, value operand) { u.how.reduce(u, index, value) }

// addOne lets every active lane add its value.
func (u *updater) addOne(index, value operand) { u.how.add(u, index, value) }

func (u *updater) laneMasks() {
	u.own = u.shl(imm(1), u.laneID)
	u.below = u.sub(u.own, imm(1))
	u.upTo = u.or(u.own, u.below)
}

func (u *updater) runMasks() {
	u.laneMasks()
	u.left = u.sub(u.laneID, imm(1))
	u.notFirst = u.differ(u.laneID, imm(0))
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

// addGlobal adds to the targets, and stores the old values if the call returns
// them.
func (u *updater) addGlobal(index, value operand) {
	if u.call.Returns {
		u.store(bufReturn, u.at, u.atomicReturn(bufTarget, index, value))
		return
	}
	u.atomic(bufTarget, false, index, value)
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
