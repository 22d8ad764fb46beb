package variant

import (
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

func TestRoundTrip(t *testing.T) {
	names := []string{
		"naive", "sr", "vr", "ss", "sr+ss", "peers", "match", "private", "private:r=4",
		"private:r=16,pad=1", "private:r=1,pad=1", "private:r=8,map=block",
		"private:r=32,pad=1,map=block",
		"private+sr", "private+vr", "private+match", "private:r=2,pad=1+peers",
		"coordinator", "sort", "segreduce", "threadprivate",
		"vr:t=8", "vr:m=4", "vr:m=4,t=20", "vr:t=128", "sr:t=3", "sr:t=5+ss",
		"private+vr:t=8", "private:r=4,pad=1+vr:m=2,t=8", "private:r=2+sr:t=4",
		"private:r=1,ranges=2", "private:r=4,pad=1,ranges=64+match",
		"private:r=2,map=block,ranges=3",
		"hot:s=16", "hot:s=65536,r=1024", "hot:s=64,r=32+match", "hot:s=8192,sample=2048",
		"hot:s=256,r=4,sample=1048576+vr:m=2,t=8", "hot:s=32+peers", "hot:s=32+sr:t=4",
		"partition:w=64", "partition:w=65536,r=3",
	}
	for _, name := range names {
		v, err := Parse(name)
		if err != nil {
			t.Errorf("Parse(%q): %v", name, err)
			continue
		}
		if got := v.String(); got != name {
			t.Errorf("Parse(%q).String() = %q", name, got)
		}
	}
	for _, v := range append(append(Candidates(), Tables()...), Widths()...) {
		if back, err := Parse(v.String()); err != nil || back != v {
			t.Errorf("Parse(%q) = %+v, %v; want %+v", v, back, err, v)
		}
	}
}

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		"private:r=1": "private", "private:pad=0,r=4": "private:r=4",
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

func TestParseErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "no part is called",
		"fast":                 `"fast"`,
		"sr+sr":                "twice",
		"sr+vr":                "two warp reductions",
		"sr+private":           "must stand first",
		"private:r=0":          "outside 1 to",
		"private:r=2000":       "outside 1 to",
		"private:r=x":          "is no number",
		"private:r=4,r=4":      "stands twice",
		"private:q=4":          `"q"`,
		"private:map=spiral":   "neither cyclic nor block",
		"naive:r=2":            "takes no parameters",
		"sort+sr":              "combines with nothing",
		"vr+ss":                "ss combines with sr only",
		"private+ss":           "does not combine",
		"private:pad=-1":       "outside 0 to",
		"vr:t=1":               "t=1 is outside 2 to",
		"vr:t=129":             "t=129 is outside 2 to",
		"sr:t=x":               `t="x" is no number`,
		"sr:m=2":               `no parameter of sr is called "m" (there are t)`,
		"vr:m=0":               "m=0 is outside 1 to",
		"vr:m=33":              "m=33 is outside 1 to",
		"vr:t=8,t=9":           "stands twice",
		"vr:r=2":               `no parameter of vr is called "r"`,
		"private:t=8+vr":       `no parameter of private is called "t"`,
		"match:t=8":            "takes no parameters",
		"vr:":                  `called ""`,
		"hot":                  "hot needs s",
		"hot:r=4":              "hot needs s",
		"hot:s=8":              "s=8 is outside 16 to",
		"hot:s=131072":         "outside 16 to 65536",
		"hot:s=48":             "s=48 is no power of two",
		"hot:s=64,r=0":         "r=0 is outside 1 to",
		"hot:s=64,pad=1":       `no parameter of hot is called "pad" (there are s, r, sample)`,
		"hot:s=64,sample=0":    "sample=0 is outside 1024 to",
		"hot:s=64,sample=1500": "no power of two",
		"hot:s=64+ss":          "does not combine",
		"private:ranges=65":    "outside 1 to 64",
		"partition":            "partition needs w",
		"partition:w=32":       "w=32 is outside 64 to 65536",
		"partition:w=96":       "w=96 is no power of two",
		"partition:w=64,pad=1": `no parameter of partition is called "pad" (there are w, r)`,
		"partition:w=64+match": "partition combines with nothing",
		"private:s=16":         `no parameter of private is called "s"`,
	} {
		_, err := Parse(in)
		if !errors.Is(err, ErrName) || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): error %v, want one with %q", in, err, want)
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

