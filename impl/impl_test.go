package impl

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/golden"
)

// TestParse: names are read in any order of their parameters, with defaults or without, and written in one.
func TestParse(t *testing.T) {
	for _, list := range [][]Spec{Candidates(), Sized(), Tables(), SampledTables(), RangedCopies(), Widths()} {
		for _, v := range list {
			if back, err := Parse(v.String()); err != nil || back != v {
				t.Errorf("Parse(%q) = %+v, %v; want %+v", v, back, err, v)
			}
		}
	}
	for in, want := range map[string]string{
		"private:r=32,pad=1,map=block": "private:r=32,pad=1,map=block", "private:r=2,pad=1+peers": "private:r=2,pad=1+peers",
		"coordinator": "coordinator", "vr:t=128": "vr:t=128", "sr:t=5+ss": "sr:t=5+ss",
		"private:r=4,pad=1+vr:m=2,t=8":      "private:r=4,pad=1+vr:m=2,t=8",
		"private:r=4,pad=1,ranges=64+match": "private:r=4,pad=1,ranges=64+match",
		"private:r=2,map=block,ranges=3":    "private:r=2,map=block,ranges=3",
		"sr:scope=block":                    "sr:scope=block", "sr:scope=block,t=4": "sr:t=4,scope=block", "sr:scope=warp": "sr",
		"hot:s=65536,r=1024": "hot:s=65536,r=1024", "hot:s=32+sr:t=4": "hot:s=32+sr:t=4",
		"hot:s=256,r=4,sample=1048576+vr:m=2,t=8": "hot:s=256,r=4,sample=1048576+vr:m=2,t=8",
		"partition:w=65536,r=3":                   "partition:w=65536,r=3",
		"private:r=1":                             "private", "private:pad=0,r=4": "private:r=4",
		"private:map=cyclic": "private", "naive+sr": "sr", "ss+sr": "sr+ss", "naive+ss": "ss",
		"vr:m=1": "vr", "vr:t=9,m=2": "vr:m=2,t=9", "sr:t=2": "sr", "ss+sr:t=4": "sr:t=4+ss",
		"naive+vr:t=8": "vr:t=8", "private:ranges=1": "private",
		"private:ranges=4": "private:r=1,ranges=4", "hot:r=1,s=16": "hot:s=16",
		"hot:sample=1024,r=2,s=64": "hot:s=64,r=2,sample=1024", "partition:r=1,w=64": "partition:w=64",
	} {
		v, err := Parse(in)
		if err != nil || v.String() != want {
			t.Errorf("Parse(%q) = %q, %v; want %q", in, v, err, want)
		}
	}
}

// TestParseErrors: what is not a name is refused, and what is wrong about it named.
func TestParseErrors(t *testing.T) {
	for names, list := range map[string][]string{
		"":        {"", "vr:", "hot:s=64,sample=1500", "hot:s=48", "partition:w=96"},
		"fast":    {"fast"},
		"sr":      {"sr+sr", "sr+vr"},
		"naive":   {"naive:r=2"},
		"match":   {"match:t=8", "partition:w=64+match"},
		"sort":    {"sort+sr"},
		"ss":      {"vr+ss", "private+ss", "hot:s=64+ss"},
		"private": {"sr+private"},
		"r":       {"private:r=0", "private:r=2000", "private:r=x", "private:r=4,r=4", "vr:r=2", "hot:s=64,r=0"},
		"q":       {"private:q=4"},
		"spiral":  {"private:map=spiral"},
		"pad":     {"private:pad=-1", "hot:s=64,pad=1", "partition:w=64,pad=1"},
		"t":       {"vr:t=1", "vr:t=129", "sr:t=x", "vr:t=8,t=9", "private:t=8+vr"},
		"m":       {"sr:m=2", "vr:m=0", "vr:m=33"},
		"s":       {"hot", "hot:r=4", "hot:s=8", "hot:s=131072", "private:s=16"},
		"sample":  {"hot:s=64,sample=0"},
		"ranges":  {"private:ranges=65"},
		"w":       {"partition", "partition:w=32"},
		"scope":   {"sr:scope=grid", "vr:scope=block", "private+sr:scope=block", "sr:scope=block+ss"},
	} {
		for _, in := range list {
			if _, err := Parse(in); !errors.Is(err, ErrName) || !strings.Contains(err.Error(), names) {
				t.Errorf("Parse(%q): error %v, want one that names %q", in, err, names)
			}
		}
	}
}

