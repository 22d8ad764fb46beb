package trees

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/tuner/model"
)

// fresh.csv.gz holds what cuda/bench/scatter.py measured on one H200, once, on 40 streams that were drawn by the
// hash of the commit that froze the trees, 0xb9c5e215: medians in microseconds of the call, the plan and the best,
// of indices of 32 bits, and of PyTorch.
//
//go:embed fresh.csv.gz
var packedFresh []byte

// A freshCall holds the times of a stream and kind of call by implementation, the least of PyTorch's.
type freshCall map[string]float64

func freshCalls() (calls []freshCall, err error) {
	text, _, err := gzipped.Unpack(packedFresh, 1<<20)
	if err != nil {
		return nil, err
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	places := map[string]int{}
	for _, line := range lines[1:] {
		us, err := strconv.ParseFloat(line[5], 64)
		if err != nil {
			return nil, fmt.Errorf("fresh.csv: %s: %w", line[0], err)
		}
		key, name := strings.Join(line[:3], "|"), line[3]
		if _, there := places[key]; !there {
			places[key] = len(calls)
			calls = append(calls, freshCall{})
		}
		if c := calls[places[key]]; strings.HasPrefix(name, "torch") {
			c["torch"] = min(us, orInf(c, "torch"))
		} else {
			c[name] = us
		}
	}
	return calls, nil
}

func orInf(c freshCall, name string) float64 {
	if us, there := c[name]; there {
		return us
	}
	return math.Inf(1)
}

// writeFresh writes what whole calls took, as measured.
func writeFresh(doc *bytes.Buffer) error {
	calls, err := freshCalls()
	if err != nil {
		return err
	}
	fmt.Fprintf(doc, "\n## Whole calls, measured\n\nOn one H200, %d calls on 40 streams that were drawn by the hash of "+
		"the commit that froze these trees and\nmeasured once.\n\n| | mean | p90 | max |\n|---|---|---|---|\n", len(calls))
	line := func(rule, ours string, over func(c freshCall) float64) {
		var ratios []float64
		for _, c := range calls {
			if ratio := c[ours] / over(c); ratio > 0 { // no NaN is
				ratios = append(ratios, ratio)
			}
		}
		l := model.LossOf(ratios)
		fmt.Fprintf(doc, "| %s (%d calls) | %.3f | %.2f | %.2f |\n", rule, l.Points, l.GeometricMean, l.P90, l.Max)
	}
	unseen := func(c freshCall) float64 { return c["best:unseen"] }
	line(longRule, "atomtune", func(c freshCall) float64 { return overLong(unseen(c)) })
	line(shortRule, "atomtune", func(c freshCall) float64 { return overShort(unseen(c)) })
	line("whole call over best", "atomtune", func(c freshCall) float64 { return c["best"] })
	line("plan over best unseen", "atomtune:plan", unseen)
	line("whole call over PyTorch", "atomtune", func(c freshCall) float64 { return orInf(c, "torch") })
	return nil
}
