package trees

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"strings"

	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/lab/bench"
	"github.com/atomtune/atomtune/tuner/model"
)

// fresh.csv.gz holds what bindings/cuda/bench/scatter.py measured once with the trees of commit dedf8789 on streams that
// were drawn by its hash: the call, the plan and the best on indices of 32 bits, and PyTorch.
//
//go:embed fresh.csv.gz
var packedFresh []byte

// longUS is the time in microseconds from which a sample is a small part of a call.
const longUS = 12

// writeFresh writes what whole calls took, as measured.
func writeFresh(doc *bytes.Buffer) error {
	const limit = 8 << 20
	text, _, err := gzipped.Unpack(packedFresh, limit)
	if err != nil {
		return err
	}
	run, err := bench.Decode("fresh.csv.gz", text)
	if err != nil {
		return err
	}
	fmt.Fprintf(doc, "\n## Whole calls, measured\n\n%[2]d calls with the trees of commit dedf8789, which are those above, measured "+
		"once on one %[1]s. Its hash was the\nseed of the streams.\n\n| | mean | p90 | max |\n|---|---|---|---|\n", run.GPU, len(run.Cases))
	line := func(rule, ours, theirs string, over func(us float64) float64) {
		var ratios []float64
		for i := range run.Cases {
			c := &run.Cases[i]
			if ratio := leastUS(c, ours) / over(leastUS(c, theirs)); ratio > 0 && !math.IsInf(ratio, 1) { // no NaN is
				ratios = append(ratios, ratio)
			}
		}
		l := model.LossOf(ratios)
		fmt.Fprintf(doc, "| %s (%d calls) | %.3f | %.2f | %.2f |\n", rule, l.Points, l.GeometricMean, l.P90, l.Max)
	}
	same := func(us float64) float64 { return us }
	line("best unseen takes 12 us or more: whole call over best unseen", "atomtune", "best:unseen", func(us float64) float64 {
		if us < longUS {
			return math.NaN()
		}
		return us
	})
	line("best unseen takes less: whole call over (1.1 times best unseen + 2.5 us)", "atomtune", "best:unseen", func(us float64) float64 {
		if us >= longUS {
			return math.NaN()
		}
		return 1.1*us + 2.5
	})
	line("whole call over best", "atomtune", "best", same)
	line("plan over best unseen", "atomtune:plan", "best:unseen", same)
	line("whole call over PyTorch", "atomtune", "torch.", same)
	return nil
}

// leastUS is the least time of the implementation of a name, or of all whose names begin with it and a dot.
func leastUS(c *bench.Case, name string) float64 {
	least := math.Inf(1)
	for place, t := range c.Times {
		named := place.Implementation == name || strings.HasSuffix(name, ".") && strings.HasPrefix(place.Implementation, name)
		if named && t.Wrong == 0 {
			least = min(least, t.US)
		}
	}
	return least
}