// TestParametersInForce checks what T and M say with and without parameters.
func TestParametersInForce(t *testing.T) {
	for _, c := range []struct {
		name     string
		t32, t64 int
		m        int
	}{
		{"vr", 20, 36, 1}, {"vr:t=8", 8, 8, 1}, {"vr:m=4", 20, 36, 4}, {"sr", 2, 2, 1},
		{"sr:t=6", 6, 6, 1},
		{"naive", 0, 0, 1}, {"match", 0, 0, 1}, {"private+vr:m=2,t=9", 9, 9, 2},
	} {
		v, err := Parse(c.name)
		if err != nil || v.T(32) != c.t32 || v.T(64) != c.t64 || v.M() != c.m {
			t.Errorf("%s: t %d of 32 and %d of 64 lanes, m %d, %v; want %d, %d, %d",
				c.name, v.T(32), v.T(64), v.M(), err, c.t32, c.t64, c.m)
		}
	}
}

// TestValidateParameters gives parameters to parts that have none, and such as are out of range.
func TestValidateParameters(t *testing.T) {
	for _, v := range []Spec{
		{Threshold: 8}, {Reduction: SR, Samples: 2}, {Reduction: VR, Threshold: 1}, {Reduction: SR, Threshold: -1},
		{Reduction: VR, Samples: -1}, {Reduction: VR, Samples: 33}, {Replicas: 2}, {Algorithm: Hot, Slots: 16, Width: 64},
		{Algorithm: Partition}, {Algorithm: Partition, Width: 65}, {Algorithm: Hot, Slots: 16, Pad: 1}, {Algorithm: Sort, Map: Block},
		{Algorithm: Hot, Slots: 16, Ranges: 2}, {Slots: 16}, {Algorithm: Private, Sample: 1024}, {Algorithm: Hot},
		{Algorithm: Hot, Slots: -16}, {Algorithm: Hot, Slots: 17}, {Algorithm: Hot, Slots: 16, Sample: 1025},
		{Algorithm: Private, Ranges: 65}, {Scope: BlockScope}, {Reduction: VR, Scope: BlockScope},
		{Reduction: SR, Scope: BlockScope + 1}, {Algorithm: Private, Reduction: SR, Scope: BlockScope},
	} {
		if v.Validate() == nil {
			t.Errorf("%+v is valid", v)
		}
	}
}

func TestClass(t *testing.T) {
	for name, want := range map[string]Class{
		"naive": Naive, "sr": ReducedCollision, "ss": ReducedCollision, "private": ReducedCollision,
		"coordinator": ReducedCollision, "sort": NonAtomic, "segreduce": NonAtomic,
		"threadprivate": NonAtomic,
	} {
		v, err := Parse(name)
		if err != nil || v.Class() != want || v.UsesAtomics() == (want == NonAtomic) {
			t.Errorf("%s: class %v, %v; want %v", name, v.Class(), err, want)
		}
	}
}

