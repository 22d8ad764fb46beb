package emit

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/must"
)

// testProgram is a program of an implementation on 513 updates of 136 targets, in few blocks.
func testProgram(t *testing.T, name string, call device.Call, bins uint64) *Program {
	t.Helper()
	v := must.Get(impl.Parse(name))(t)
	stream := "hotspot:n=513,k=136,h=3,p=0.6,seed=2"
	if v.NeedsGrouped() {
		stream = "sorted:n=513,k=136,seed=2"
	}
	spec := must.Get(synth.Parse(stream))(t)
	p := must.Get(device.Load("h200"))(t)
	fixed := device.Launch{Blocks: 4, Threads: 64, Unroll: 4}
	if v.Algorithm == impl.ThreadPrivate {
		fixed = device.Launch{Blocks: 4, Threads: 32}
	}
	return &Program{Call: Call{Implementation: v, Call: call, Bins: bins,
		Shape: p.Limits().Shape(v, call, bins, 513, fixed)}, Device: "a device", PredictedUS: 900,
		Stream: Stream{Name: "synth:" + stream, Updates: 513, Synth: &spec}}
}

// emulatedPrograms lists an implementation of each kind that there is code for, with calls of all
// types.
var emulatedPrograms = []struct {
	name string
	call device.Call
}{
	{"naive", device.Call{Type: device.F32}},
	{"sr", device.Call{Type: device.F64}},
	{"sr:scope=block", device.Call{Type: device.F64}},
	{"sr:scope=block", device.Call{Operand: device.One}},
	{"vr", device.Call{Type: device.I32, Operand: device.One}},
	{"peers", device.Call{Type: device.U64}},
	{"peers:masks=hash", device.Call{Type: device.F64}},
	{"peers:masks=hash", device.Call{Operand: device.One, Returns: true}},
	{"match", device.Call{Type: device.I64, Keeps: true}},
	{"ss", device.Call{}},
	{"sr+ss", device.Call{Type: device.F32}},
	{"private", device.Call{Operand: device.One}},
	{"private:r=4,pad=1,map=block", device.Call{Type: device.F64}},
	{"private:r=64,pad=1", device.Call{Type: device.U64}},
	{"private+match", device.Call{}},
	{"private:r=2,ranges=3", device.Call{Type: device.F32}},
	{"hot:s=64,r=4", device.Call{Type: device.F64}},
	{"hot:s=64,r=4,sample=1024+sr", device.Call{Type: device.I32}},
	{"threadprivate", device.Call{Type: device.F32}},
	{"partition:w=64", device.Call{Type: device.F32}},
	{"partition:w=64,r=2", device.Call{Operand: device.One, Keeps: true}},
	{"sort", device.Call{Type: device.F64}},
	{"sort", device.Call{Operand: device.One, Keeps: true}},
	{"segreduce", device.Call{Type: device.I32}},
	{"naive", device.Call{Returns: true}},
	{"match", device.Call{Type: device.F32, Returns: true}},
	{"private:r=2,pad=1", device.Call{Returns: true, Operand: device.One}},
	{"naive", device.Call{IndexBytes: 1}},
	{"sr:scope=block", device.Call{Type: device.F64, IndexBytes: 2}},
	{"sr+ss", device.Call{Type: device.F32, IndexBytes: 2}},
	{"private:r=2,ranges=3", device.Call{Type: device.F32, IndexBytes: 2}},
	{"hot:s=64,r=4,sample=1024+sr", device.Call{Type: device.I32, IndexBytes: 2}},
	{"hot:s=64,r=4", device.Call{Type: device.F64, IndexBytes: 8}},
	{"partition:w=64", device.Call{Operand: device.One, IndexBytes: 1}},
	{"sort", device.Call{Type: device.F64, IndexBytes: 1}},
	{"segreduce", device.Call{Type: device.I32, IndexBytes: 2}},
	{"hot:s=64,r=2", device.Call{Type: device.U64, Returns: true}},
}

