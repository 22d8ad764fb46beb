package synth_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func mustParse(t testing.TB, text string) synth.Spec {
	t.Helper()
	return must.Get(synth.Parse(text))(t)
}

func mustGenerate(t testing.TB, text string) []uint32 {
	t.Helper()
	return must.Get(synth.Generate(mustParse(t, text)))(t)
}

func digest(stream []uint32) string {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, stream)
	return fmt.Sprintf("%016x", h.Sum64())
}

// goldenSpecs covers each family at its defaults, over few and over most
// targets, and sampled parameters of all families.
func goldenSpecs(t *testing.T) []string {
	var specs []string
	for _, f := range synth.Families() {
		tail := ""
		if f.Name == "mixture" {
			tail = ",of=uniform+zipf:s=1.2:share=3+runs"
		}
		for _, k := range []uint32{1, 1000, 1<<32 - 1} {
			specs = append(specs, mustParse(t, fmt.Sprintf("%s:n=5000,k=%d,seed=1%s", f.Name, k,
				tail)).String())
		}
	}
	r := synth.NewRand(2024)
	for range 60 {
		s := must.Get(synth.Sample(r, synth.Ranges{NMin: 100, NMax: 5000, KMax: 1 << 24}))(t)
		specs = append(specs, s.String())
	}
	return specs
}

func TestStreamsAreTheSameForEver(t *testing.T) {
	var have []string
	for _, spec := range goldenSpecs(t) {
		have = append(have, digest(mustGenerate(t, spec))+" "+spec)
	}
	golden.Compare(t, "testdata/golden.txt", have)
}

func anySpec(t *rapid.T) synth.Spec {
	r := synth.NewRand(rapid.Uint64().Draw(t, "seed"))
	k := rapid.SampledFrom([]uint32{1, 2, 3, 100, 1 << 20, 1<<32 - 1}).Draw(t, "kmax")
	return must.Get(synth.Sample(r, synth.Ranges{NMin: 1, NMax: 2000, KMax: k}))(t)
}

func TestSpecsRoundTripAndStayInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySpec(t)
		back := must.Get(synth.Parse(s.String()))(t)
		if diff := cmp.Diff(s, back); diff != "" {
			t.Fatalf("%v (-sampled +parsed):\n%s", s, diff)
		}
		if text := s.String(); text != strings.ToLower(text) || text != back.String() {
			t.Fatalf("%q prints as %q", text, back.String())
		}
		a := must.Get(synth.Generate(s))(t)
		b := make([]uint32, s.N)
		must.Do(t, synth.Fill(b, back))
		if len(a) != s.N || !slices.Equal(a, b) || slices.Max(a) >= s.K {
			t.Fatalf("%v: length %d, largest target %d", s, len(a), slices.Max(a))
		}
	})
}

func TestFillWantsTheRightLength(t *testing.T) {
	s := mustParse(t, "uniform:n=10,k=5")
	if err := synth.Fill(make([]uint32, 9), s); !errors.Is(err, synth.ErrLength) {
		t.Errorf("error %v, want ErrLength", err)
	}
	if _, err := synth.Generate(synth.Spec{Family: "uniform", N: 1}); !errors.Is(err,
		synth.ErrParam) {
		t.Errorf("no targets: error %v, want ErrParam", err)
	}
}

func TestSpecIsNotModified(t *testing.T) {
	s := synth.Spec{
		Family: "mixture", N: 50, K: 10, Params: map[string]float64{},
		Parts: []synth.Part{{Family: "zipf"}, {Family: "uniform"}},
	}
	if _, err := synth.Generate(s); err != nil {
		t.Fatal(err)
	}
	if len(s.Params) != 0 || s.Parts[0].Params != nil || s.Parts[0].Share != 0 {
		t.Errorf("Generate completed its argument: %+v", s)
	}
}
