package kernel

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// The buffers that every call has. Sorting adds its own behind them.
const (
	BufTarget = iota
	BufIndex
	BufValue
	BufReturn
	bufScratch

	BufFactor = bufScratch // the second operands of mad, which no scratch is needed for
)

const (
	ArgUpdates = iota
	ArgBins    // of private copies: targets that a block has
	argSeed
	UpdateArgs
)

type operand = machine.Operand

func imm(v uint64) operand { return machine.Imm(v) }

// Updater assembles the kernels that loop over the stream and add.
type Updater struct {
	*machine.Builder
	Implementation impl.Spec
	how            implementation
	call           device.Call
	Lanes          uint64
	threads        uint64 // of a block; 0: not known, a power of two

	counting bool // in the first of two passes, which returns no old values

	LaneID   operand
	own      operand // mask of this lane alone
	below    operand // mask of the lanes below this one
	upTo     operand // mask of the lanes up to this one
	Left     operand // sr: number of the lane to the left
	NotFirst operand // sr, predicate: there is such a lane
	CopyAt   operand // private: where the thread's copy begins
	rangeAt  operand // private: the first target of the block's range, if there are ranges
	State    operand // vr: this iteration's element of the random sequence
	placesAt operand // peers, masks=hash: where the warp's places in shared memory begin
	Advance  operand // vr: from one iteration's element to the next one's
	Inside   operand // predicate: this iteration's update lies within the stream
	Active   operand // ballot of inside
	At       operand // number of this iteration's update
	exchange exchange
}

func NewUpdater(name string, args int, v impl.Spec, call device.Call, lanes int) *Updater {
	u := &Updater{Builder: machine.NewBuilder(name, args), Implementation: v, how: ImplementationOf(v),
		call: call, Lanes: uint64(lanes)}
	u.LaneID = u.Lane()
	return u
}

// updateKernel assembles the main kernel of the naive and reduced-collision
// implementations: a grid-stride loop over the stream, in which each warp
// loads an index and a value per lane, reduces them if asked to, and adds.
func updateKernel(v impl.Spec, call device.Call, lanes int,
	shape device.Shape) *machine.Program {
	u := NewUpdater(v.String(), UpdateArgs, v, call, lanes)
	u.threads = uint64(shape.Threads)
	u.Masks()
	if u.how.open != nil {
		u.how.open(u)
	}
	twice := call.Returns && u.how.copies != nil
	if twice {
		u.counting = true
		u.pass(shape.Unroll)
		u.placeCounters(u.how.copies(u))
		u.counting = false
	}
	u.pass(shape.Unroll)
	if u.how.copies != nil && !twice {
		u.FlushCopies()
	}
	return u.Done()
}

func (u *Updater) pass(unroll int) {
	warp, warps := u.readers()
	stride := u.Mul(warps, imm(u.Lanes))
	u.At = u.Add(u.Mul(warp, imm(u.Lanes)), u.LaneID)
	u.Draw(func() (group, groups operand) { return warp, warps })
	u.loopIterations(u.Arg(ArgUpdates), stride, unroll)
}

// readers returns the warp's number among those that share the stream, and how many they are: the
// grid's warps, or those of the blocks with its range.
func (u *Updater) readers() (warp, warps operand) {
	g := uint64(u.Implementation.G())
	if g == 1 {
		return u.GridWarps()
	}
	group := Quotient(u.Builder, machine.BlockID, g)
	which := u.Sub(machine.BlockID, u.Mul(group, imm(g)))
	groups := Quotient(u.Builder, u.Sub(u.Add(machine.GridBlocks, imm(g-1)), which), g)
	return u.Add(u.Mul(group, machine.BlockWarps), machine.WarpID), u.Mul(groups, machine.BlockWarps)
}

// loadUpdate loads what this iteration's update adds, and where: with ranges of targets the place within
// the block's, while hits are counted the slot, and the value only if the target lies there.
func (u *Updater) loadUpdate() (index, value operand) {
	if places, some := u.places(); some {
		index, value = u.placeOf(u.Load(BufIndex, u.At)), u.Vec()
		u.When(u.Less(index, places), func() { u.operandTo(value, u.At) })
		return index, value
	}
	index, value = u.Load(BufIndex, u.At), u.OperandValue(u.At)
	if u.call.Op == device.Mad {
		u.Second = imm(arith.OneOf(u.call.Type))
		if u.call.Operand == device.Loaded {
			u.Second = u.Load(BufFactor, u.At)
		}
	}
	return index, value
}

// places is the number of places of the block for some of the targets, if it has none for others.
func (u *Updater) places() (places operand, some bool) {
	switch {
	case u.Implementation.G() > 1:
		return u.Arg(ArgBins), true
	case u.Implementation.Slots > 0 && u.counting:
		return imm(uint64(u.Implementation.Slots)), true
	}
	return operand{}, false
}

// placeOf is the place of a target in its block, or no place below that number.
func (u *Updater) placeOf(target operand) operand {
	if u.Implementation.G() > 1 {
		return u.Sub(target, u.rangeAt)
	}
	slot, hit := u.lookUp(target)
	return u.SelectTo(u.Vec(), hit, slot, imm(uint64(u.Implementation.Slots)))
}

type iteration struct{ at, inside, index, value, second operand }

