package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"

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
func figure6(ctx context.Context, o Options) (Outcome, error) {
	cyclic, block := fullest(variant.Cyclic), fullest(variant.Block)
	all, err := o.survey(ctx, 1, every, func(words int) []setting {
		return []setting{single(words), cyclic(words), block(words)}
	})
	if err != nil {
		return Outcome{}, err
	}
	var f findings
	plain, copies := all.column(single), all.column(cyclic)
	f.table(partsTable("figure6", "Mean latency of random patterns, the most copies", copies))
	f.Page = partsPage(fmt.Sprintf("Random patterns on the most copies, mean of %s (GeForce GTX 580)", thousands(o.Patterns)), copies)
	f.accuracyRow(copies)
	f.replicationRows(plain, copies)
	apart := 0.0
	for i, c := range all.column(block) {
		apart = math.Max(apart, 100*math.Abs(c.cycles/copies[i].cycles-1))
	}
	f.enforce(claim{
		item: "block and cyclic mapping differ by at most", paper: Text("identical"), ours: Number(apart), unit: "%",
		reason: "the same patterns; at most 0.3 %", holds: apart <= 0.3,
	})
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
	f.enforce(claim{
		item: "the copies lower the lock degree in vote spaces under 1,024 words by", paper: Text("important decrease"),
		ours: Interval(slices.Min(degree[:below]), slices.Max(degree[:below])), unit: "%", reason: "at least 10 %", holds: slices.Min(degree[:below]) >= 10,
	})
	f.enforce(claim{
		item: "the copies lower the latency in vote spaces under 1,024 words by", paper: Text("reduction"),
		ours: Interval(slices.Min(latency[:below]), slices.Max(latency[:below])), unit: "%", reason: "at least 5 %", holds: slices.Min(latency[:below]) >= 5,
	})
	f.enforce(claim{
		item: "the copies change the lock degree in vote spaces of 1,024 words and more by", paper: Number(0),
		ours: Interval(slices.Min(degree[below:]), slices.Max(degree[below:])), unit: "%", reason: "of the same patterns",
		holds: slices.Min(degree[below:]) == 0 && slices.Max(degree[below:]) == 0,
	})
	f.enforce(claim{
		item: "the copies lower the latency in vote spaces of 1,024 words and more by", paper: Text("no improvement"),
		ours: Interval(slices.Min(latency[below:]), slices.Max(latency[below:])), unit: "%", reason: "not above 0", holds: slices.Max(latency[below:]) <= 0,
	})
	onWord := slices.Max(values(copies[:from(512)], func(c conflicts) float64 { return c.positionDegree }))
	f.enforce(claim{
		item: "position degree that is left with a copy for each lane, 32 to 256 words", paper: Number(1), ours: Number(onWord), unit: "lanes",
		reason: "position conflicts turn into bank conflicts, or lock conflicts beyond 1,024 words", holds: onWord == 1,
	})
}