// TestValidateParameters gives parameters to parts that have none.
func TestValidateParameters(t *testing.T) {
	for want, v := range map[string]Variant{
		"only sr and vr take t":                     {Threshold: 8},
		"only vr takes m":                           {Reduction: SR, Samples: 2},
		"t=1 is outside":                            {Reduction: VR, Threshold: 1},
		"t=-1 is outside":                           {Reduction: SR, Threshold: -1},
		"m=-1 is outside":                           {Reduction: VR, Samples: -1},
		"m=33 is outside":                           {Reduction: VR, Samples: 33},
		"only private and hot and partition take r": {Replicas: 2},
		"only partition takes w":                    {Base: Hot, Slots: 16, Width: 64},
		"partition needs w":                         {Base: Partition},
		"w=65 is no power of two":                   {Base: Partition, Width: 65},
		"only private takes pad":                    {Base: Hot, Slots: 16, Pad: 1},
		"only private takes map":                    {Base: Sort, Map: Block},
		"only private takes ranges":                 {Base: Hot, Slots: 16, Ranges: 2},
		"only hot takes s":                          {Slots: 16},
		"only hot takes sample":                     {Base: Private, Sample: 1024},
		"hot needs s":                               {Base: Hot},
		"s=-16 is outside":                          {Base: Hot, Slots: -16},
		"s=17 is no power of two":                   {Base: Hot, Slots: 17},
		"sample=1025 is no power":                   {Base: Hot, Slots: 16, Sample: 1025},
		"ranges=65 is outside":                      {Base: Private, Ranges: 65},
	} {
		if err := v.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one with %q", v, err, want)
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
	v, _ := Parse("private:r=4,pad=1")
	if got := v.SharedBytes(256, 8); got != 4*257*8 {
		t.Errorf("SharedBytes = %d", got)
	}
	for _, c := range []struct {
		name  string
		bytes int
		want  uint64
	}{
		{"private:r=2,pad=1,ranges=3", 4, 2 * (34 + 1) * 4}, // of 100 targets
		{"private:r=1,ranges=4", 8, 25 * 8},
		{"private:r=1,ranges=64", 4, 2 * 4},
		{"hot:s=64", 4, 64*4 + 64*4},
		{"hot:s=64,r=4", 8, 64*4 + 4*65*8},
		{"hot:s=16,r=2,sample=1024+match", 4, 16*4 + 2*17*4},
		{"partition:w=64", 4, 64 * 4},
		{"partition:w=128,r=3", 8, 3 * 129 * 8},
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

// TestWords: what texts say of the forms beside the candidates, which tell them apart by name.
func TestWords(t *testing.T) {
	for _, c := range []struct{ name, title, does string }{
		{"hot:s=64,r=4", "hot targets", "each block adds to the most frequent targets " +
			"in its own 4 copies in shared memory, and to the others in place"},
		{"hot:s=64+match", "hot targets after match", "in place after the warp has summed the " +
			"updates of each of its targets"},
		{"private:r=2,ranges=3", "private copies",
			"in its own 2 copies of a range of targets in shared memory"},
		{"partition:w=64,r=2", "partition",
			"blocks add each range in their own 2 copies in shared memory"},
	} {
		v, err := Parse(c.name)
		if err != nil || v.Title() != c.title || !strings.Contains(v.Does(), c.does) {
			t.Errorf("%s: %q, %q, %v", c.name, v.Title(), v.Does(), err)
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
		var v Variant
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

// TestKind: a kind has no parameters, and wins in the number of its words.
func TestKind(t *testing.T) {
	for name, want := range map[string][2]string{
		"private:r=16,pad=1": {"private", "private copies win"},
		"private+match":      {"private+match", "private copies after match win"},
		"vr:m=4,t=20":        {"vr", "vr wins"}, "sr+ss": {"sr+ss", "sr+ss wins"},
		"naive": {"naive", "plain atomics win"}, "segreduce": {"segreduce", "segmented reduction wins"},
	} {
		v, err := Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if kind := v.Kind().String(); kind != want[0] || v.Wins() != want[1] {
			t.Errorf("%s is of kind %s, and %s; want %q", name, kind, v.Wins(), want)
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