// TestRemarks: names of files and devices stay in comments, whatever they hold.
func TestRemarks(t *testing.T) {
	p := testProgram(t, "naive", device.Call{Type: device.F32}, 136)
	plain := must.Get(p.Source())(t)
	const bad = "a\n#error planted\r\u2028\\"
	p.Device, p.Stream.Name, p.Notes = bad, bad, []string{bad}
	text := must.Get(p.Source())(t)
	checked := 0
	for line := range strings.Lines(text) {
		if strings.Contains(line, "planted") {
			checked++
			if !strings.HasPrefix(line, "//") {
				t.Errorf("a line of code: %q", line)
			}
		}
		if strings.HasPrefix(line, "//") && strings.HasSuffix(strings.TrimSpace(line), `\`) {
			t.Errorf("a comment goes on: %q", line)
		}
	}
	if checked != 3 {
		t.Errorf("%d lines were checked", checked)
	}
	code := func(text string) string { return text[strings.Index(text, "#include"):] }
	if code(text) != code(plain) {
		t.Error("names change the code")
	}
}

// TestPrograms runs emitted programs on the emulated warp.
func TestPrograms(t *testing.T) {
	var sources []string
	for _, p := range emulatedPrograms {
		source, err := testProgram(t, p.name, p.call, 136).Source()
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		sources = append(sources, source)
	}
	uncleared := strings.Replace(sources[0],
		"    check(cudaMemsetAsync(A, 0, 136 * sizeof(float)), \"clear\");\n", "", 1)
	last := sources[len(sources)-1]
	shifted := strings.Replace(last, "old[u] = atomic_add<T>(hot.A + i, v);",
		"old[u] = T(1) + atomic_add<T>(hot.A + i, v);", 1)
	codes, output := runEmulated(t, append(sources, uncleared, shifted))
	if len(codes) != len(sources)+2 || uncleared == sources[0] || shifted == last {
		t.Fatalf("%d programs ran\n%s", len(codes), output)
	}
	for i, p := range emulatedPrograms {
		if codes[i] != 0 {
			t.Errorf("%s %+v ends with status %d", p.name, p.call, codes[i])
		}
	}
	for i, what := range []string{"that clears nothing", "with wrong old values"} {
		if code := codes[len(sources)+i]; code != 1 {
			t.Errorf("a program %s ends with status %d, want 1", what, code)
		}
	}
	if n := strings.Count(output, "predicted 900.00 us, measured 1000.00 us, ratio 1.111, right"); n !=
		len(sources) {
		t.Errorf("%d programs of %d print their times\n%s", n, len(sources), output)
	}
}

// TestRangesLeftOut: what copies in ranges need is in no program without them.
func TestRangesLeftOut(t *testing.T) {
	for name, want := range map[string]bool{"private:r=2": false, "private:ranges=2": true} {
		p := testProgram(t, name, device.Call{}, 136)
		if text := must.Get(p.Source())(t); strings.Contains(text, "struct RangedCopies") != want {
			t.Errorf("%s: RangedCopies are there: %t", name, !want)
		}
	}
}

// TestIndexFile: a program reads a file of indices of its type.
func TestIndexFile(t *testing.T) {
	var content, sources []string
	for bytes, name := range []string{1: "naive", 2: "private:r=2,pad=1", 4: "match", 8: "sort"} {
		if name == "" {
			continue
		}
		file := filepath.Join(t.TempDir(), "indices")
		content = nil
		for u := range 300 {
			content = append(content, string(rune(u*7%128))+strings.Repeat("\x00", bytes-1))
		}
		must.Do(t, os.WriteFile(file, []byte(strings.Join(content, "")), 0o600))
		text := must.Get(testProgram(t, name, device.Call{IndexBytes: bytes}, 136).Source())(t)
		text = strings.Replace(text, "argc > 1 ?", "argc > 0 && argv ?", 1)
		sources = append(sources, strings.Replace(text, "argv[1]", strconv.Quote(file), 1))
	}
	codes, output := runEmulated(t, sources)
	if len(codes) != 4 || slices.Max(codes) != 0 || strings.Count(output, "right") != 4 {
		t.Errorf("the programs end with %v\n%s", codes, output)
	}
}
