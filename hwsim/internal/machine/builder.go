package machine

import "fmt"

// Builder assembles a program. Registers are handed out as a stack: see Scoped.
type Builder struct {
	p      Program
	used   registers
	Second Operand // of the updates in global memory: the second operand of mad
}

func NewBuilder(name string, args int) *Builder {
	given := registers{isScalar: scalarArgs + args}
	return &Builder{used: given, p: Program{Name: name, registers: given}}
}

func scalarReg(i int) Operand { return Operand{kind: isScalar, Reg: int16(i)} }

// The registers with which every warp starts.
var (
	BlockID    = scalarReg(scalarBlock)  // number of the block in the grid
	GridBlocks = scalarReg(scalarBlocks) // blocks in the grid
	WarpID     = scalarReg(scalarWarp)   // number of the warp in the block
	BlockWarps = scalarReg(scalarWarps)  // warps in the block
)

func (b *Builder) Arg(i int) Operand { return scalarReg(scalarArgs + i) }

func (b *Builder) register(k kind) Operand {
	r := Operand{kind: k, Reg: int16(b.used[k])}
	b.used[k]++
	b.p.registers[k] = max(b.p.registers[k], b.used[k])
	return r
}

func (b *Builder) Vec() Operand { return b.register(isVector) }
func (b *Builder) Uni() Operand { return b.register(isScalar) }

// Scoped runs body and hands back the registers that it took.
func (b *Builder) Scoped(body func()) {
	before := b.used
	body()
	b.used = before
}

func (b *Builder) emit(in Instruction) int {
	b.p.Code = append(b.p.Code, in)
	return len(b.p.Code) - 1
}

func (b *Builder) vector(in Instruction) Operand {
	in.Dst = b.Vec()
	b.emit(in)
	return in.Dst
}

// To emits dst = a op c.
func (b *Builder) To(dst Operand, o op, a, c Operand) Operand {
	if dst.kind == isScalar && (a.kind == isVector || c.kind == isVector) && o != OpFirst {
		panic(fmt.Sprintf("hwsim: %s: scalar result of vector operands", b.p.Name))
	}
	b.emit(Instruction{Op: o, Dst: dst, a: a, b: c})
	return dst
}

func (b *Builder) Unary(dst Operand, o op, a Operand) Operand { return b.To(dst, o, a, Operand{}) }

// Calc emits a op c into a fresh register of the file that the operands ask for.
func (b *Builder) Calc(o op, a, c Operand) Operand {
	if a.kind == isVector || c.kind == isVector {
		return b.To(b.Vec(), o, a, c)
	}
	return b.To(b.Uni(), o, a, c)
}

func (b *Builder) Add(a, c Operand) Operand    { return b.Calc(OpAdd, a, c) }
func (b *Builder) Sub(a, c Operand) Operand    { return b.Calc(OpSub, a, c) }
func (b *Builder) Mul(a, c Operand) Operand    { return b.Calc(OpMul, a, c) }
func (b *Builder) And(a, c Operand) Operand    { return b.Calc(OpAnd, a, c) }
func (b *Builder) Shl(a, c Operand) Operand    { return b.Calc(opShl, a, c) }
func (b *Builder) Shr(a, c Operand) Operand    { return b.Calc(OpShr, a, c) }
func (b *Builder) Or(a, c Operand) Operand     { return b.Calc(OpOr, a, c) }
func (b *Builder) Xor(a, c Operand) Operand    { return b.Calc(OpXor, a, c) }
func (b *Builder) AndNot(a, c Operand) Operand { return b.Calc(OpAndNot, a, c) }
func (b *Builder) Min(a, c Operand) Operand    { return b.Calc(opMin, a, c) }
func (b *Builder) Max(a, c Operand) Operand    { return b.Calc(opMax, a, c) }
func (b *Builder) AddT(a, c Operand) Operand   { return b.Calc(OpAddT, a, c) }
func (b *Builder) Mov(dst, a Operand)          { b.To(dst, opMov, a, Operand{}) }
func (b *Builder) Inc(dst, by Operand)         { b.To(dst, OpAdd, dst, by) }
func (b *Builder) Lane() Operand               { return b.vector(Instruction{Op: opLane}) }
func (b *Builder) Tid() Operand                { return b.vector(Instruction{Op: opTid}) }

// test emits a comparison, or logic; its predicate holds no inactive lane.
func (b *Builder) test(o op, a, c Operand) Operand { return b.To(b.register(isPredicate), o, a, c) }

