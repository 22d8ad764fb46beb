package hwsim

import "fmt"

// builder assembles a program. Registers of the vector file are handed out as
// a stack: mark and release bracket temporaries.
type builder struct {
	p      program
	vector int
	scalar int
	pred   int
	second operand // of the updates in global memory: the second operand of mad
}

func newBuilder(name string, args int) *builder {
	b := &builder{scalar: scalarArgs + args}
	b.p = program{name: name, scalars: b.scalar}
	return b
}

func scalarReg(i int) operand { return operand{kind: isScalar, reg: int16(i)} }

// arg returns the kernel's i-th argument.
func (b *builder) arg(i int) operand { return scalarReg(scalarArgs + i) }

func (b *builder) vec() operand {
	r := operand{kind: isVector, reg: int16(b.vector)}
	b.vector++
	b.p.vectors = max(b.p.vectors, b.vector)
	return r
}

func (b *builder) uni() operand {
	r := operand{kind: isScalar, reg: int16(b.scalar)}
	b.scalar++
	b.p.scalars = max(b.p.scalars, b.scalar)
	return r
}

func (b *builder) predicate() operand {
	r := operand{kind: isPredicate, reg: int16(b.pred)}
	b.pred++
	b.p.preds = max(b.p.preds, b.pred)
	return r
}

// scoped runs body and hands back the registers that it took.
func (b *builder) scoped(body func()) {
	v, s, p := b.vector, b.scalar, b.pred
	body()
	b.vector, b.scalar, b.pred = v, s, p
}

func (b *builder) emit(in instruction) int {
	b.p.code = append(b.p.code, in)
	return len(b.p.code) - 1
}

// to emits dst = a op c.
func (b *builder) to(dst operand, o op, a, c operand) operand {
	if dst.kind == isScalar && (a.kind == isVector || c.kind == isVector) && o != opFirst {
		panic(fmt.Sprintf("hwsim: %s: scalar result of vector operands", b.p.name))
	}
	b.emit(instruction{op: o, dst: dst, a: a, b: c})
	return dst
}

// unary emits dst = op a.
func (b *builder) unary(dst operand, o op, a operand) operand { return b.to(dst, o, a, operand{}) }

// calc emits a op c into a fresh register of the file that the operands ask for.
func (b *builder) calc(o op, a, c operand) operand {
	if a.kind == isVector || c.kind == isVector {
		return b.to(b.vec(), o, a, c)
	}
	return b.to(b.uni(), o, a, c)
}

func (b *builder) add(a, c operand) operand    { return b.calc(opAdd, a, c) }
func (b *builder) sub(a, c operand) operand    { return b.calc(opSub, a, c) }
func (b *builder) mul(a, c operand) operand    { return b.calc(opMul, a, c) }
func (b *builder) and(a, c operand) operand    { return b.calc(opAnd, a, c) }
func (b *builder) shl(a, c operand) operand    { return b.calc(opShl, a, c) }
func (b *builder) shr(a, c operand) operand    { return b.calc(opShr, a, c) }
func (b *builder) or(a, c operand) operand     { return b.calc(opOr, a, c) }
func (b *builder) xor(a, c operand) operand    { return b.calc(opXor, a, c) }
func (b *builder) andNot(a, c operand) operand { return b.calc(opAndNot, a, c) }
func (b *builder) min(a, c operand) operand    { return b.calc(opMin, a, c) }
func (b *builder) max(a, c operand) operand    { return b.calc(opMax, a, c) }
func (b *builder) addT(a, c operand) operand   { return b.calc(opAddT, a, c) }
func (b *builder) mov(dst, a operand)          { b.to(dst, opMov, a, operand{}) }
func (b *builder) inc(dst, by operand)         { b.to(dst, opAdd, dst, by) }
func (b *builder) lane() operand               { return b.to(b.vec(), opLane, operand{}, operand{}) }
func (b *builder) tid() operand                { return b.to(b.vec(), opTid, operand{}, operand{}) }

// test emits a comparison, or logic; its predicate holds no inactive lane.
func (b *builder) test(o op, a, c operand) operand { return b.to(b.predicate(), o, a, c) }

func (b *builder) less(a, c operand) operand    { return b.test(opLess, a, c) }
func (b *builder) atLeast(a, c operand) operand { return b.test(opGeq, a, c) }
func (b *builder) equal(a, c operand) operand   { return b.test(opEq, a, c) }
func (b *builder) differ(a, c operand) operand  { return b.test(opNe, a, c) }
func (b *builder) both(p, q operand) operand    { return b.test(opPAnd, p, q) }
func (b *builder) not(p operand) operand        { return b.test(opPNot, p, operand{}) }

