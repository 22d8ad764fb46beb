package gomezluna13

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/variant"
)

// fullest is the setting with the largest replication factor.
func fullest(mapping variant.Mapping) func(words int) setting {
	return func(words int) setting {
		return setting{layout: layout{words: words, copies: mostCopies(words), mapping: mapping}}
	}
}

// figure6 is the latency of the same random patterns with as many copies as
// possible, [gomezluna13] section 3, second experiment.
func figure6(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	cyclic, block := fullest(variant.Cyclic), fullest(variant.Block)
	all, err := surveyOf(ctx, o, 1, every, func(words int) []setting {
		return []setting{single(words), cyclic(words), block(words)}
	})
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	plain, copies := all.column(single), all.column(cyclic)
	f.Table(partsTable("figure6", "Mean latency of random patterns, the most copies", copies))
	f.Page = partsPage(fmt.Sprintf("Random patterns on the most copies, mean of %s (GeForce GTX 580)", papers.Thousands(o.Patterns)), copies)
	f.accuracyRow(copies)
	f.replicationRows(plain, copies)
	apart := 0.0
	for i, c := range all.column(block) {
		apart = math.Max(apart, 100*math.Abs(c.cycles/copies[i].cycles-1))
	}
	f.State("block and cyclic mapping differ by at most", apart, apart <= 0.3)
	return f.Outcome, nil
}

func (f *findings) replicationRows(plain, copies []conflicts) {
	below := from(lockWords)
	less := func(of func(conflicts) float64) []float64 {
		all := values(plain, of)
		for i, c := range copies {
			all[i] = 100 * (1 - of(c)/all[i])
		}
		return all
	}
	degree, latency := less(lockDegree), less(cycles)
	f.State("the copies lower the lock degree in vote spaces under 1,024 words by", degree[:below],
		slices.Min(degree[:below]) >= 10)
	f.State("the copies lower the latency in vote spaces under 1,024 words by", latency[:below],
		slices.Min(latency[:below]) >= 5)
	f.State("the copies change the lock degree in vote spaces of 1,024 words and more by",
		degree[below:], slices.Min(degree[below:]) == 0 && slices.Max(degree[below:]) == 0)
	f.State("the copies lower the latency in vote spaces of 1,024 words and more by", latency[below:],
		slices.Max(latency[below:]) <= 0)
	onWord := slices.Max(values(copies[:from(512)], func(c conflicts) float64 { return c.positionDegree }))
	f.State("position degree that is left with a copy for each lane, 32 to 256 words", onWord,
		onWord == 1)
}