func TestShared(t *testing.T) {
	for _, c := range []struct {
		name  string
		bytes int
		want  uint64
	}{
		{"private:r=4,pad=1", 8, 4 * 101 * 8},
		{"private:r=2,pad=1,ranges=3", 4, 2 * (34 + 1) * 4}, // of 100 targets
		{"private:r=1,ranges=4", 8, 25 * 8},
		{"private:r=1,ranges=64", 4, 2 * 4},
		{"hot:s=64", 4, 64*4 + 64*4},
		{"hot:s=64,r=4", 8, 64*4 + 4*65*8},
		{"hot:s=16,r=2,sample=1024+match", 4, 16*4 + 2*17*4},
		{"partition:w=64", 4, 64 * 4},
		{"partition:w=128,r=3", 8, 3 * 129 * 8},
		{"sr:scope=block", 4, 2 * 32 * (4 + 4)}, {"sr:scope=block", 8, 2 * 32 * (4 + 8)}, {"sr", 8, 0},
	} {
		v, err := Parse(c.name)
		if got := v.SharedBytes(100, c.bytes); err != nil || got != c.want {
			t.Errorf("%s: %d bytes of shared memory, %v; want %d", c.name, got, err, c.want)
		}
	}
	for _, c := range []struct {
		bins uint64
		want int
	}{{1, 256}, {24, 256}, {25, 128}, {192, 32}, {193, 32}, {384, 32}, {385, 0}} {
		if got := ThreadPrivateThreads(c.bins, 4, 32, 48<<10); got != c.want {
			t.Errorf("ThreadPrivateThreads(%d) = %d, want %d", c.bins, got, c.want)
		}
	}
}