func (b *Builder) Less(a, c Operand) Operand    { return b.test(opLess, a, c) }
func (b *Builder) AtLeast(a, c Operand) Operand { return b.test(opGeq, a, c) }
func (b *Builder) Equal(a, c Operand) Operand   { return b.test(opEq, a, c) }
func (b *Builder) Differ(a, c Operand) Operand  { return b.test(opNe, a, c) }
func (b *Builder) Both(p, q Operand) Operand    { return b.test(opPAnd, p, q) }
func (b *Builder) Not(p Operand) Operand        { return b.test(opPNot, p, Operand{}) }

func (b *Builder) SelectTo(dst, p, a, c Operand) Operand {
	b.emit(Instruction{Op: OpSel, Dst: dst, a: a, b: c, pred: p})
	return dst
}

func (b *Builder) Ballot(p Operand) Operand {
	s := b.Uni()
	b.emit(Instruction{Op: OpBallot, Dst: s, pred: p})
	return s
}

// Shuffle returns the value of v in lane from; lanes outside the warp give the own one.
func (b *Builder) Shuffle(v, from Operand) Operand { return b.To(b.Vec(), OpShuffle, v, from) }

func (b *Builder) Load(buf int, index Operand) Operand { return b.LoadTo(b.Vec(), buf, index) }

func (b *Builder) LoadTo(dst Operand, buf int, index Operand) Operand {
	b.emit(Instruction{Op: opLoad, Dst: dst, a: index, buf: int16(buf)})
	return dst
}

// GatherTo is LoadTo for lanes far apart, whose sectors pass the SM's port one by one, as those of atomics.
func (b *Builder) GatherTo(dst Operand, buf int, index Operand) Operand {
	b.emit(Instruction{Op: opLoad, Dst: dst, a: index, buf: int16(buf), apart: true})
	return dst
}

func (b *Builder) Store(buf int, index, value Operand) {
	b.emit(Instruction{Op: opStore, a: index, b: value, buf: int16(buf)})
}

// Atomic updates targets in global memory; plain adds to counters of 4 bytes.
func (b *Builder) Atomic(buf int, plain bool, index, value Operand) {
	b.emit(Instruction{Op: OpAtomic, a: index, b: value, pred: b.Second, buf: int16(buf),
		Plain: plain})
}

func (b *Builder) AtomicReturn(buf int, index, value Operand) Operand {
	return b.vector(Instruction{Op: OpAtomic, a: index, b: value, pred: b.Second, buf: int16(buf)})
}

// Piece hands out the registers of a piece of so many elements, one behind the other.
func (b *Builder) Piece(elements int) []Operand {
	list := make([]Operand, elements)
	for e := range list {
		list[e] = b.Vec()
	}
	return list
}

// LoadPiece loads neighbouring elements by one instruction: those of global memory lie in one sector.
func (b *Builder) LoadPiece(piece []Operand, buf int, index Operand) {
	b.emit(Instruction{Op: opLoad, Dst: piece[0], a: index, buf: int16(buf), piece: int8(len(piece))})
}

func (b *Builder) AtomicPiece(buf int, index Operand, piece []Operand) {
	b.emit(Instruction{Op: OpAtomic, a: index, b: piece[0], pred: b.Second, buf: int16(buf),
		piece: int8(len(piece))})
}

func (b *Builder) LoadSharedPiece(wide bool, piece []Operand, index Operand) {
	b.emit(Instruction{Op: opLoadShared, Dst: piece[0], a: index, wide: wide, piece: int8(len(piece))})
}

func (b *Builder) StoreSharedPiece(wide bool, index Operand, piece []Operand) {
	b.emit(Instruction{Op: opStoreShared, a: index, b: piece[0], wide: wide, piece: int8(len(piece))})
}

// Spread returns a scalar, or an immediate, in every lane.
func (b *Builder) Spread(a Operand) Operand { return b.Unary(b.Vec(), opMov, a) }

func (b *Builder) Uniform(a Operand) Operand { return b.Unary(b.Uni(), opMov, a) }

// Shared-memory elements are numbered in their own width: 4 bytes, or 8.
func (b *Builder) LoadShared(wide bool, index Operand) Operand {
	return b.vector(Instruction{Op: opLoadShared, a: index, wide: wide})
}

func (b *Builder) StoreShared(wide bool, index, value Operand) {
	b.emit(Instruction{Op: opStoreShared, a: index, b: value, wide: wide})
}

