package variant

import (
	"errors"
	"strings"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	names := []string{
		"naive", "sr", "vr", "ss", "sr+ss", "peers", "match", "private", "private:r=4",
		"private:r=16,pad=1", "private:r=1,pad=1", "private:r=8,map=block", "private:r=32,pad=1,map=block",
		"private+sr", "private+vr", "private+match", "private:r=2,pad=1+peers",
		"coordinator", "sort", "segreduce", "threadprivate",
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
	for _, v := range Candidates() {
		if back, err := Parse(v.String()); err != nil || back != v {
			t.Errorf("Parse(%q) = %+v, %v; want %+v", v, back, err, v)
		}
	}
}

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		"private:r=1": "private", "private:pad=0,r=4": "private:r=4",
		"private:map=cyclic": "private", "naive+sr": "sr", "ss+sr": "sr+ss", "naive+ss": "ss",
	} {
		v, err := Parse(in)
		if err != nil || v.String() != want {
			t.Errorf("Parse(%q) = %q, %v; want %q", in, v, err, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":                   "no part is called",
		"fast":               `"fast"`,
		"sr+sr":              "twice",
		"sr+vr":              "two warp reductions",
		"sr+private":         "must stand first",
		"private:r=0":        "outside 1 to",
		"private:r=2000":     "outside 1 to",
		"private:r=x":        "is no number",
		"private:r=4,r=4":    "stands twice",
		"private:q=4":        `"q"`,
		"private:map=spiral": "neither cyclic nor block",
		"naive:r=2":          "takes no parameters",
		"sort+sr":            "combines with nothing",
		"vr+ss":              "ss combines with sr only",
		"private+ss":         "does not combine",
		"private:pad=-1":     "outside 0 to",
	} {
		_, err := Parse(in)
		if !errors.Is(err, ErrName) || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): error %v, want one with %q", in, err, want)
		}
	}
}

func TestClass(t *testing.T) {
	for name, want := range map[string]Class{
		"naive": Naive, "sr": ReducedCollision, "ss": ReducedCollision, "private": ReducedCollision,
		"coordinator": ReducedCollision, "sort": NonAtomic, "segreduce": NonAtomic, "threadprivate": NonAtomic,
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
		bins uint64
		want int
	}{{1, 256}, {24, 256}, {25, 128}, {192, 32}, {193, 32}, {384, 32}, {385, 0}} {
		if got := ThreadPrivateThreads(c.bins, 4, 32, 48<<10); got != c.want {
			t.Errorf("ThreadPrivateThreads(%d) = %d, want %d", c.bins, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("private:r=16,pad=1,map=block+sr")
	f.Add("sr+ss")
	f.Fuzz(func(t *testing.T, name string) {
		v, err := Parse(name)
		if err != nil {
			return
		}
		if back, err := Parse(v.String()); err != nil || back != v {
			t.Fatalf("%q parses to %+v but %q parses to %+v, %v", name, v, v.String(), back, err)
		}
	})
}
