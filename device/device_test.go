package device

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/allocation"
)

func TestBuiltin(t *testing.T) {
	for _, name := range Names() {
		p, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Name != name {
			t.Errorf("the profile in %s.json names itself %s", name, p.Name)
		}
		data, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		twice, _ := again.Encode()
		if !bytes.Equal(data, twice) {
			t.Errorf("%s: encoding is not stable", name)
		}
	}
}

// TestAssume: a file that says nothing of what recorded calls show loads as if none were
// recorded, or with the figures of the H200 where slices were measured.
func TestAssume(t *testing.T) {
	for name, recorded := range map[string]bool{"h200": true, "gtx680": false} {
		p, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		own := *p
		own.Library, own.Global.InOrder, own.Launch.LaterStart = Library{}, Capability{}, Quantity{}
		own.Shared.InStep, own.Memory.FillBytes, own.Global.Answers = Quantity{}, Quantity{}, nil
		want := 10
		if recorded {
			want++ // old values cost nothing where none were recorded
		}
		if places := own.Assume(); len(places) != want || (own.Global.Answers != nil) != recorded {
			t.Errorf("%s: %q were filled in", name, places)
		}
		if a, of := own.Global.Answers, p.Global.Answers; recorded {
			for _, q := range [][2]Quantity{{a.Sector, of.Sector}, {a.Pass, of.Pass}, {a.SM, of.SM},
				{a.Store, of.Store}} {
				if math.Abs(q[0].Value/q[1].Value-1) > 0.03 {
					t.Errorf("%s: old values take %+v, the profile says %+v", name, a, of)
				}
			}
		}
		for _, q := range [][2]float64{
			{own.Launch.LaterStart.Value, p.Launch.LaterStart.Value},
			{own.Memory.FillBytes.Value, p.Memory.FillBytes.Value},
			{own.Library.FurtherWords.Value, p.Library.FurtherWords.Value},
			{own.Shared.InStep.Value, p.Shared.InStep.Value},
		} {
			if q[0] != q[1] {
				t.Errorf("%s: %v is assumed, the profile says %v", name, q[0], q[1])
			}
		}
		if own.Global.InOrder.Value != recorded || own.Validate() != nil || len(own.Assume()) != 0 {
			t.Errorf("%s: in order %t, %v", name, own.Global.InOrder.Value, own.Validate())
		}
	}
}

