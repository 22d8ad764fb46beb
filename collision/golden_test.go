package collision_test

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/internal/golden"
)

// TestMeasured: all statistics of streams of all families, exact and of samples, with their half-widths
// are what testdata/measured.txt holds, for warps and blocks of several sizes.
func TestMeasured(t *testing.T) {
	rng := synth.NewRand(23)
	var lines []string
	for i := range 60 {
		spec, err := synth.Sample(rng, synth.Ranges{NMin: 1, NMax: 1 << 17, KMax: 1 << 22})
		if err != nil {
			t.Fatal(err)
		}
		indices, err := synth.Generate(spec)
		if err != nil {
			t.Fatal(err)
		}
		o := collision.Options{Bins: uint64(spec.K), Workers: 1, WarpSize: []int{32, 64, 16, 7}[i%4]}
		if i%5 == 1 {
			o.Bins = 0
		}
		if i%6 == 2 { // lanes without an update
			o.Padded = true
			for at := i; at < len(indices); at += i {
				indices[at] = collision.Inactive
			}
		}
		var sum golden.Digest
		for _, blocks := range []int{0, 4, 16, 64} {
			o.Sample, o.Seed = blocks, uint64(i)
			s, err := collision.Analyze(indices, o)
			if err != nil {
				sum.Text("refused")
				continue
			}
			sum.JSON(t, s)
		}
		a, err := collision.NewAccumulator(o)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Add(indices); err != nil {
			t.Fatal(err)
		}
		sum.JSON(t, a.Frequencies())
		lines = append(lines, fmt.Sprintf("%s: %s", spec, &sum))
	}
	golden.Compare(t, "testdata/measured.txt", lines)
}
