package device

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/must"
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

// TestCoordinated: a coordinator adds, whatever a call needs of old values.
func TestCoordinated(t *testing.T) {
	p, err := Builtin("hd5870")
	if err != nil {
		t.Fatal(err)
	}
	v := impl.Spec{Algorithm: impl.Coordinator}
	for _, c := range []Call{{}, {Type: I32, Operand: One}, {Returns: true}} {
		if err := p.CanCall(v, c, 1<<20); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for _, o := range Ops()[1:] {
		if err := p.CanCall(v, Call{Op: o}, 1); !errors.Is(err, ErrCannot) {
			t.Errorf("%s: %v", o, err)
		}
	}
	for without, change := range map[string]func(*Profile){
		"atomics in shared memory": func(p *Profile) {
			p.Types = map[Type]TypeAtomics{U32: {Shared: "none", SharedOne: "none", Global: "native"}}
		},
		"at most 64 lanes":   func(p *Profile) { p.Core.WarpLanes.Value = 128 },
		"two blocks at once": func(p *Profile) { p.Core.SMs.Value, p.Core.MaxBlocks.Value = 1, 1 },
		"two paths":          func(p *Profile) { p.Paths = nil },
	} {
		changed := *p
		change(&changed)
		if err := changed.CanCall(v, Call{}, 1); !errors.Is(err, ErrCannot) {
			t.Errorf("without %s: %v", without, err)
		}
	}
}

// TestSlice: the low digits of a slice are parities of the chunk's number under masks, the high
// one is the number plus further parities, of which each counts twice the one before, modulo.
func TestSlice(t *testing.T) {
	h := &SliceHash{Modulus: 5, Low: []uint64{0b001, 0b110}, Fold: []uint64{0b010, 0b100, 0b011}}
	if h.Slices() != 20 {
		t.Errorf("%d slices", h.Slices())
	}
	for chunk, want := range []uint64{
		0, // 0 % 5 = 0, digits 00
		(1+4)%5<<2 | 0b01,
		(2+1+4)%5<<2 | 0b10,
		(3+1)%5<<2 | 0b11,
		(4+2)%5<<2 | 0b10,
		(5+2+4)%5<<2 | 0b11,
		(6 + 1 + 2 + 4) % 5 << 2, // digits 00
		(7+1+2)%5<<2 | 0b01,
	} {
		if got := h.Slice(uint64(chunk)); got != want {
			t.Errorf("chunk %d: slice %d, want %d", chunk, got, want)
		}
	}
}

// TestParseLaunches: ranges double from their first number to their last, and a launch is a range of one.
func TestParseLaunches(t *testing.T) {
	for text, want := range map[string][]Launch{
		"264x512": {{264, 512, 0}}, "1x32x4": {{1, 32, 4}}, "2147483647x1024x1": {{MaxBlocks, 1024, 1}},
		"264-264x512x2": {{264, 512, 2}},
		"132-600x256x1-4": {{132, 256, 1}, {132, 256, 2}, {132, 256, 4}, {264, 256, 1}, {264, 256, 2},
			{264, 256, 4}, {528, 256, 1}, {528, 256, 2}, {528, 256, 4}, {600, 256, 1}, {600, 256, 2},
			{600, 256, 4}},
		"1x256-1024": {{1, 256, 0}, {1, 512, 0}, {1, 1024, 0}},
	} {
		if got, err := ParseLaunches(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if got, err := ParseLaunch(text); (err == nil) == strings.Contains(text, "-") || err == nil && got != want[0] {
			t.Errorf("one launch of %s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "264", "264x", "0x256", "264x0", "264x512x0", "264x512x3", "264x512x16",
		"1x2x4x8", "-1x32", "+1x32", "01x32", "1X32", "2147483648x32", "1 x 32", "2-1x32", "1-x32", "-2x32",
		"1--2x32", "1-2-3x32", "0-2x32", "1-2", "1x32x1-3", "1-2x32x3"} {
		if got, err := ParseLaunches(text); !errors.Is(err, ErrLaunch) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

// TestFixedShape: what is fixed stands, and the rest follows it.
func TestFixedShape(t *testing.T) {
	for _, c := range []struct {
		impl    string
		bins    uint64
		updates uint64
		fixed   Launch
		want    Shape
	}{
		{"naive", 1 << 20, 1 << 24, Launch{264, 512, 4}, Shape{264, 512, 0, 4, 4}},
		{"naive", 1 << 20, 1000, Launch{264, 512, 4}, Shape{264, 512, 0, 4, 4}},
		{"naive", 1 << 20, 1 << 24, Launch{100000, 32, 0}, Shape{100000, 32, 0, 1, 32}},
		{"naive", 1 << 20, 1 << 24, Launch{Threads: 1024}, Shape{264, 1024, 0, 1, 2}},
		{"private", 50000, 1 << 24, Launch{Threads: 256}, Shape{132, 256, 200000, 1, 1}},
		{"private", 50000, 1 << 24, Launch{Blocks: 7}, Shape{7, 1024, 200000, 1, 1}},
		{"threadprivate", 16, 1 << 24, Launch{Threads: 512}, Shape{528, 512, 32768, 1, 4}},
		{"sort", 16, 1 << 24, Launch{}, Shape{}},
	} {
		p, err := Builtin("h200")
		if err != nil {
			t.Fatal(err)
		}
		v := parsed(t, c.impl)
		if got := p.Limits().Shape(v, Call{Type: U32}, c.bins, c.updates, c.fixed); got != c.want {
			t.Errorf("%s, %v: %+v, want %+v", c.impl, c.fixed, got, c.want)
		}
		if err := p.CanLaunch(v, U32, c.bins, c.fixed); err != nil {
			t.Error(err)
		}
	}
}

func TestCanLaunch(t *testing.T) {
	for _, c := range []struct {
		device, impl string
		fixed        Launch
	}{
		{"h200", "naive", Launch{1, 2048, 0}}, {"hd5870", "naive", Launch{1, 512, 0}},
		{"hd5870", "naive", Launch{1, 32, 0}}, // half a warp
		{"h200", "segreduce", Launch{Unroll: 1}}, {"hd5870", "coordinator", Launch{Blocks: 1}},
		{"h200", "threadprivate", Launch{Unroll: 2}},
		{"h200", "sr:scope=block", Launch{Threads: 1024}}, {"h200", "sr:scope=block", Launch{Unroll: 2}},
		{"h200", "threadprivate", Launch{Threads: 1024}}, // whose copies take more than shared memory has
	} {
		p, err := Builtin(c.device)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.CanLaunch(parsed(t, c.impl), U32, 64, c.fixed); !errors.Is(err, ErrCannot) {
			t.Errorf("%s on %s, %v: %v", c.impl, c.device, c.fixed, err)
		}
		if err := p.CanLaunch(parsed(t, c.impl), U32, 64, Launch{Unroll: 5}); !errors.Is(err, ErrLaunch) {
			t.Error(err)
		}
	}
}

// TestJustFits: what takes all of a block's shared memory runs, and what takes a byte more does not.
func TestJustFits(t *testing.T) {
	for _, c := range []struct {
		impl  string
		typ   Type
		bins  uint64
		fixed Launch
		bytes uint64
	}{
		{"private", U32, 1000, Launch{}, 4000},
		{"private:r=2,pad=1", F64, 1000, Launch{Threads: 64}, 2 * 1001 * 8},
		{"private:r=1,ranges=2", I64, 1001, Launch{}, 501 * 8},
		{"hot:s=64,r=4", U32, 1 << 20, Launch{}, 4*64 + 4*65*4},
		{"hot:s=64,r=4,sample=2048", U32, 1 << 20, Launch{}, 4*4096 + 8*64},
		{"threadprivate", F32, 100, Launch{}, 32 * 100 * 4},
		{"threadprivate", U32, 64, Launch{Threads: 128}, 128 * 64 * 4},
		{"partition:w=4096", F32, 1 << 20, Launch{}, 8*4096 + 8*256 + 4*34},
		{"sort", U32, 1000, Launch{}, 4*(8*256+2*256+16) + 256*8*4},
	} {
		p := *must.Get(Builtin("h200"))(t)
		for less := range 2 {
			p.Shared.BytesPerBlock.Value = float64(c.bytes) - float64(less)
			v := parsed(t, c.impl)
			err := errors.Join(p.CanRun(v, c.typ, c.bins), p.CanLaunch(v, c.typ, c.bins, c.fixed))
			if (err == nil) != (less == 0) || err != nil && !errors.Is(err, ErrCannot) {
				t.Errorf("%s of %d targets in %v bytes: %v", c.impl, c.bins, p.Shared.BytesPerBlock.Value, err)
			}
		}
	}
	p := must.Get(Builtin("h200"))(t)
	for threads, fits := range map[int]bool{1024: true, 1056: false} {
		if err := p.CanLaunch(parsed(t, "naive"), U32, 1, Launch{Threads: threads}); fits != (err == nil) {
			t.Errorf("%d threads of at most 1024: %v", threads, err)
		}
	}
}

// TestWords: calls that differ are called differently.
func TestWords(t *testing.T) {
	calls := map[string]Call{}
	for _, typ := range Types() {
		for _, op := range Ops() {
			for n := range 8 {
				c := Call{Type: typ, Op: op, Operand: Operand(n % 2), Returns: n&2 > 0, Keeps: n&4 > 0}
				if other, twice := calls[c.Words()]; c.Validate() == nil && twice {
					t.Errorf("%+v and %+v are both %s", c, other, c.Words())
				}
				if c.Validate() == nil {
					calls[c.Words()] = c
				}
			}
		}
	}
	if len(calls) < 100 {
		t.Errorf("%d calls", len(calls))
	}
}