func (b *Builder) AtomicShared(wide bool, index, value Operand) {
	b.emit(Instruction{Op: OpAtomicShared, a: index, b: value, wide: wide})
}

func (b *Builder) UpdateShared(wide bool, index, value Operand) Operand {
	return b.vector(Instruction{Op: OpAtomicShared, a: index, b: value, wide: wide})
}

// CompareSwapShared takes free words of shared memory for keys, and returns what they held.
func (b *Builder) CompareSwapShared(index, key Operand) Operand {
	return b.vector(Instruction{Op: opCompareSwapShared, a: index, b: key})
}

// CountShared adds the element type's 1 in shared memory or, if plain, 1 to a counter of 4 bytes.
func (b *Builder) CountShared(wide, plain bool, index, one Operand) {
	b.emit(Instruction{Op: OpAtomicShared, a: index, b: one, wide: wide, Plain: plain, One: true})
}

// FetchShared adds to counters of 4 bytes in shared memory and returns what they held.
func (b *Builder) FetchShared(index, value Operand) Operand {
	return b.vector(Instruction{Op: OpAtomicShared, a: index, b: value, Plain: true})
}

// FetchCounter adds to counters of 4 bytes in global memory and returns what they held.
func (b *Builder) FetchCounter(buf int, index, value Operand) Operand {
	return b.vector(Instruction{Op: OpAtomic, a: index, b: value, buf: int16(buf), Plain: true})
}

func (b *Builder) Barrier() { b.emit(Instruction{Op: opBarrier}) }

// When runs then for the lanes where p holds; the whole warp may skip it.
func (b *Builder) When(p Operand, then func()) { b.WhenElse(p, then, nil) }

// WhenElse is When, with what the other lanes run.
func (b *Builder) WhenElse(p Operand, then, otherwise func()) {
	scoped := func() { b.Scoped(then) }
	if otherwise == nil {
		b.branch(p, scoped, nil)
		return
	}
	b.branch(p, scoped, func() { b.Scoped(otherwise) })
}

// Keep is When without an end of the registers that body takes: what it loads is there after it.
func (b *Builder) Keep(p Operand, body func()) { b.branch(p, body, nil) }

func (b *Builder) branch(p Operand, then, otherwise func()) {
	start := b.emit(Instruction{Op: opIf, pred: p})
	then()
	if otherwise != nil {
		middle := b.emit(Instruction{Op: opElse})
		b.p.Code[start].target = b.Place()
		otherwise()
		start = middle
	}
	b.p.Code[start].target = b.Place()
	b.emit(Instruction{Op: opEndIf})
}

// Loop repeats body for the lanes that no leave has taken out.
func (b *Builder) Loop(body func()) {
	b.emit(Instruction{Op: opLoop})
	start := len(b.p.Code)
	b.Scoped(body)
	b.emit(Instruction{Op: opBranch, target: int32(start)})
	end := b.emit(Instruction{Op: OpEndLoop})
	for i := start; i < end; i++ {
		if in := &b.p.Code[i]; in.Op == opBreakUnless && in.target == 0 {
			in.target = int32(end)
		}
	}
}

// For repeats body while k is less than the limit, k growing by step.
func (b *Builder) For(k, limit, step Operand, body func()) {
	b.Loop(func() {
		b.LeaveUnless(b.Less(k, limit))
		body()
		b.Inc(k, step)
	})
}

// Each lets the threads of a block share the numbers below the limit, in steps.
func (b *Builder) Each(thread, limit, step Operand, body func(k Operand)) {
	b.Scoped(func() {
		k := b.Spread(thread)
		b.For(k, limit, step, func() { body(k) })
	})
}

// LeaveUnless ends the loop for lanes where p does not hold. It must not stand inside a when of that loop.
func (b *Builder) LeaveUnless(p Operand) { b.emit(Instruction{Op: opBreakUnless, pred: p}) }

func (b *Builder) Place() int32 { return int32(len(b.p.Code)) }

// GridWarps returns the warp's number in the grid and the grid's warps.
func (b *Builder) GridWarps() (warp, warps Operand) {
	warp = b.Add(b.Mul(BlockID, BlockWarps), WarpID)
	return warp, b.Mul(GridBlocks, BlockWarps)
}

func (b *Builder) Member(laneID, mask Operand) Operand {
	return b.Differ(b.And(b.To(b.Vec(), OpShr, mask, laneID), Imm(1)), Imm(0))
}

func (b *Builder) Done() *Program {
	b.emit(Instruction{Op: opExit})
	b.p.link()
	return &b.p
}
