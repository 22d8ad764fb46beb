package machine

import (
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// lineCase is a warp with lines in two vector registers and a scalar, and the elements of these.
type lineCase struct {
	m        *Machine
	straight *Warp
	bent     *Warp // the same with elements
}

func newLineCase(m *Machine, code Instruction, a, b line) lineCase {
	builder := NewBuilder("lines", 1)
	for range 3 {
		builder.Vec()
	}
	builder.emit(code)
	p := builder.Done()
	c := lineCase{m, oneWarp(m, p, 0), oneWarp(m, p, 0)}
	for _, w := range []*Warp{c.straight, c.bent} {
		w.mask = m.full
		w.lines[0], w.lines[1] = a, b
		w.Scalars[scalarArgs] = b.first
	}
	for r := range 2 {
		c.bent.target(Operand{kind: isVector, Reg: int16(r)}, m.Lanes)
	}
	return c
}

// randomLine has small, large, falling and constant ones among it.
func randomLine(rng *splitmix.Rand) line {
	n := line{rng.Uint64() >> rng.Below(64), rng.Uint64() >> rng.Below(64)}
	switch rng.Below(4) {
	case 0:
		n.step = 0
	case 1:
		n.step = rng.Below(3)
	case 2:
		n.step = -rng.Below(5)
	}
	return n
}

// operands are two vectors, or a vector and a scalar.
func operands(rng *splitmix.Rand) (a, b Operand) {
	a, b = Operand{kind: isVector}, Operand{kind: isVector, Reg: 1}
	if rng.Below(2) == 0 {
		b = scalarReg(scalarArgs)
	}
	return a, b
}

// TestLines: arithmetic on lines gives what it gives on their elements, in all lanes or some.
func TestLines(t *testing.T) {
	m := NewMachine(machineProfile(t, "h200"), device.Call{Type: device.I32})
	rng, lines := splitmix.New(7), map[op]int{}
	for o := opMov; o < OpFirst; o++ {
		if o >= opEq && o <= OpSel {
			continue
		}
		for range 400 {
			in := Instruction{Op: o, Dst: Operand{kind: isVector, Reg: int16(rng.Below(3))}}
			in.a, in.b = operands(rng)
			c := newLineCase(m, in, randomLine(rng), randomLine(rng))
			if rng.Below(4) == 0 {
				c.straight.mask = rng.Uint64() & c.m.full
				c.bent.mask = c.straight.mask
			}
			c.m.arithmetic(c.straight, &in)
			c.m.arithmetic(c.bent, &in)
			if _, straight := c.straight.line(in.Dst); straight {
				lines[o]++
			}
			for r := range int16(3) {
				reg := Operand{kind: isVector, Reg: r}
				got, want := c.straight.Vec(reg, c.m.Lanes, new([64]uint64)), c.bent.Vec(reg, c.m.Lanes, new([64]uint64))
				for l := range want {
					if got[l] != want[l] {
						t.Fatalf("operation %d: register %d, lane %d is %#x on a line, %#x on elements", o, r, l, got[l], want[l])
					}
				}
			}
		}
	}
	for _, o := range []op{opMov, OpAdd, OpSub, OpMul, opShl, OpAnd, opLane, opTid} {
		if lines[o] < 20 {
			t.Errorf("operation %d: %d results are lines", o, lines[o])
		}
	}
}

// TestCompareLines: a comparison of lines gives the predicate of their elements.
func TestCompareLines(t *testing.T) {
	m := NewMachine(machineProfile(t, "h200"), device.Call{Type: device.I32})
	rng, follow := splitmix.New(8), 0
	for _, o := range []op{opEq, opNe, opLess, opGeq} {
		for range 2000 {
			in := Instruction{Op: o, Dst: Operand{kind: isPredicate}}
			in.a, in.b = operands(rng)
			a, b := randomLine(rng), randomLine(rng)
			if rng.Below(2) == 0 {
				b = line{a.at(int(rng.Below(40))) + rng.Below(3) - 1, 0}
			}
			c := newLineCase(m, in, a, b)
			c.straight.preds, c.bent.preds = make([]uint64, 1), make([]uint64, 1)
			x, _ := c.straight.line(in.a)
			y, _ := c.straight.line(in.b)
			if _, follows := c.m.compareLines(o, x, y); follows {
				follow++
			}
			c.m.compare(c.straight, &in)
			c.m.compare(c.bent, &in)
			if got, want := c.straight.preds[0], c.bent.preds[0]; got != want {
				t.Fatalf("operation %d on %v and %v: %#x on lines, %#x on elements", o, a, b, got, want)
			}
		}
	}
	if follow < 500 {
		t.Errorf("%d comparisons follow from lines", follow)
	}
}
