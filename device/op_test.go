package device

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/variant"
)

// TestOps: names round-trip, and unknown ones are errors.
func TestOps(t *testing.T) {
	for _, o := range Ops() {
		text, err := o.MarshalText()
		var back Op
		if err != nil || back.UnmarshalText(text) != nil || back != o {
			t.Errorf("%s is written as %q and read as %s", o, text, back)
		}
	}
	if _, err := ParseOp("pow"); !errors.Is(err, ErrType) || !strings.Contains(err.Error(), `"pow"`) {
		t.Errorf("pow is parsed with error %v", err)
	}
	if err := (Call{Op: 6}).Validate(); !errors.Is(err, ErrType) {
		t.Errorf("operation 6 is valid: %v", err)
	}
	for want, c := range map[string]Call{
		`{"type":"u32","value":"loaded","returns":false}`:            {},
		`{"type":"f64","value":"one","returns":false,"op":"max"}`:    {Type: F64, Operand: One, Op: Max},
		`{"type":"f32","value":"loaded","returns":false,"op":"mad"}`: {Type: F32, Op: Mad},
	} {
		if got, err := json.Marshal(c); err != nil || string(got) != want {
			t.Errorf("%+v is written as %s, %v, want %s", c, got, err, want)
		}
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

// TestAddIsAsBefore: additions work as the profile's fields say, on every device.
func TestAddIsAsBefore(t *testing.T) {
	for _, name := range Names() {
		p, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, typ := range Types() {
			one := Call{Type: typ, Operand: One}
			if p.GlobalUpdate(one) != p.GlobalAtomic(typ) || p.SharedUpdate(one) != p.SharedAdd(one) ||
				p.SharedUpdate(Call{Type: typ}) != p.SharedAtomic(typ) {
				t.Errorf("%s adds %s in another way", name, typ)
			}
			if a := p.GlobalAtomic(typ); a.Round == nil && a.Turn() != a.Latency.Value ||
				a.Turn() > a.Latency.Value {
				t.Errorf("%s %s: a further turn takes %v cycles, the first %v", name, typ, a.Turn(),
					a.Latency.Value)
			}
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

// TestCanCall: what cannot be reduced beforehand is said, with the reason.
func TestCanCall(t *testing.T) {
	p, err := Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		impl string
		call Call
		want string // empty: it can
	}{
		{"sort", Call{Type: F32, Op: Mul}, ""},
		{"naive", Call{Type: F32, Op: Mad}, ""},
		{"ss", Call{Type: I32, Op: Mad}, ""},
		{"match", Call{Type: F32, Op: Mad}, "sum of products"},
		{"threadprivate", Call{Type: I32, Op: Div}, "may overflow"},
		{"naive", Call{Type: I32, Op: Div}, ""},
		{"sr+ss", Call{Type: F64, Op: Div}, ""},
		{"coordinator", Call{}, "one way to global memory"},
	} {
		v, err := variant.Parse(c.impl)
		if err != nil {
			t.Fatal(err)
		}
		err = p.CanCall(v, c.call, 10)
		if (c.want == "") != (err == nil) || err != nil && (!errors.Is(err, ErrCannot) ||
			!strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s %s %s: %v, want %q", c.impl, c.call.Op, c.call.Type, err, c.want)
		}
	}
	for name, change := range map[string]func(*Profile){
		"round": func(p *Profile) {
			a := p.GlobalAtomics["u32"]
			q := a.Latency
			a.Round = &q
			p.GlobalAtomics["u32"] = a
		},
		"global_extreme": func(p *Profile) { u := p.Types[U64]; u.GlobalExtreme = "none such"; p.Types[U64] = u },
	} {
		text, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		changed := new(Profile)
		if err := json.Unmarshal(text, changed); err != nil {
			t.Fatal(err)
		}
		change(changed)
		if err := changed.Validate(); !errors.Is(err, ErrProfile) ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOrderFree: the order shows in sums of floats and in old values, not in sums of integers.
func TestOrderFree(t *testing.T) {
	for _, c := range []struct {
		call Call
		want bool
	}{
		{Call{Type: U32}, true}, {Call{Type: I64, Op: Mul}, true},
		{Call{Type: F32}, false}, {Call{Type: F64, Op: Mad}, false},
		{Call{Type: F32, Op: Max}, true},
		{Call{Type: U32, Returns: true}, false},
	} {
		if got := c.call.OrderFree(); got != c.want {
			t.Errorf("%+v: %v", c.call, got)
		}
	}
}
