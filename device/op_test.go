package device

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// TestOps: an operation is written in a call where it is not an addition, and mad reads two operands.
func TestOps(t *testing.T) {
	for _, o := range Ops() {
		c, back := Call{Type: F64, Op: o}, Call{}
		text, err := json.Marshal(c)
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil || back != c || strings.Contains(string(text), `"op"`) != (o != Add) {
			t.Errorf("%s is written as %s and read as %+v, %v", o, text, back, err)
		}
	}
	if err := (Call{Op: 6}).Validate(); !errors.Is(err, ErrType) {
		t.Errorf("operation 6 is valid: %v", err)
	}
	if got := (Call{Type: F64, Op: Mad}).StreamBytes(); got != 20 {
		t.Errorf("an update of mad on f64 reads %d bytes, want 20", got)
	}
}

// TestUpdates: which operations are native where.
func TestUpdates(t *testing.T) {
	for _, c := range []struct {
		device         string
		typ            Type
		op             Op
		global, shared Mechanism
	}{
		{"h200", U32, Min, Native, Native}, {"h200", I32, Max, Native, Native},
		{"h200", U64, Max, Native, Spin},
		{"h200", F32, Add, Native, Spin}, {"h200", F32, Min, CAS, CAS}, {"h200", F64, Mul, CAS, CAS},
		{"h200", U32, Mul, CAS, CAS}, {"h200", U64, Div, CAS, CAS},
		{"c2075", U32, Max, Native, Lock}, {"c2075", F32, Add, Native, Lock},
		{"c2075", F32, Max, CAS, CAS},
		{"c2075", U64, Add, Native, CAS}, {"c2075", U64, Min, CAS, CAS}, {"gtx680", I64, Max, CAS, CAS},
		{"hd5870", I32, Min, Native, Native}, {"hd5870", F32, Add, CAS, CAS},
		{"hd5870", U32, Mul, CAS, CAS},
		{"hd5870", F64, Mul, Absent, Absent},
	} {
		p, err := Builtin(c.device)
		if err != nil {
			t.Fatal(err)
		}
		call := Call{Type: c.typ, Op: c.op}
		if g, s := p.GlobalUpdate(call).Mechanism, p.SharedUpdate(call).Mechanism; g != c.global ||
			s != c.shared {
			t.Errorf("%s %s %s: %s in global and %s in shared memory, want %s and %s", c.device, c.typ, c.op,
				g, s, c.global, c.shared)
		}
		hinders := !c.op.Extreme() || c.global != CAS && c.shared != CAS
		if like := p.LikeAdd(call); like != (hinders && c.global == p.GlobalAtomic(c.typ).Mechanism &&
			c.shared == p.SharedAtomic(c.typ).Mechanism) {
			t.Errorf("%s %s %s is like add: %v", c.device, c.typ, c.op, like)
		}
	}
}

// TestComposedLoop: every device that adds a type can multiply it, and a loop
// made of parts is no faster than its accesses.
func TestComposedLoop(t *testing.T) {
	for _, name := range Names() {
		p, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, typ := range Types() {
			add, loop := p.GlobalAtomic(typ), p.GlobalUpdate(Call{Type: typ, Op: Mul})
			if (add.Mechanism == Absent) != (loop.Mechanism == Absent) {
				t.Errorf("%s %s: adds by %s, multiplies by %s", name, typ, add.Mechanism, loop.Mechanism)
			}
			if !strings.HasPrefix(loop.Instruction, "compare-and-swap loop of") { // the profile has one
				continue
			}
			if swap := p.GlobalAtomic(U32).Latency.Value; loop.Turn() < swap ||
				loop.Latency.Value < p.Global.LoadLatency.Value+swap {
				t.Errorf("%s %s: the loop takes %v, then %v cycles a turn", name, typ, loop.Latency.Value,
					loop.Turn())
			}
			if err := loop.Latency.validate("latency", `unit:"cycle"`); err != nil {
				t.Error(err)
			}
			if err := loop.Round.validate("round", `unit:"cycle"`); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestCanCall: what cannot be reduced beforehand, and what only devices with two paths have.
func TestCanCall(t *testing.T) {
	p, err := Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		impl string
		call Call
		can  bool
	}{
		{"sort", Call{Type: F32, Op: Mul}, true}, {"naive", Call{Type: F32, Op: Mad}, true},
		{"ss", Call{Type: I32, Op: Mad}, true}, {"match", Call{Type: F32, Op: Mad}, false},
		{"threadprivate", Call{Type: I32, Op: Div}, false}, {"naive", Call{Type: I32, Op: Div}, true},
		{"sr+ss", Call{Type: F64, Op: Div}, true}, {"coordinator", Call{}, false},
	} {
		if err := p.CanCall(parsed(t, c.impl), c.call, 10); c.can != (err == nil) || err != nil && !errors.Is(err, ErrCannot) {
			t.Errorf("%s %s %s: %v", c.impl, c.call.Op, c.call.Type, err)
		}
	}
}
