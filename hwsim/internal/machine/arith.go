package machine

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
)

func (m *Machine) arithmetic(w *Warp, in *Instruction) {
	if in.Dst.kind == isScalar {
		if in.Op == OpFirst {
			v := w.Vec(in.a, m.Lanes, &m.scratch.a)
			w.Scalars[in.Dst.Reg] = v[bits.TrailingZeros64(w.mask|1<<(m.Lanes-1))]
			return
		}
		w.Scalars[in.Dst.Reg] = m.one(in.Op, w.uni(in.a), w.uni(in.b))
		return
	}
	x, straight := w.line(in.a)
	y, both := w.line(in.b)
	n, follows := line{}, false
	if straight && both || in.Op == opLane || in.Op == opTid {
		n, follows = m.onLines(w, in, x, y)
	}
	if follows && w.mask == m.full {
		w.set(in.Dst.Reg, n)
		return
	}
	out := m.scratch.out[:m.Lanes]
	if follows {
		n.fill(out)
		w.write(in.Dst, out, m.full)
		return
	}
	a, b := w.elements(in.a, x, m.scratch.a[:m.Lanes]), w.elements(in.b, y, m.scratch.b[:m.Lanes])
	if w.mask == m.full {
		out = w.overwritten(in.Dst, m.Lanes)
	}
	if in.Op == OpSel {
		choose(out, a, b, w.preds[in.pred.Reg])
	} else {
		m.lanewise(in.Op, out, a, b)
	}
	if w.mask != m.full {
		w.write(in.Dst, out, m.full)
	}
}

// choose takes a where the lane's predicate holds, else b, without a branch that is hard to predict.
func choose(out, a, b []uint64, p uint64) {
	a, b = a[:len(out)], b[:len(out)]
	for l := range out {
		out[l] = b[l] ^ (a[l]^b[l])&-(p>>(l&63)&1)
	}
}

func (m *Machine) one(o op, a, b uint64) uint64 {
	m.scratch.a[0], m.scratch.b[0] = a, b
	m.lanewise(o, m.scratch.out[:1], m.scratch.a[:1], m.scratch.b[:1])
	return m.scratch.out[0]
}

// each computes out[l] = f(a[l], b[l]); it is inlined, f with it.
func each(out, a, b []uint64, f func(x, y uint64) uint64) {
	a, b = a[:len(out)], b[:len(out)]
	for l := range out {
		out[l] = f(a[l], b[l])
	}
}

func (m *Machine) lanewise(o op, out, a, b []uint64) {
	switch o {
	case opMov:
		copy(out, a)
	case OpAdd:
		each(out, a, b, func(x, y uint64) uint64 { return x + y })
	case OpSub:
		each(out, a, b, func(x, y uint64) uint64 { return x - y })
	case OpMul:
		each(out, a, b, func(x, y uint64) uint64 { return x * y })
	case OpAnd:
		each(out, a, b, func(x, y uint64) uint64 { return x & y })
	case OpAndNot:
		each(out, a, b, func(x, y uint64) uint64 { return x &^ y })
	case OpOr:
		each(out, a, b, func(x, y uint64) uint64 { return x | y })
	case OpXor:
		each(out, a, b, func(x, y uint64) uint64 { return x ^ y })
	case opShl:
		each(out, a, b, func(x, y uint64) uint64 { return x << y })
	case OpShr:
		each(out, a, b, func(x, y uint64) uint64 { return x >> y })
	case opMin:
		each(out, a, b, func(x, y uint64) uint64 { return min(x, y) })
	case opMax:
		each(out, a, b, func(x, y uint64) uint64 { return max(x, y) })
	case OpPopc:
		each(out, a, b, func(x, _ uint64) uint64 { return uint64(bits.OnesCount64(x)) })
	case OpFfs:
		each(out, a, b, func(x, _ uint64) uint64 {
			return uint64(min(bits.TrailingZeros64(x), m.Lanes))
		})
	case OpFls:
		each(out, a, b, func(x, _ uint64) uint64 { return uint64(bits.Len64(x) - 1) })
	case OpAddT:
		if m.op == device.Add {
			each(out, a, b, func(x, y uint64) uint64 { return arith.Sum(m.typ, x, y) })
			return
		}
		each(out, a, b, func(x, y uint64) uint64 { return m.partial(x, y) })
	case OpMakeT:
		each(out, a, b, func(x, y uint64) uint64 { return arith.Apply(m.op, m.typ, x, y, 0) })
	case OpMulT:
		each(out, a, b, func(x, y uint64) uint64 { return arith.Apply(device.Mul, m.typ, x, y, 0) })
	case OpNumT:
		each(out, a, b, func(x, _ uint64) uint64 { return arith.Number(m.typ, x) })
	default:
		panic("hwsim: no such arithmetic")
	}
}

func (m *Machine) compare(w *Warp, in *Instruction) {
	var p uint64
	switch in.Op {
	case opPAnd:
		p = w.preds[in.a.Reg] & w.preds[in.b.Reg]
	case opPNot:
		p = ^w.preds[in.a.Reg]
	default:
		x, straight := w.line(in.a)
		y, both := w.line(in.b)
		if straight && both {
			if p, follows := m.compareLines(in.Op, x, y); follows {
				w.preds[in.Dst.Reg] = p & w.mask
				return
			}
		}
		a, b := w.elements(in.a, x, m.scratch.a[:m.Lanes]), w.elements(in.b, y, m.scratch.b[:m.Lanes])
		if in.Op == opEq || in.Op == opNe {
			p = ^unequal(a, b)
		} else {
			p = below(a, b)
		}
		if in.Op == opNe || in.Op == opGeq {
			p = ^p
		}
	}
	w.preds[in.Dst.Reg] = p & w.mask
}

// unequal returns the lanes in which a and b differ. It and below have no branch that is hard to
// predict.
func unequal(a, b []uint64) (lanes uint64) {
	b = b[:len(a)]
	for l := range a {
		x := a[l] ^ b[l]
		lanes |= (x | -x) >> 63 << (l & 63)
	}
	return lanes
}

func below(a, b []uint64) (lanes uint64) {
	b = b[:len(a)]
	for l := range a {
		_, less := bits.Sub64(a[l], b[l], 0)
		lanes |= less << (l & 63)
	}
	return lanes
}

func (m *Machine) partial(a, b uint64) uint64 {
	return arith.Apply(arith.Partial(m.op), m.typ, a, b, 0)
}

// keeps reports whether an update leaves the target as it is and hinders no other
// swap. Sums and products are taken to change with every update, as most do.
func (m *Machine) keeps(target, a uint64) bool {
	return m.op.Extreme() && arith.Apply(m.op, m.typ, target, a, 0) == target
}
