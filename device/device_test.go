package device

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/variant"
)

func TestBuiltin(t *testing.T) {
	want := []string{"a100", "b200", "c2075", "gtx580", "gtx680", "gtx980", "h100", "h200", "hd5870",
		"l40s", "mi300x", "rtx4090", "v100"}
	if got := strings.Join(Names(), " "); got != strings.Join(want, " ") {
		t.Fatalf("Names() = %s", got)
	}
	for _, name := range want {
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

func TestPaperConstants(t *testing.T) {
	p, err := Builtin("gtx580")
	if err != nil {
		t.Fatal(err)
	}
	a := p.SharedAtomic(F32)
	if a.Base.Value != 108 || a.Round.Value != 120 || a.Bank.Value != 32 || a.Locks.Value != 1024 {
		t.Errorf("gtx580 f32: %+v, want the constants of [gomezluna13] section 2.1", a)
	}
}

func TestLoadErrors(t *testing.T) {
	good, err := Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	data, _ := good.Encode()
	var generic map[string]any
	edit := func(change func(map[string]any)) []byte {
		generic = nil
		if err := json.Unmarshal(data, &generic); err != nil {
			t.Fatal(err)
		}
		change(generic)
		out, _ := json.Marshal(generic)
		return out
	}
	core := func(m map[string]any) map[string]any { return m["core"].(map[string]any) }
	for want, body := range map[string][]byte{
		"unexpected EOF": data[:len(data)/2],
		"core.sms is missing": edit(func(m map[string]any) {
			delete(core(m), "sms")
		}),
		"core.clock is in": edit(func(m map[string]any) {
			core(m)["clock"].(map[string]any)["unit"] = "Hz"
		}),
		"core.sms = 0": edit(func(m map[string]any) {
			core(m)["sms"].(map[string]any)["value"] = 0
		}),
		"no power of two": edit(func(m map[string]any) {
			core(m)["warp_lanes"].(map[string]any)["value"] = 48
		}),
		"core.barrier = 1e+19": edit(func(m map[string]any) {
			core(m)["barrier"].(map[string]any)["value"] = 1e19
		}),
		"core.max_threads_per_block = 64": edit(func(m map[string]any) {
			core(m)["max_threads_per_block"].(map[string]any)["value"] = 64
		}),
		"shared.bytes_per_block = 4096": edit(func(m map[string]any) {
			m["shared"].(map[string]any)["bytes_per_block"].(map[string]any)["value"] = 4096
		}),
		"eight rounds": edit(func(m map[string]any) {
			m["shared_atomics"].(map[string]any)["f32_add"].(map[string]any)["hold"].(map[string]any)["value"] = 1e5
		}),
		"only equal values merge": edit(func(m map[string]any) {
			m["types"].(map[string]any)["u32"].(map[string]any)["shared"] = "u32_add_one"
		}),
		"name \"a b\"":  edit(func(m map[string]any) { m["name"] = "a b" }),
		"unknown field": edit(func(m map[string]any) { m["colour"] = "green" }),
		"schema 9":      edit(func(m map[string]any) { m["schema"] = 9 }),
		"types.f32": edit(func(m map[string]any) {
			m["types"].(map[string]any)["f32"].(map[string]any)["shared"] = "magic"
		}),
		"no source":      edit(func(m map[string]any) { core(m)["sms"].(map[string]any)["source"] = "" }),
		"after the end":  append(append([]byte{}, data...), '{'),
		"cannot unmarsh": []byte(`[1]`),
	} {
		path := filepath.Join(t.TempDir(), "p.json")
		if err := os.WriteFile(path, body, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path)
		if !errors.Is(err, ErrProfile) || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if _, err := Load("rtx9999"); !errors.Is(err, ErrUnknown) {
		t.Errorf("unknown name: %v", err)
	}
	if _, err := Load("./missing.json"); !errors.Is(err, ErrProfile) {
		t.Errorf("missing file: %v", err)
	}
}

func TestCanRun(t *testing.T) {
	for _, c := range []struct {
		device, impl string
		typ          Type
		bins         uint64
		want         string // empty: it can
	}{
		{"h200", "match", F32, 1 << 20, ""},
		{"gtx680", "match", F32, 1 << 20, "no match instruction"},
		{"h200", "private", U32, 58112, ""},
		{"h200", "private", U32, 58113, "shared memory"},
		{"gtx680", "private:r=32,pad=1", U32, 384, "shared memory"},
		{"gtx680", "threadprivate", U32, 384, ""},
		{"gtx680", "threadprivate", U32, 385, "do not fit"},
		{"hd5870", "naive", F64, 10, "no global atomic"},
		{"hd5870", "sort", F64, 10, ""},
		{"hd5870", "threadprivate", F64, 10, ""},
		{"h200", "coordinator", U32, 10, "one way to global memory"},
		{"hd5870", "coordinator", U32, 1 << 20, ""},
		{"hd5870", "coordinator", I32, 1, ""},
		{"hd5870", "coordinator", F32, 1, "integers of 32 bits, not f32"},
		{"hd5870", "coordinator", U64, 1, "integers of 32 bits, not u64"},
		{"h200", "private:r=1,ranges=2", U32, 2 * 58112, ""},
		{"h200", "private:r=1,ranges=2", U32, 2*58112 + 1, "shared memory"},
		{"h200", "hot:s=16384,r=2", U32, 1 << 26, ""},
		{"h200", "hot:s=16384,r=2", U64, 1 << 26, "shared memory"},
		{"h200", "hot:s=65536", U32, 10, "shared memory"},
		{"h200", "hot:s=1024,r=4,sample=2048+match", F64, 1 << 20, ""},
		{"gtx680", "hot:s=1024,r=4,sample=2048", F32, 1 << 20, ""},
		{"gtx680", "hot:s=1024+match", F32, 1 << 20, "no match instruction"},
		{"hd5870", "hot:s=64", U32, 1 << 20, ""},
		{"hd5870", "hot:s=64,sample=2048", U32, 1 << 20, "have 1024 threads and 16896 bytes of shared memory, of at most 256"},
		{"hd5870", "hot:s=64", F64, 1 << 20, "no global atomic"},
		{"h200", "partition:w=32768", F32, 1 << 28, ""},
		{"h200", "partition:w=32768", F64, 1 << 20, "shared memory"},
		{"h200", "partition:w=64", U32, 1 << 22, "counters of 65536 ranges do not fit"},
		{"gtx680", "partition:w=4096", F32, 1 << 20, ""},
		{"hd5870", "partition:w=64", U32, 1 << 10, "have 1024 threads, of at most 256"},
	} {
		p, err := Builtin(c.device)
		if err != nil {
			t.Fatal(err)
		}
		v, err := variant.Parse(c.impl)
		if err != nil {
			t.Fatal(err)
		}
		err = p.CanRun(v, c.typ, c.bins)
		if c.want == "" && err != nil {
			t.Errorf("%s %s: %v", c.device, c.impl, err)
		}
		if c.want != "" && (!errors.Is(err, ErrCannot) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s %s: %v, want %q", c.device, c.impl, err, c.want)
		}
	}
}

func TestTypes(t *testing.T) {
	for _, typ := range Types() {
		if back, err := ParseType(typ.String()); err != nil || back != typ {
			t.Errorf("%v: %v, %v", typ, back, err)
		}
		if want := map[bool]int{true: 8, false: 4}[strings.HasSuffix(typ.String(),
			"64")]; typ.Bytes() != want {
			t.Errorf("%v: %d bytes", typ, typ.Bytes())
		}
	}
	if _, err := ParseType("f8"); !errors.Is(err, ErrType) {
		t.Error("f8 parsed")
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
		v, err := variant.Parse(c.impl)
		if err != nil {
			t.Fatal(err)
		}
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
		v, err := variant.Parse(c.impl)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Limits().SampleShape(v); v.Slots > 0 && (got.Threads != 1024 || got.Blocks !=
			uint64(max(1, v.Slots/1024)) || got.SharedBytes != uint64(8*min(1024, v.Slots)+4*max(4096, 8*min(1024, v.Slots))) ||
			got.BlocksPerSM != 2) {
			t.Errorf("%s %s: a sample's launch is %+v", c.device, c.impl, got)
		}
		if got := p.Limits().Shape(v, U32, c.bins, c.updates, Launch{}); got != c.want {
			t.Errorf("%s %s K=%d: %+v, want %+v", c.device, c.impl, c.bins, got, c.want)
		}
	}
}