func (b *builder) selectTo(dst, p, a, c operand) operand {
	b.emit(instruction{op: opSel, dst: dst, a: a, b: c, pred: p})
	return dst
}

func (b *builder) ballot(p operand) operand {
	s := b.uni()
	b.emit(instruction{op: opBallot, dst: s, pred: p})
	return s
}

// shuffle returns, in each active lane, the value of v in lane from; lanes
// outside the warp give the lane's own value.
func (b *builder) shuffle(v, from operand) operand {
	return b.to(b.vec(), opShuffle, v, from)
}

func (b *builder) load(buf int, index operand) operand { return b.loadTo(b.vec(), buf, index) }

func (b *builder) loadTo(dst operand, buf int, index operand) operand {
	b.emit(instruction{op: opLoad, dst: dst, a: index, buf: int16(buf)})
	return dst
}

func (b *builder) store(buf int, index, value operand) {
	b.emit(instruction{op: opStore, a: index, b: value, buf: int16(buf)})
}

// atomic updates targets in global memory; plain adds to counters of 4 bytes.
func (b *builder) atomic(buf int, plain bool, index, value operand) {
	b.emit(instruction{op: opAtomic, a: index, b: value, pred: b.second, buf: int16(buf), plain: plain})
}

// atomicReturn updates targets in global memory and returns the old values.
func (b *builder) atomicReturn(buf int, index, value operand) operand {
	dst := b.vec()
	b.emit(instruction{op: opAtomic, dst: dst, a: index, b: value, pred: b.second, buf: int16(buf)})
	return dst
}

// spread returns a scalar, or an immediate, in every lane.
func (b *builder) spread(a operand) operand {
	v := b.vec()
	b.mov(v, a)
	return v
}

// Shared-memory elements are numbered in their own width: 4 bytes, or 8.
func (b *builder) loadShared(wide bool, index operand) operand {
	dst := b.vec()
	b.emit(instruction{op: opLoadShared, dst: dst, a: index, wide: wide})
	return dst
}

func (b *builder) storeShared(wide bool, index, value operand) {
	b.emit(instruction{op: opStoreShared, a: index, b: value, wide: wide})
}

func (b *builder) atomicShared(wide bool, index, value operand) {
	b.emit(instruction{op: opAtomicShared, a: index, b: value, wide: wide})
}

// countShared adds the element type's 1 in shared memory or, if plain, 1 to a
// counter of 4 bytes.
func (b *builder) countShared(wide, plain bool, index, one operand) {
	b.emit(instruction{op: opAtomicShared, a: index, b: one, wide: wide, plain: plain, one: true})
}

func (b *builder) barrier() { b.emit(instruction{op: opBarrier}) }

// when runs then for the lanes where p holds and otherwise for the others;
// either may be skipped by the whole warp. otherwise may be nil.
func (b *builder) when(p operand, then, otherwise func()) {
	start := b.emit(instruction{op: opIf, pred: p})
	b.scoped(then)
	if otherwise != nil {
		middle := b.emit(instruction{op: opElse})
		b.p.code[start].target = int32(middle + 1)
		b.scoped(otherwise)
		b.p.code[middle].target = int32(len(b.p.code))
	} else {
		b.p.code[start].target = int32(len(b.p.code))
	}
	b.emit(instruction{op: opEndIf})
}

// loop repeats body for the lanes that no leave has taken out.
func (b *builder) loop(body func()) {
	b.emit(instruction{op: opLoop})
	start := len(b.p.code)
	b.scoped(body)
	b.emit(instruction{op: opBranch, target: int32(start)})
	end := b.emit(instruction{op: opEndLoop})
	for i := start; i < end; i++ {
		if in := &b.p.code[i]; in.op == opBreakUnless && in.target == 0 {
			in.target = int32(end)
		}
	}
}

// leaveUnless ends the innermost loop for the lanes where p does not hold. It
// must not stand inside a when of that loop.
func (b *builder) leaveUnless(p operand) {
	b.emit(instruction{op: opBreakUnless, pred: p})
}

// place is that of the next instruction in the program.
func (b *builder) place() int32 { return int32(len(b.p.code)) }

// gridWarps returns the warp's number in the grid and the grid's warps.
func (b *builder) gridWarps() (warp, warps operand) {
	warp = b.add(b.mul(scalarReg(scalarBlock), scalarReg(scalarWarps)), scalarReg(scalarWarp))
	return warp, b.mul(scalarReg(scalarBlocks), scalarReg(scalarWarps))
}

// member tests whether this lane is in a mask.
func (b *builder) member(laneID, mask operand) operand {
	return b.differ(b.and(b.to(b.vec(), opShr, mask, laneID), imm(1)), imm(0))
}

func (b *builder) done() *program {
	b.emit(instruction{op: opExit})
	b.p.link()
	return &b.p
}
