package hwsim

import (
	"fmt"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// TestSimulated: times, events and counts of every implementation are what testdata/simulated.txt holds, of
// calls of all kinds on streams and devices that take turns, under several launches, and so are the times
// that Estimate gives of longer streams.
func TestSimulated(t *testing.T) {
	kinds, shapes, names := calls(), shapes(), golden.Devices
	iteration := 0
	var lines []string
	for _, v := range suite(t) {
		var sum golden.Digest
		for runs := 0; runs < 24; iteration++ {
			s, d := shapes[iteration%len(shapes)], profile(t, names[iteration%len(names)])
			cfg := Config{Device: d, Implementation: v, Call: kinds[iteration*7%len(kinds)], Seed: uint64(iteration), Relaid: iteration%2 > 0}
			if iteration%3 == 0 {
				cfg.Launch = device.Launch{Blocks: uint64(1 + iteration%5), Threads: d.Limits().WarpLanes << (iteration % 3)}
			}
			if v.NeedsGrouped() {
				s.indices = slices.Sorted(slices.Values(s.indices))
			}
			r, err := Run(cfg, s.indices, s.bins)
			if runs++; err != nil {
				sum.Text("refused")
				continue
			}
			r.Final, r.Returned = nil, nil // TestEveryCall checks them
			sum.JSON(t, r)
		}
		lines = append(lines, v.String()+": "+sum.String())
	}
	golden.Compare(t, "testdata/simulated.txt", append(lines, estimated(t)...))
}

// estimated are digests of estimates of streams of all families.
func estimated(t *testing.T) (lines []string) {
	rng := synth.NewRand(24)
	sums := map[impl.Spec]*golden.Digest{}
	for i := range 12 {
		spec, err := synth.Sample(rng, synth.Ranges{NMin: 1 << 12, NMax: 1 << 14, KMax: 1 << 14})
		if err != nil {
			t.Fatal(err)
		}
		indices, err := synth.Generate(spec)
		if err != nil {
			t.Fatal(err)
		}
		d := profile(t, []string{"h200", "gtx680", "mi300x", "c2075"}[i%4])
		for k, v := range suite(t) {
			if (i+k)%4 > 0 {
				continue
			}
			if sums[v] == nil {
				sums[v] = new(golden.Digest)
			}
			us, err := Estimate(Config{Device: d, Implementation: v, Call: device.Call{Type: device.Types()[i%6]}, Coarse: i%8 < 4},
				indices, uint64(spec.K))
			if err != nil {
				sums[v].Text("refused")
				continue
			}
			sums[v].Add(us)
		}
	}
	for v, sum := range sums {
		lines = append(lines, "estimates of "+v.String()+": "+sum.String())
	}
	slices.Sort(lines)
	return lines
}

// TestSimulatedRows: times, events and counts of all implementations of row scatter are what
// testdata/simulatedrows.txt holds.
func TestSimulatedRows(t *testing.T) {
	var lines []string
	for iteration, f := range slices.Repeat(rowForms, 3) {
		var sum golden.Digest
		d := small(t, []string{"h200", "a100", "h100"}[iteration%3], float64(2+iteration%3))
		for i, k := range rowTypes {
			for j, width := range []uint64{1, 3, 32, 200} {
				indices := rowStream(100*(1+i)+317*j, 40)
				cfg := Config{Device: d, Implementation: f, Seed: uint64(j),
					Call: wide(k, width, (iteration+i+j)%2 > 0)}
				r, err := Run(cfg, indices, 40)
				if err != nil {
					sum.Text("refused")
					continue
				}
				r.Final = nil // TestRowsAreAdded checks it
				sum.JSON(t, r)
			}
		}
		lines = append(lines, fmt.Sprintf("%s on %s: %s", f, d.Name, &sum))
	}
	golden.Compare(t, "testdata/simulatedrows.txt", lines)
}

// TestEstimatedRows: times of longer streams of rows, most of which are beyond an L2 made small, and of
// the launches that sort them, are what testdata/estimatedrows.txt holds.
func TestEstimatedRows(t *testing.T) {
	var lines []string
	rng := synth.NewRand(31)
	for _, f := range rowForms {
		var sum golden.Digest
		for i, k := range slices.Repeat(rowTypes, 6) {
			spec, err := synth.Sample(rng, synth.Ranges{NMin: 1 << 12, NMax: 1 << 14, KMax: 1 << 14})
			if err != nil {
				t.Fatal(err)
			}
			indices, err := synth.Generate(spec)
			if err != nil {
				t.Fatal(err)
			}
			d := small(t, []string{"h200", "a100", "h100"}[i%3], float64(1+i%2))
			d.Memory.L2AtomicBytes.Value = float64(int(1) << (10 + 3*(i%4)))
			cfg := Config{Device: d, Implementation: f, Seed: uint64(i),
				Call: wide(k, []uint64{8, 40, 3, 64}[i%4], i%2 > 0)}
			us, err := Estimate(cfg, indices, uint64(spec.K))
			if err != nil {
				sum.Text("refused")
				continue
			}
			sum.Add(us)
			times, err := SortRows(cfg, indices, uint64(spec.K))
			if err != nil {
				t.Fatal(err)
			}
			sum.JSON(t, times)
		}
		lines = append(lines, fmt.Sprintf("%s: %s", f, &sum))
	}
	golden.Compare(t, "testdata/estimatedrows.txt", lines)
}

// TestScratchpads: cycles, turns and refusals of operations of one warp and of several, each on patterns of
// few words and of many, are what testdata/scratchpads.txt holds.
func TestScratchpads(t *testing.T) {
	var lines []string
	rng := splitmix.New(32)
	for _, name := range golden.Devices {
		d := profile(t, name)
		for _, op := range device.Operations() {
			var sum golden.Digest
			for _, typ := range device.Types() {
				s, err := NewScratchpad(d, op, typ)
				if err != nil {
					sum.Text("refused")
					continue
				}
				for i := range 8 {
					patterns := make([][]int32, 1+i)
					for w := range patterns {
						patterns[w] = drawPattern(rng, d.Limits().WarpLanes, 1<<(1+i))
						alone, err := s.Warp(patterns[w])
						if err != nil {
							t.Fatal(err)
						}
						sum.Add(alone)
					}
					together, err := s.Warps(patterns, 1+i%4)
					if err != nil {
						t.Fatal(err)
					}
					sum.JSON(t, together)
				}
			}
			lines = append(lines, fmt.Sprintf("%s %s: %s", name, op, &sum))
		}
	}
	golden.Compare(t, "testdata/scratchpads.txt", lines)
}

// drawPattern draws which of so many words each lane addresses, and lanes that take no part.
func drawPattern(rng *splitmix.Rand, lanes int, words uint64) []int32 {
	pattern := make([]int32, lanes)
	for l := range pattern {
		pattern[l] = int32(rng.Below(words+1)) - 1
	}
	return pattern
}