// loopIterations is LoopUpdates over the stream with so many iterations at once: what they load is under way
// before the first of them adds. At its end, turns beyond the limit do nothing.
func (u *Updater) loopIterations(limit, step operand, unroll int) {
	if unroll <= 1 {
		u.LoopUpdates(limit, step, u.loadUpdate)
		return
	}
	first, ahead := u.At, make([]operand, unroll+1) // of the first iteration
	for i := range ahead[1:] {
		ahead[i+1] = u.Mul(step, imm(uint64(i+1)))
	}
	u.Loop(func() {
		iterations := make([]iteration, unroll)
		iterations[0] = iteration{at: first, inside: u.Less(first, limit)}
		u.LeaveUnless(iterations[0].inside)
		u.loadIteration(&iterations[0])
		for i := range iterations[1:] {
			t := &iterations[i+1]
			t.at = u.Add(first, ahead[i+1])
			t.inside = u.Less(t.at, limit)
			u.Keep(t.inside, func() { u.loadIteration(t) })
		}
		u.Scoped(func() { u.addIteration(&iterations[0]) })
		for i := range iterations[1:] {
			u.When(iterations[i+1].inside, func() { u.addIteration(&iterations[i+1]) })
		}
		u.Inc(first, ahead[unroll])
	})
}

func (u *Updater) loadIteration(t *iteration) {
	u.At = t.at
	t.index, t.value = u.loadUpdate()
	t.second = u.Second
}

func (u *Updater) addIteration(t *iteration) {
	u.At, u.Inside, u.Second = t.at, t.inside, t.second
	u.ReduceAndAdd(t.index, t.value)
}

// LoopUpdates reduces and adds the updates from At on, in steps up to the limit.
func (u *Updater) LoopUpdates(limit, step operand, load func() (index, value operand)) {
	if u.byBlock() {
		u.loopBlock(limit, step, load)
		return
	}
	u.Loop(func() {
		u.Inside = u.Less(u.At, limit)
		u.LeaveUnless(u.Inside)
		u.ReduceAndAdd(load())
		u.Inc(u.At, step)
	})
}

// loop launches the kernel that loops over the stream.
func (s *Session) loop() {
	shape := s.shape()
	p := updateKernel(s.Implementation, s.Call, s.Machine.Lanes, shape)
	s.Launch(p, shape, s.Updates, s.Implementation.RangeOf(s.Bins), s.Seed)
}

// Masks prepares what the warp reduction needs of the lane's place in the warp.
func (u *Updater) Masks() { u.how.masks(u) }

// Draw opens the warp reduction's random sequence, if it has one.
func (u *Updater) Draw(place func() (group, groups operand)) {
	if u.how.draw != nil {
		group, groups := place()
		u.how.draw(u, group, groups)
	}
}

// ReduceAndAdd reduces the warp's updates and adds what is left, of those alone for which the block
// has a place if it has none for others.
func (u *Updater) ReduceAndAdd(index, value operand) {
	places, some := u.places()
	if !some {
		u.how.reduce(u, index, value)
		return
	}
	u.Inside = u.Both(u.Inside, u.Less(index, places))
	u.When(u.Inside, func() { u.how.reduce(u, index, value) })
}

// addOne lets every active lane add its value.
func (u *Updater) addOne(index, value operand) { u.how.add(u, index, value) }

func (u *Updater) laneMasks() {
	u.own = u.Shl(imm(1), u.LaneID)
	u.below = u.Sub(u.own, imm(1))
	u.upTo = u.Or(u.own, u.below)
}

func (u *Updater) runMasks() {
	u.laneMasks()
	u.Left = u.Sub(u.LaneID, imm(1))
	u.NotFirst = u.Differ(u.LaneID, imm(0))
}

// OperandValue loads what each lane adds, or makes the constant 1.
func (u *Updater) OperandValue(at operand) operand {
	value := u.Vec()
	u.operandTo(value, at)
	return value
}

func (u *Updater) operandTo(value, at operand) {
	if u.call.Operand == device.Loaded {
		u.LoadTo(value, BufValue, at)
		return
	}
	u.Mov(value, imm(arith.OneOf(u.call.Type)))
}

// made returns what the target at a place holds after the updates of a partial result.
func (u *Updater) made(at, total operand) operand {
	before := imm(arith.Cleared(u.call))
	switch {
	case u.call.Keeps:
		before = u.Load(BufTarget, at)
	case u.call.Op != device.Div:
		return total
	}
	if u.call.Op == device.Div {
		return u.Calc(machine.OpMakeT, before, total)
	}
	return u.AddT(before, total)
}

func (u *Updater) Wide() bool { return u.call.Type.Bytes() == 8 }

// clearTarget is the name of the kernel that clears the targets.
const clearTarget = "clear targets"

// clearKernel sets a buffer of as many elements as its argument says.
func clearKernel(name string, buf, lanes int, value uint64) *machine.Program {
	b := machine.NewBuilder(name, 1)
	warp, warps := b.GridWarps()
	stride := b.Mul(warps, imm(uint64(lanes)))
	k := b.Add(b.Mul(warp, imm(uint64(lanes))), b.Lane())
	b.For(k, b.Arg(0), stride, func() { b.Store(buf, k, imm(value)) })
	return b.Done()
}
