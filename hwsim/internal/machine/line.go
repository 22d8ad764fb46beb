package machine

// line is a vector of which lane l holds first + l·step, such as lane numbers, places in a stream,
// and what is the same for all lanes.
type line struct{ first, step uint64 }

// vectors are vector registers, each a line or, if it is bent, elements of any kind. Most registers of
// most warps are lines, so that thousands of warps have few elements in memory.
type vectors struct {
	// places are those of their elements in the room, negative of a register that is a line and had
	// elements before; 0: it has had none.
	places []int32
	lines  []line
}

func (v *vectors) set(reg int16, n line) {
	v.lines[reg] = n
	if v.places[reg] > 0 {
		v.places[reg] = -v.places[reg]
	}
}

func (n line) at(l int) uint64 { return n.first + uint64(l)*n.step }

func (n line) fill(out []uint64) {
	v := n.first
	for l := range out {
		out[l] = v
		v += n.step
	}
}

// line returns the operand as a line, if it is one. Scalars and immediates are.
func (w *Warp) line(o Operand) (n line, straight bool) {
	if o.kind == isVector {
		if w.places[o.Reg] > 0 {
			return line{}, false
		}
		return w.lines[o.Reg], true
	}
	return line{first: w.uni(o)}, true
}

// onLines returns the result of an arithmetic instruction on lines as a line, if it follows for all
// lanes at once that it is one.
func (m *Machine) onLines(w *Warp, in *Instruction, a, b line) (n line, follows bool) {
	switch {
	case in.Op == opLane:
		return line{0, 1}, true
	case in.Op == opTid:
		return line{uint64(int(w.number) * m.Lanes), 1}, true
	case in.Op == OpSel:
	case in.Op == opMov:
		return a, true
	case in.Op == OpAdd:
		return line{a.first + b.first, a.step + b.step}, true
	case in.Op == OpSub:
		return line{a.first - b.first, a.step - b.step}, true
	case in.Op == OpMul && b.step == 0:
		return line{a.first * b.first, a.step * b.first}, true
	case in.Op == opShl && b.step == 0:
		return line{a.first << b.first, a.step << b.first}, true
	case a.step == 0 && b.step == 0:
		return line{m.one(in.Op, a.first, b.first), 0}, true
	}
	return line{}, false
}

// compareLines returns the lanes in which a comparison of lines holds if it is all or none: of what is
// the same for all lanes, or of a growing line with a limit.
func (m *Machine) compareLines(o op, a, b line) (lanes uint64, follows bool) {
	last := a.at(m.Lanes - 1)
	if b.step != 0 || a.step>>32 != 0 || last < a.first { // it exceeds 64 bits
		return 0, false
	}
	var holds bool
	switch o {
	case opEq, opNe:
		holds, follows = a.first == b.first, a.step == 0
	default:
		holds, follows = last < b.first, last < b.first || a.first >= b.first
	}
	if holds != (o == opNe || o == opGeq) {
		lanes = ^uint64(0)
	}
	return lanes, follows
}
