package emit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/internal/must"
)

// streamSpecs holds each family that a program makes itself, with and without its switches.
var streamSpecs = []string{
	"cells:n=2000,k=1000,seed=1,ppc=3,shift=0.25", "constant:n=300,k=9,at=8",
	"hotspot:n=2000,k=300,seed=2,h=5,p=0.7", "hotspot:n=2000,k=300,seed=3,h=300,shuffle=1",
	"image:n=2000,k=256,seed=4,scale=7,noise=0.3", "image:n=300,k=5,seed=5,scale=2",
	"markov:n=2000,k=500,seed=6,w=7", "permuted:n=2000,k=65,seed=7", "permuted:n=300,k=1,seed=7",
	"runs:n=2000,k=4294967295,seed=8,len=5", "runs:n=2000,k=50,seed=9,len=6,fixed=1",
	"sequential:n=300,k=7", "sorted:n=2000,k=100000,seed=10", "stride:n=300,k=64,step=5",
	"uniform:n=2000,k=3221225472,seed=11", "window:n=2000,k=500,seed=12,w=9,hold=3",
	"zipf:n=2000,k=300,seed=13,s=1", "zipf:n=2000,k=4294967295,seed=14,s=0.6",
	"zipf:n=2000,k=70000,seed=15,s=2.5,shuffle=1",
}

// generated runs the calls of streams.h and returns what they make.
func generated(t *testing.T, calls []string) [][]uint32 {
	t.Helper()
	library := must.Get(open(parts, "parts", []string{"streams.h"}, nil))(t)
	var main strings.Builder
	for _, call := range calls {
		fmt.Fprintf(&main, "  for (const uint32_t i : %s) std::printf(\"%%u \", i);\n"+
			"  std::printf(\"\\n\");\n", call)
	}
	_, output := exitCodes(t, compile(t, standard()+"namespace {\n"+library.take(main.String())+"}\n"+
		"int main() {\n"+main.String()+"}\n"))
	var streams [][]uint32
	for line := range strings.Lines(output) {
		var stream []uint32
		for _, word := range strings.Fields(line) {
			var i uint32
			if _, err := fmt.Sscan(word, &i); err != nil {
				t.Fatal(err)
			}
			stream = append(stream, i)
		}
		streams = append(streams, stream)
	}
	if len(streams) != len(calls) {
		t.Fatalf("%d streams of %d", len(streams), len(calls))
	}
	return streams
}

// TestStreams compares the streams of programs with those of package synth. Logarithms may round
// otherwise, and change few of zipf's targets.
func TestStreams(t *testing.T) {
	specs := make([]synth.Spec, len(streamSpecs))
	calls := make([]string, len(streamSpecs))
	families := map[string]bool{"mixture": true} // which programs resemble
	for i, text := range streamSpecs {
		spec, err := synth.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		specs[i], families[spec.Family] = spec, true
		if calls[i], err = (&Stream{Synth: &specs[i]}).generator(1 << 32); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range synth.Families() {
		if !families[f.Name] {
			t.Errorf("no stream of family %s", f.Name)
		}
	}
	for i, have := range generated(t, calls) {
		want := must.Get(synth.Generate(specs[i]))(t)
		others := 0
		for u := range min(len(want), len(have)) {
			if want[u] != have[u] {
				others++
			}
		}
		if len(have) != len(want) || others > 2 || others > 0 && specs[i].Family != "zipf" {
			t.Errorf("%s: %d updates, %d of them on other targets, want %d", calls[i], len(have), others,
				len(want))
		}
	}
}

// TestResembling: a stream that is described keeps its runs and the shares of its frequent targets.
func TestResembling(t *testing.T) {
	const updates, bins, run = 40000, 1000, 4
	indices := make([]uint32, updates)
	for u := range indices {
		head := u - u%run
		if indices[u] = uint32(head / run * 37 % bins); head%(5*run) < 2*run {
			indices[u] = 77 // two of five runs, and a few of the others
		}
	}
	s := Stream{Name: "indices.npy"}
	s.Describe(indices, bins)
	if s.Updates != updates || len(s.Frequent) != 1 || s.Frequent[0].Target != 77 || s.Exact() {
		t.Fatalf("described as %+v", s)
	}
	call := must.Get(s.generator(bins))(t)
	have := generated(t, []string{call})[0]
	if len(have) != updates || slices.Max(have) >= bins {
		t.Fatalf("%s makes %d updates, the highest of %d", call, len(have), slices.Max(have))
	}
	again := Stream{}
	again.Describe(have, bins)
	if len(again.Frequent) != 1 || again.Frequent[0].Target != 77 {
		t.Fatalf("%s gives the frequent targets %v", call, again.Frequent)
	}
	near := func(what string, have, want float64) {
		if have < 0.9*want || have > 1.1*want {
			t.Errorf("%s: %s %.3f, want %.3f", call, what, have, want)
		}
	}
	near("share", again.Frequent[0].Share, s.Frequent[0].Share)
	near("run", again.Run, s.Run)
}

// TestDescribeFar: what stands out is found among many targets too, in memory that does not depend on
// their number.
func TestDescribeFar(t *testing.T) {
	const updates, bins = 1 << 16, 1 << 32
	r := synth.NewRand(1)
	indices := make([]uint32, updates)
	for u := range indices {
		if indices[u] = uint32(r.Below(bins)); u%500 == 3 {
			indices[u] = bins - 9
		} else if u%900 == 7 {
			indices[u] = 5
		}
	}
	var s Stream
	s.Describe(indices, bins)
	if len(s.Frequent) != 2 || s.Frequent[0].Target != bins-9 || s.Frequent[1].Target != 5 ||
		s.Frequent[0].Share != 132./updates {
		t.Errorf("%+v", s)
	}
	if n := len(candidates(indices)); n > 1000 {
		t.Errorf("%d candidates", n)
	}
}