// TestScratchBytes: the table of hot targets lies in device memory, whoever finds them, and so do
// the parts of a stream.
func TestScratchBytes(t *testing.T) {
	for name, want := range map[string]uint64{
		"hot:s=64": 256, "hot:s=4096,r=2,sample=1024+sr": 16384, "private:r=1,ranges=4": 0,
		"partition:w=64": (1000+64)*(2+8) + 4*4 + 16*1025, "partition:w=65536,r=2": 10640 + 16 + 16400,
	} {
		v, err := Parse(name)
		if got := v.WorkspaceBytes(Workspace{Updates: 1000, Bins: 50, Value: 8}); err != nil || got != want {
			t.Errorf("%s: %d bytes, %v; want %d", name, got, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("private:r=16,pad=1,map=block+sr")
	f.Add("sr+ss")
	f.Add("vr:m=4,t=20")
	f.Add("private:r=2+sr:t=3")
	f.Add("private:r=1,ranges=4+match")
	f.Add("hot:s=64,r=32,sample=2048+vr:m=4")
	f.Add("partition:w=4096,r=2")
	f.Fuzz(func(t *testing.T, name string) {
		var v Spec
		var err error
		allocation.Bound(t, len(name), func() { v, err = Parse(name) })
		if err != nil {
			return
		}
		if back, err := Parse(v.String()); err != nil || back != v {
			t.Fatalf("%q parses to %+v but %q parses to %+v, %v", name, v, v.String(), back, err)
		}
	})
}

// TestKind: a kind has no parameters.
func TestKind(t *testing.T) {
	for name, want := range map[string]string{"private:r=16,pad=1": "private", "private+match": "private+match",
		"vr:m=4,t=20": "vr", "sr+ss": "sr+ss", "naive": "naive"} {
		if v, err := Parse(name); err != nil || v.Kind().String() != want {
			t.Errorf("%s is of kind %s, %v; want %s", name, v.Kind(), err, want)
		}
	}
}

// TestNeedsTargets: a table of hot targets needs them, unless a sample finds them.
func TestNeedsTargets(t *testing.T) {
	for name, want := range map[string]bool{"hot:s=64,r=4": true, "hot:s=64+sr": true,
		"hot:s=64,r=4,sample=2048": false, "private:r=8,pad=1": false, "naive": false} {
		v, err := Parse(name)
		if err != nil || v.NeedsTargets() != want {
			t.Errorf("%s: %t, %v", name, v.NeedsTargets(), err)
		}
	}
}

// TestLists: the implementations that are ranked and searched are those of testdata/lists.txt, none is twice in a
// list, and each can be.
func TestLists(t *testing.T) {
	var lines []string
	for name, list := range map[string][]Spec{"candidate": Candidates(), "sized": Sized(), "table": Tables(),
		"sampled table": SampledTables(), "ranged copy": RangedCopies(), "width": Widths()} {
		for i, v := range list {
			if err := v.Validate(); err != nil || slices.Contains(list[:i], v) {
				t.Errorf("%s %s: %v, or twice", name, v, err)
			}
			lines = append(lines, name+" "+v.String())
		}
	}
	slices.Sort(lines)
	golden.Compare(t, "testdata/lists.txt", lines)
}

// TestTags: each slot holds the most frequent of the targets that belong there.
func TestTags(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, slots := range []int{16, 64, 1024, 65536} {
		counts := make([]uint32, 3000)
		for range 20000 {
			counts[int(float64(len(counts))*rng.Float64()*rng.Float64()*rng.Float64())]++
		}
		slotOf := func(target int) int { // by division in place of shifts
			return int(uint64(target) * 2654435761 % (1 << 32) * uint64(slots) / (1 << 32))
		}
		want := slices.Repeat([]uint32{NoTarget}, slots)
		for target := len(counts) - 1; target >= 0; target-- {
			at := &want[slotOf(target)]
			if Slot(uint32(target), slots) != slotOf(target) {
				t.Fatalf("target %d of %d slots has slot %d", target, slots, Slot(uint32(target), slots))
			}
			if counts[target] > 0 && (*at == NoTarget || counts[target] >= counts[*at]) {
				*at = uint32(target)
			}
		}
		if got := Tags(counts, slots); !slices.Equal(got, want) {
			t.Errorf("%d slots: %v, want %v", slots, got, want)
		}
	}
}

// TestWide: names of implementations that add rows read as what they name, no others do, and a list of updates of
// single targets has none of them but by name.
func TestWide(t *testing.T) {
	for _, want := range append(Wide(), Spec{Algorithm: Hot}) {
		v, err := ParseWide(want.String())
		var read Spec
		if wrong := read.UnmarshalText([]byte(want.String())); v != want || err != nil || wrong != nil || read != want {
			t.Errorf("%s: %s, %v, %v", want, v, err, wrong)
		}
		w := Workspace{Updates: 9, Wide: true}
		if (v.ClassOf(true) == Naive) != v.IsNaive() || (v.WorkspaceBytes(w) > 0) != (v.Algorithm == Sort) || v.DoesOf(true) == "" {
			t.Errorf("%s is %s and takes %d bytes", v, v.ClassOf(true), v.WorkspaceBytes(w))
		}
	}
	for _, name := range []string{"", "private", "sr", "hot:", "hot:s=3", "hot:s=0", "hot:r=4", "hot:s=4096", "runs:s=8",
		"hot:s=8+runs", "runs+ss", "sort+runs"} {
		if v, err := ParseWide(name); !errors.Is(err, ErrName) {
			t.Errorf("%q: %s, %v", name, v, err)
		}
	}
	for _, name := range []string{"runs", "hot:s=8", "hot", "runs+ss"} {
		if _, err := Parse(name); !errors.Is(err, ErrName) {
			t.Errorf("%q adds single targets: %v", name, err)
		}
	}
}

// TestSplit: commas within a name separate nothing.
func TestSplit(t *testing.T) {
	for list, want := range map[string][]string{
		"": nil, "sr": {"sr"}, "sr,match": {"sr", "match"}, "sr, match  vr": {"sr", "match", "vr"},
		"private:r=8,pad=1,sr:scope=block,hot:*": {"private:r=8,pad=1", "sr:scope=block", "hot:*"},
		"r=8":                                    {"r=8"},
	} {
		if got := Split(list); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", list, got, want)
		}
	}
	for _, v := range Candidates() {
		if got := Split(v.String() + "," + v.String()); len(got) != 2 || got[0] != v.String() || got[1] != v.String() {
			t.Errorf("%s twice: %q", v, got)
		}
	}
}