func parsed(t *testing.T, name string) impl.Spec {
	t.Helper()
	v, err := impl.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestCanRun: the last number of targets that fits, the first that does not, and what a device lacks.
func TestCanRun(t *testing.T) {
	for _, c := range []struct {
		device, impl string
		typ          Type
		bins         uint64
		can          bool
	}{
		{"h200", "match", F32, 1 << 20, true}, {"gtx680", "match", F32, 1 << 20, false},
		{"h200", "private", U32, 58112, true}, {"h200", "private", U32, 58113, false},
		{"gtx680", "private:r=32,pad=1", U32, 384, false},
		{"gtx680", "threadprivate", U32, 384, true}, {"gtx680", "threadprivate", U32, 385, false},
		{"hd5870", "naive", F64, 10, false}, {"hd5870", "sort", F64, 10, true}, {"hd5870", "threadprivate", F64, 10, true},
		{"h200", "coordinator", U32, 10, false}, {"hd5870", "coordinator", U32, 1 << 20, true},
		{"hd5870", "coordinator", I32, 1, true}, {"hd5870", "coordinator", F32, 1, false},
		{"hd5870", "coordinator", U64, 1, false},
		{"h200", "private:r=1,ranges=2", U32, 2 * 58112, true}, {"h200", "private:r=1,ranges=2", U32, 2*58112 + 1, false},
		{"h200", "hot:s=16384,r=2", U32, 1 << 26, true}, {"h200", "hot:s=16384,r=2", U64, 1 << 26, false},
		{"h200", "hot:s=65536", U32, 10, false}, {"h200", "hot:s=1024,r=4,sample=2048+match", F64, 1 << 20, true},
		{"gtx680", "hot:s=1024,r=4,sample=2048", F32, 1 << 20, true}, {"gtx680", "hot:s=1024+match", F32, 1 << 20, false},
		{"hd5870", "hot:s=64", U32, 1 << 20, true}, {"hd5870", "hot:s=64,sample=2048", U32, 1 << 20, false},
		{"hd5870", "hot:s=64", F64, 1 << 20, false},
		{"h200", "partition:w=32768", F32, 1 << 28, true}, {"h200", "partition:w=32768", F64, 1 << 20, false},
		{"h200", "partition:w=64", U32, 1 << 22, false}, {"gtx680", "partition:w=4096", F32, 1 << 20, true},
		{"hd5870", "partition:w=64", U32, 1 << 10, false},
	} {
		p, err := Builtin(c.device)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.CanRun(parsed(t, c.impl), c.typ, c.bins); c.can != (err == nil) || err != nil && !errors.Is(err, ErrCannot) {
			t.Errorf("%s %s %s, %d targets: %v", c.device, c.impl, c.typ, c.bins, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	p, err := Builtin("gtx680")
	if err != nil {
		f.Fatal(err)
	}
	data, _ := p.Encode()
	f.Add(data)
	f.Add([]byte(`{"schema":1,"name":"x"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var p *Profile
		var err error
		allocation.Bound(t, len(data), func() { p, err = Decode(data) })
		if (p == nil) == (err == nil) {
			t.Fatalf("profile %v, error %v", p, err)
		}
	})
}

func TestPartShapes(t *testing.T) {
	for _, c := range []struct {
		device, impl  string
		typ           Type
		bins, updates uint64
		items         int
		count, split  Shape
		add           Shape
		whole, part   uint64
	}{
		{"h200", "partition:w=32768", F32, 1 << 25, 1 << 26, 16, Shape{264, 1024, 4096, 1, 2},
			Shape{132, 1024, 8*16384 + 8*1024 + 4*34, 1, 1}, Shape{1024 + 1024, 1024, 1 << 17, 1, 1}, 5 << 14, 1 << 16},
		{"h200", "partition:w=2048,r=3", F64, 100000, 1 << 20, 16, Shape{264, 1024, 4 * 49, 1, 2},
			Shape{64, 1024, 12*16384 + 8*49 + 4*34, 1, 1}, Shape{49 + 512, 512, 3 * 2049 * 8, 1, 4}, 2048, 2048},
		{"gtx680", "partition:w=4096", F32, 1 << 20, 100, 4, Shape{1, 1024, 1024, 1, 2},
			Shape{1, 1024, 8*4096 + 8*256 + 4*34, 1, 1}, Shape{256 + 1, 512, 16384, 1, 3}, 64, 64},
	} {
		p, err := Builtin(c.device)
		if err != nil {
			t.Fatal(err)
		}
		v := parsed(t, c.impl)
		got := p.Limits().PartShapes(v, c.typ, c.bins, c.updates)
		if want := (PartShapes{c.count, c.split, c.items, c.add, c.whole, c.part}); got != want {
			t.Errorf("%s %s: %+v, want %+v", c.device, c.impl, got, want)
		}
	}
}

func TestShape(t *testing.T) {
	for _, c := range []struct {
		device, impl  string
		bins, updates uint64
		want          Shape
	}{
		{"h200", "naive", 1 << 20, 1 << 24, Shape{1056, 256, 0, 1, 8}},
		{"h200", "naive", 1 << 20, 1000, Shape{4, 256, 0, 1, 8}},
		{"h200", "private", 256, 1 << 24, Shape{1056, 256, 1024, 1, 8}},
		{"h200", "private", 50000, 1 << 24, Shape{132, 1024, 200000, 1, 1}},
		// Two blocks share the 228 KiB of an SM, of which one block may have 227.
		{"h200", "private", 114 * 256, 1 << 24, Shape{264, 1024, 114 * 1024, 1, 2}},
		{"gtx680", "private:r=16,pad=1", 256, 1 << 24, Shape{16, 1024, 16448, 1, 2}},
		{"c2075", "naive", 256, 1 << 24, Shape{84, 256, 0, 1, 6}},
		{"h200", "threadprivate", 16, 1 << 24, Shape{1056, 256, 16384, 1, 8}},
		{"h200", "hot:s=64,r=4", 1 << 20, 1 << 24, Shape{1056, 256, 4 * (64 + 4*65), 1, 8}},
		{"h200", "hot:s=8192,r=4", 1 << 20, 1 << 24, Shape{132, 1024, 4 * (8192 + 4*8193), 1, 1}},
		{"h200", "private:r=1,ranges=5", 50000, 1 << 24, Shape{260, 1024, 40000, 1, 2}},
		{"h200", "private:r=1,ranges=5", 250000, 1 << 24, Shape{130, 1024, 200000, 1, 1}},
		{"h200", "private:r=1,ranges=5", 50, 10, Shape{5, 256, 40, 1, 8}},
	} {
		p, err := Builtin(c.device)
		if err != nil {
			t.Fatal(err)
		}
		v := parsed(t, c.impl)
		if got := p.Limits().SampleShape(v); v.Slots > 0 && (got.Threads != 1024 || got.Blocks !=
			uint64(max(1, v.Slots/1024)) || got.SharedBytes != uint64(8*min(1024, v.Slots)+4*max(4096, 8*min(1024, v.Slots))) ||
			got.BlocksPerSM != 2) {
			t.Errorf("%s %s: a sample's launch is %+v", c.device, c.impl, got)
		}
		if got := p.Limits().Shape(v, Call{Type: U32}, c.bins, c.updates, Launch{}); got != c.want {
			t.Errorf("%s %s K=%d: %+v, want %+v", c.device, c.impl, c.bins, got, c.want)
		}
	}
}

// FuzzParseLaunches: each launch of a list is one that a GPU may have, and reads as itself.
func FuzzParseLaunches(f *testing.F) {
	for _, text := range []string{"264x512", "1-8x32-1024x1-8", "1x32-x1", "18446744073709551615x1024",
		"1x32x8", "0x1", "1x1x1x1",
		"1-18446744073709551615x32"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var list []Launch
		var err error
		allocation.Bound(t, len(text), func() { list, err = ParseLaunches(text) })
		if err != nil {
			if !errors.Is(err, ErrLaunch) {
				t.Fatal(err)
			}
			return
		}
		if len(list) == 0 {
			t.Fatalf("%q is not a launch", text)
		}
		for _, l := range list {
			if again, err := ParseLaunch(l.String()); err != nil || again != l {
				t.Fatalf("%q: %v reads as %v, %v", text, l, again, err)
			}
		}
	})
}

// TestOtherNames: types go by the names of other languages, and f16 is not one of single targets or rows.
func TestOtherNames(t *testing.T) {
	for name, want := range map[string]Type{"float32": F32, "fp32": F32, "Float": F32, "double": F64, "int32": I32,
		"uint32_t": U32, "uint64": U64, "F64": F64} {
		if got, err := ParseType(name); err != nil || got != want {
			t.Errorf("%s is %s, %v; want %s", name, got, err, want)
		}
	}
	for name, want := range map[string]Type{"uint8": U8, "int64": I64} {
		if got, err := ParseIndex(name); err != nil || got != want {
			t.Errorf("index %s is %s, %v; want %s", name, got, err, want)
		}
	}
	if got, err := ParseElement("bfloat16"); err != nil || Type(got) != BF16 {
		t.Errorf("bfloat16 is %s, %v", Type(got), err)
	}
	for _, name := range []string{"half", "f32 ", "float33", ""} {
		if got, err := ParseElement(name); !errors.Is(err, ErrType) {
			t.Errorf("%q is %s, %v", name, Type(got), err)
		}
	}
	if got, err := ParseIndex("float"); !errors.Is(err, ErrType) {
		t.Errorf("an index of type %s, %v", got, err)
	}
}

// TestMeasured: a measured GPU goes by its title, and no estimate does.
func TestMeasured(t *testing.T) {
	for _, name := range Names() {
		p, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if p.Estimate == nil {
			want = name
		}
		if got := Measured(p.Title); got != want {
			t.Errorf("%s: %q, want %q", p.Title, got, want)
		}
	}
	if _, err := Builtin(Default); err != nil {
		t.Error(err)
	}
}

// FuzzNames: a name of a type, an operation or an operand reads as what prints as it.
func FuzzNames(f *testing.F) {
	seeds := []string{"one", "random", "fetch_add", "f8", "pow", ""}
	for _, v := range Types() {
		seeds = append(seeds, v.String())
	}
	for _, v := range Ops() {
		seeds = append(seeds, v.String())
	}
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := ParseType(text); err == nil {
			if again, err := ParseType(v.String()); err != nil || again != v {
				t.Errorf("type %q is %s, which is %s, %v", text, v, again, err)
			}
		}
		if v, err := ParseOp(text); err == nil && v.String() != text {
			t.Errorf("operation %q is %s", text, v)
		}
		if v, err := ParseOperation(text); err == nil && string(v) != text {
			t.Errorf("operation %q is %s", text, v)
		}
		if v, err := ParseOperand(text); err == nil && v.String() != text {
			t.Errorf("operand %q is %s", text, v)
		}
	})
}
