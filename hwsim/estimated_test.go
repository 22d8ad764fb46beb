package hwsim

import (
	"fmt"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/rows"
)

// TestEstimatedRows: times of longer streams of rows, most of which are beyond an L2 made small, and of
// the launches that sort them, are what testdata/estimatedrows.txt holds.
func TestEstimatedRows(t *testing.T) {
	var lines []string
	rng := synth.NewRand(31)
	for _, f := range rows.Forms() {
		var sum golden.Digest
		for i, k := range slices.Repeat(rows.Kinds(), 6) {
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
			cfg := RowConfig{Device: d, Form: f, Seed: uint64(i),
				Call: rows.Call{Kind: k, Width: []uint64{8, 40, 3, 64}[i%4], Keeps: i%2 > 0}}
			us, err := EstimateRows(cfg, indices, uint64(spec.K))
			if err != nil {
				sum.Text(err.Error())
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
