package ptx

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/must"
)

const small = `// compiler: nvcc 13.0.88
// flags: -O3 -ptx
// source: kernels/small.cu sha256 00ff

.version 6.2
.target sm_70
.address_size 64

	// .globl	add
.extern .shared .align 16 .b8 s[];

.visible .entry add(
	.param .u64 .ptr .align 1 add_param_0,
	.param .u32 add_param_1,
	.param .f64 add_param_2
)
.maxntid 1024, 1, 1
{
	.reg .pred 	%p<10>;
	ld.param.u64 	%rd1, [add_param_0];
$L__BB0_2:
	@%p1 bra 	$L__BB0_2;
	// begin inline asm
	{ .reg .pred q; atom.shared.add.u32 %r1, [%rd1], %r2;
	@!q red.global.add.f32 [%rd1], 0f3F800000; }
	// end inline asm
	atom.shared.add.u32 	%r3, [%rd1], %r4; // again
	ld.global.v2.u32 	{%r1, %r2}, [%rd1];
	ld.volatile.shared.u32 	%r5, [%rd1];
	ret;
}
.visible .entry none()
{
	ret;
}
`

func TestParse(t *testing.T) {
	got := must.Get(Parse("small.ptx", []byte(small)))(t)
	want := &Module{
		Version: Version{6, 2}, Target: 70,
		Compiler: "nvcc 13.0.88", Flags: "-O3 -ptx",
		Sources: map[string]string{"kernels/small.cu": "00ff"},
		Kernels: []Kernel{
			{"add", []string{"u64", "u32", "f64"}, []Instruction{
				{"atom.shared.add.u32", 2}, {"bra", 1}, {"ld.global.v2.u32", 1}, {"ld.param.u64", 1},
				{"ld.volatile.shared.u32", 1}, {"red.global.add.f32", 1}, {"ret", 1},
			}},
			{"none", nil, []Instruction{{"ret", 1}}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestParseErrors: PTX without one line per instruction is refused by file,
// line and value.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ from, to, words string }{
		{".version 6.2", ".version six", `small.ptx:5: "six"`},
		{".version 6.2", "", "small.ptx .version"},
		{".target sm_70", ".target gtx", `small.ptx:6: "gtx"`},
		{".target sm_70", "", ".target"},
		{".param .u32 add_param_1", ".param .align 4 .b8 add_param_1[12]", `small.ptx:14: add add_param_1[12]`},
		{" sha256 00ff", "", "small.ptx:3:"},
		{"\tret;\n}\n.visible .entry none()\n{\n\tret;\n}\n", "", "add"},
	} {
		text := strings.Replace(small, c.from, c.to, 1)
		if text == small {
			t.Fatalf("%q does not are in the text", c.from)
		}
		_, err := Parse("small.ptx", []byte(text))
		if !errors.Is(err, ErrText) {
			t.Errorf("%q: %v", c.to, err)
			continue
		}
		for word := range strings.FieldsSeq(c.words) {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%q: %v, want it to name %s", c.to, err, word)
			}
		}
	}
}

// TestMatters: what tells implementations apart, and nothing else.
func TestMatters(t *testing.T) {
	for opcode, want := range map[string]bool{
		"atom.global.add.u32": true, "red.global.add.f32": true, "match.any.sync.b32": true,
		"bar.sync": true, "ld.shared.u32": true, "st.volatile.shared.f64": true,
		"ld.volatile.global.u32": true,
		"ld.global.u32":          false, "add.s32": false, "reduce": false, "stx.shared": false,
	} {
		if got := Matters(opcode); got != want {
			t.Errorf("%s: %v, want %v", opcode, got, want)
		}
	}
}

// TestUnknown: names that are not there are said to be so.
func TestUnknown(t *testing.T) {
	if _, err := Image("nothing"); !errors.Is(err, ErrModule) {
		t.Error(err)
	}
	if _, err := Parameters("nothing", "k"); !errors.Is(err, ErrModule) {
		t.Error(err)
	}
	for _, m := range Modules() {
		if _, err := Instructions(m, "no kernel"); !errors.Is(err, ErrKernel) {
			t.Error(m, err)
		}
		if text, err := Image(m); err != nil || len(text) == 0 {
			t.Error(m, len(text), err)
		}
	}
}

// FuzzParse: any text is a module with a version, a target and kernels that have names, or an error
// that names the text.
func FuzzParse(f *testing.F) {
	f.Add([]byte("// compiler: nvcc\n// source: a.cu sha256 00\n.version 6.4\n.target sm_70\n" +
		".visible .entry k(\n.param .u64 .ptr .global .align 4 k_param_0\n)\n{\n\tadd.u32 %r1, %r2, 1;\n\tret;\n}\n"))
	f.Add([]byte(".version 6.4\n.target sm_70\n.entry k(\n{\n{\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse("m", text)
		allocation.Bound(t, len(text), func() { m, err = Parse("m", text) })
		if err != nil {
			if !errors.Is(err, ErrText) || !strings.Contains(err.Error(), "m:") {
				t.Error(err)
			}
			return
		}
		if m.Version == (Version{}) || m.Target == 0 {
			t.Errorf("%+v", m)
		}
	})
}
