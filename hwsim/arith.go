package hwsim

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
)

// arithmetic executes a vector or scalar operation.
func (m *machine) arithmetic(w *warp, in *instruction) {
	if in.dst.kind == isScalar {
		if in.op == opFirst {
			v := w.vec(in.a, m.lanes, &m.scratch.a)
			w.scalars[in.dst.reg] = v[bits.TrailingZeros64(w.mask|1<<(m.lanes-1))]
			return
		}
		m.scratch.a[0], m.scratch.b[0] = w.uni(in.a), w.uni(in.b)
		m.lanewise(in.op, m.scratch.out[:1], m.scratch.a[:1], m.scratch.b[:1])
		w.scalars[in.dst.reg] = m.scratch.out[0]
		return
	}
	out := m.scratch.out[:m.lanes]
	switch in.op {
	case opLane:
		for l := range out {
			out[l] = uint64(l)
		}
	case opTid:
		first := uint64(w.number * m.lanes)
		for l := range out {
			out[l] = first + uint64(l)
		}
	case opSel:
		a, b, p := w.vec(in.a, m.lanes, &m.scratch.a), w.vec(in.b, m.lanes, &m.scratch.b), w.preds[in.pred.reg]
		for l := range out {
			out[l] = b[l]
			if p>>l&1 != 0 {
				out[l] = a[l]
			}
		}
	default:
		a, b := w.vec(in.a, m.lanes, &m.scratch.a), w.vec(in.b, m.lanes, &m.scratch.b)
		m.lanewise(in.op, out, a, b)
	}
	w.write(in.dst, out, m.full)
}

// lanewise computes out[l] = a[l] op b[l].
func (m *machine) lanewise(o op, out, a, b []uint64) {
	a, b = a[:len(out)], b[:len(out)]
	switch o {
	case opMov:
		copy(out, a)
	case opAdd:
		for l := range out {
			out[l] = a[l] + b[l]
		}
	case opSub:
		for l := range out {
			out[l] = a[l] - b[l]
		}
	case opMul:
		for l := range out {
			out[l] = a[l] * b[l]
		}
	case opAnd:
		for l := range out {
			out[l] = a[l] & b[l]
		}
	case opAndNot:
		for l := range out {
			out[l] = a[l] &^ b[l]
		}
	case opOr:
		for l := range out {
			out[l] = a[l] | b[l]
		}
	case opXor:
		for l := range out {
			out[l] = a[l] ^ b[l]
		}
	default:
		m.lanewiseBits(o, out, a, b)
	}
}

func (m *machine) lanewiseBits(o op, out, a, b []uint64) {
	switch o {
	case opShl:
		for l := range out {
			out[l] = a[l] << b[l]
		}
	case opShr:
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
	case opPopc:
		for l := range out {
			out[l] = uint64(bits.OnesCount64(a[l]))
		}
	case opFfs:
		for l := range out {
			out[l] = uint64(min(bits.TrailingZeros64(a[l]), m.lanes))
		}
	case opFls:
		for l := range out {
			out[l] = uint64(bits.Len64(a[l]) - 1)
		}
	case opAddT:
		if m.op == device.Add {
			for l := range out {
				out[l] = sum(m.typ, a[l], b[l])
			}
			break
		}
		for l := range out {
			out[l] = m.partial(a[l], b[l])
		}
	case opMakeT:
		for l := range out {
			out[l] = apply(m.op, m.typ, a[l], b[l], 0)
		}
	case opMulT:
		for l := range out {
			out[l] = product(m.typ, a[l], b[l])
		}
	case opNumT:
		for l := range out {
			out[l] = number(m.typ, a[l])
		}
	default:
		panic("hwsim: no such arithmetic")
	}
}

// compare executes an operation whose result is a predicate.
func (m *machine) compare(w *warp, in *instruction) {
	var p uint64
	switch in.op {
	case opPAnd:
		p = w.preds[in.a.reg] & w.preds[in.b.reg]
	case opPNot:
		p = ^w.preds[in.a.reg]
	default:
		a, b := w.vec(in.a, m.lanes, &m.scratch.a), w.vec(in.b, m.lanes, &m.scratch.b)
		p = compared(in.op, a, b)
	}
	w.preds[in.dst.reg] = p & w.mask
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
func (m *machine) partial(a, b uint64) uint64 {
	if m.op == device.Add {
		return sum(m.typ, a, b)
	}
	return apply(partial(m.op), m.typ, a, b, 0)
}

// keeps reports whether an update leaves the target as it is and hinders no other
// swap. Sums and products are taken to change with every update, as most do.
func (m *machine) keeps(target, a uint64) bool {
	return m.op.Extreme() && apply(m.op, m.typ, target, a, 0) == target
}
