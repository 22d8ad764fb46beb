package synth_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func mustParse(t testing.TB, text string) synth.Spec {
	t.Helper()
	s, err := synth.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustGenerate(t testing.TB, text string) []uint32 {
	t.Helper()
	stream, err := synth.Generate(mustParse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

func digest(stream []uint32) string {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, stream)
	return fmt.Sprintf("%016x", h.Sum64())
}

const goldenFile = "testdata/golden.txt"

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
		s, err := synth.Sample(r, synth.Ranges{NMin: 100, NMax: 5000, KMax: 1 << 24})
		if err != nil {
			t.Fatal(err)
		}
		specs = append(specs, s.String())
	}
	return specs
}

// The golden file is written with ATOMTUNE_UPDATE_GOLDEN=1.
func TestStreamsAreTheSameForEver(t *testing.T) {
	var have strings.Builder
	for _, spec := range goldenSpecs(t) {
		fmt.Fprintf(&have, "%s %s\n", digest(mustGenerate(t, spec)), spec)
	}
	if os.Getenv("ATOMTUNE_UPDATE_GOLDEN") == "1" {
		if err := os.MkdirAll(filepath.Dir(goldenFile), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(goldenFile, []byte(have.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"),
		strings.Split(have.String(), "\n")); diff != "" {
		t.Errorf("streams changed (-golden +have):\n%s", diff)
	}
}

func anySpec(t *rapid.T) synth.Spec {
	r := synth.NewRand(rapid.Uint64().Draw(t, "seed"))
	k := rapid.SampledFrom([]uint32{1, 2, 3, 100, 1 << 20, 1<<32 - 1}).Draw(t, "kmax")
	s, err := synth.Sample(r, synth.Ranges{NMin: 1, NMax: 2000, KMax: k})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSpecsRoundTripAndStayInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySpec(t)
		back, err := synth.Parse(s.String())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, back); diff != "" {
			t.Fatalf("%v (-sampled +parsed):\n%s", s, diff)
		}
		if text := s.String(); text != strings.ToLower(text) || text != back.String() {
			t.Fatalf("%q prints as %q", text, back.String())
		}
		a, err := synth.Generate(s)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]uint32, s.N)
		if err := synth.Fill(b, back); err != nil {
			t.Fatal(err)
		}
		if len(a) != s.N || !slices.Equal(a, b) || slices.Max(a) >= s.K {
			t.Fatalf("%v: length %d, largest target %d", s, len(a), slices.Max(a))
		}
	})
}

func TestSeedsMatter(t *testing.T) {
	checked := 0
	for _, f := range synth.Families() {
		switch f.Name {
		case "constant", "sequential", "stride":
			continue
		}
		tail := ""
		if f.Name == "mixture" {
			tail = ",of=uniform+sequential"
		}
		a := mustGenerate(t, f.Name+":n=1000,k=500,seed=1"+tail)
		b := mustGenerate(t, f.Name+":n=1000,k=500,seed=2"+tail)
		if slices.Equal(a, b) {
			t.Errorf("%s: seeds 1 and 2 give one stream", f.Name)
		}
		checked++
	}
	if checked < 10 {
		t.Errorf("checked %d families", checked)
	}
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

func BenchmarkGenerate(b *testing.B) {
	for _, f := range synth.Families() {
		tail := ""
		if f.Name == "mixture" {
			tail = ",of=uniform+zipf"
		}
		s := mustParse(b, f.Name+":n=65536,k=4096,seed=1"+tail)
		dst := make([]uint32, s.N)
		b.Run("family="+f.Name, func(b *testing.B) {
			b.SetBytes(int64(4 * s.N))
			for b.Loop() {
				if err := synth.Fill(dst, s); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(s.N),
				"ns/update")
		})
	}
}
