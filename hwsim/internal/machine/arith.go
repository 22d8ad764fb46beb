package machine

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
)

// arithmetic executes a vector or scalar operation.
func (m *Machine) arithmetic(w *Warp, in *Instruction) {
	if in.Dst.kind == isScalar {
		if in.Op == OpFirst {
			v := w.Vec(in.a, m.Lanes, &m.scratch.a)
			w.Scalars[in.Dst.Reg] = v[bits.TrailingZeros64(w.mask|1<<(m.Lanes-1))]
			return
		}
		m.scratch.a[0], m.scratch.b[0] = w.uni(in.a), w.uni(in.b)
		m.lanewise(in.Op, m.scratch.out[:1], m.scratch.a[:1], m.scratch.b[:1])
		w.Scalars[in.Dst.Reg] = m.scratch.out[0]
		return
	}
	out := m.scratch.out[:m.Lanes]
	switch in.Op {
	case opLane:
		for l := range out {
			out[l] = uint64(l)
		}
	case opTid:
		first := uint64(w.number * m.Lanes)
		for l := range out {
			out[l] = first + uint64(l)
		}
	case OpSel:
		a, b, p := w.Vec(in.a, m.Lanes, &m.scratch.a), w.Vec(in.b, m.Lanes, &m.scratch.b),
			w.preds[in.pred.Reg]
		for l := range out {
			out[l] = b[l]
			if p>>l&1 != 0 {
				out[l] = a[l]
			}
		}
	default:
		a, b := w.Vec(in.a, m.Lanes, &m.scratch.a), w.Vec(in.b, m.Lanes, &m.scratch.b)
		m.lanewise(in.Op, out, a, b)
	}
	w.write(in.Dst, out, m.full)
}

// lanewise computes out[l] = a[l] op b[l].
func (m *Machine) lanewise(o op, out, a, b []uint64) {
	a, b = a[:len(out)], b[:len(out)]
	switch o {
	case opMov:
		copy(out, a)
	case OpAdd:
		for l := range out {
			out[l] = a[l] + b[l]
		}
	case OpSub:
		for l := range out {
			out[l] = a[l] - b[l]
		}
	case OpMul:
		for l := range out {
			out[l] = a[l] * b[l]
		}
	case OpAnd:
		for l := range out {
			out[l] = a[l] & b[l]
		}
	case OpAndNot:
		for l := range out {
			out[l] = a[l] &^ b[l]
		}
	case OpOr:
		for l := range out {
			out[l] = a[l] | b[l]
		}
	case OpXor:
		for l := range out {
			out[l] = a[l] ^ b[l]
		}
	default:
		m.lanewiseBits(o, out, a, b)
	}
}

func (m *Machine) lanewiseBits(o op, out, a, b []uint64) {
	switch o {
	case opShl:
		for l := range out {
			out[l] = a[l] << b[l]
		}
	case OpShr:
		for l := range out {
			out[l] = a[l] >> b[l]
		}
	case opMin:
		for l := range out {
			out[l] = min(a[l], b[l])
		}
	case opMax:
		for l := range out {
			out[l] = max(a[l], b[l])
		}
	case OpPopc:
		for l := range out {
			out[l] = uint64(bits.OnesCount64(a[l]))
		}
	case OpFfs:
		for l := range out {
			out[l] = uint64(min(bits.TrailingZeros64(a[l]), m.Lanes))
		}
	case OpFls:
		for l := range out {
			out[l] = uint64(bits.Len64(a[l]) - 1)
		}
	case OpAddT:
		if m.op == device.Add {
			for l := range out {
				out[l] = arith.Sum(m.typ, a[l], b[l])
			}
			break
		}
		for l := range out {
			out[l] = m.partial(a[l], b[l])
		}
	case OpMakeT:
		for l := range out {
			out[l] = arith.Apply(m.op, m.typ, a[l], b[l], 0)
		}
	case OpMulT:
		for l := range out {
			out[l] = arith.Apply(device.Mul, m.typ, a[l], b[l], 0)
		}
	case OpNumT:
		for l := range out {
			out[l] = arith.Number(m.typ, a[l])
		}
	default:
		panic("hwsim: no such arithmetic")
	}
}

// compare executes an operation whose result is a predicate.
func (m *Machine) compare(w *Warp, in *Instruction) {
	var p uint64
	switch in.Op {
	case opPAnd:
		p = w.preds[in.a.Reg] & w.preds[in.b.Reg]
	case opPNot:
		p = ^w.preds[in.a.Reg]
	default:
		a, b := w.Vec(in.a, m.Lanes, &m.scratch.a), w.Vec(in.b, m.Lanes, &m.scratch.b)
		p = compared(in.Op, a, b)
	}
	w.preds[in.Dst.Reg] = p & w.mask
}

// compared returns the mask of the lanes in which a op b holds.
func compared(o op, a, b []uint64) (p uint64) {
	b = b[:len(a)]
	switch o {
	case opEq, opNe:
		for l := range a {
			if a[l] == b[l] {
				p |= 1 << (l & 63)
			}
		}
	default:
		for l := range a {
			if a[l] < b[l] {
				p |= 1 << (l & 63)
			}
		}
	}
	if o == opNe || o == opGeq {
		return ^p
	}
	return p
}

// partial makes one of two partial results.
func (m *Machine) partial(a, b uint64) uint64 {
	if m.op == device.Add {
		return arith.Sum(m.typ, a, b)
	}
	return arith.Apply(arith.Partial(m.op), m.typ, a, b, 0)
}

// keeps reports whether an update leaves the target as it is and hinders no other
// swap. Sums and products are taken to change with every update, as most do.
func (m *Machine) keeps(target, a uint64) bool {
	return m.op.Extreme() && arith.Apply(m.op, m.typ, target, a, 0) == target
}
