package gomezluna13

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// single is one copy of a vote space.
func single(words int) setting { return setting{layout: layout{words: words, copies: 1}} }

// figure5 is the latency of random patterns and what it consists of,
// [gomezluna13] section 3, first experiment.
func figure5(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	all, err := surveyOf(ctx, o, 1, rarely,
		func(words int) []setting { return []setting{single(words)} })
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	plain := all.column(single)
	f.Table(partsTable("figure5", "Mean latency of random patterns, one copy", plain))
	f.Page = partsPage(fmt.Sprintf("Random patterns on one copy, mean of %s (GeForce GTX 580)",
		papers.Thousands(o.Patterns)), plain)
	f.accuracyRow(plain)
	if err := f.costRow(); err != nil {
		return papers.Outcome{}, err
	}
	f.shareRows(plain)
	f.degreeRows(plain)
	return f.Outcome, nil
}

// column lists the means of one setting of each vote space.
func (s survey) column(of func(words int) setting) []conflicts {
	return papers.List(len(voteSpaces), func(i int) conflicts { return s[of(voteSpaces[i])] })
}

// values lists one quantity of each vote space.
func values(column []conflicts, of func(conflicts) float64) []float64 {
	return papers.List(len(column), func(i int) float64 { return of(column[i]) })
}

func lockDegree(c conflicts) float64 { return c.lockDegree }

func cycles(c conflicts) float64 { return c.cycles }

// lockShare is the percentage of the penalties that is due to locks.
func lockShare(c conflicts) float64 { return 100 * c.lock / (c.lock + c.bank) }

// from is the number of the vote space of so many words.
func from(words int) int { return slices.Index(voteSpaces, words) }

func (f *findings) accuracyRow(column []conflicts) {
	apart := slices.Max(values(column, func(c conflicts) float64 {
		return 100 *
			math.Abs(c.closed/c.simulated-1)
	}))
	f.State("mean latency, estimated against measured, differs by at most", apart,
		apart <= statedError)
}

// costRow compares what one more conflict of each kind costs.
func (f *findings) costRow() error {
	p, err := newProbe(device.OpAdd)
	if err != nil {
		return err
	}
	bank := p.penalty(starting(0, 32))
	position, lock := p.penalty(onOneWord(2, 0))/bank, p.penalty(starting(0, 1024))/bank
	f.State("cost of a position and of a lock conflict over that of a bank conflict",
		papers.Interval(position, lock), p.agreed() && position > 1.5 && lock > 1.5)
	return p.err
}

func (f *findings) shareRows(plain []conflicts) {
	few, many := plain[:from(256)], plain[from(256):]
	share := values(few, lockShare)
	f.State("lock and position conflicts, share of the penalties, 32 to 128 words", share,
		slices.Min(share) > 50)
	at := plain[from(128)]
	f.State("locks cost more than banks even where the bank conflict degree is higher: bank over "+
		"lock degree, 128 words",
		at.bankDegree/at.lockDegree, at.bankDegree > at.lockDegree && lockShare(at) > 50, lockShare(at))
	share = values(many, lockShare)
	last := plain[from(1024)]
	f.State("lock and position conflicts, share of the penalties, 256 to 4,096 words", share,
		slices.Min(share) > 50, last.lockDegree, last.lock, last.bankDegree, last.bank,
		100*(last.cycles-last.bank)/last.cycles)
}

func (f *findings) degreeRows(plain []conflicts) {
	own, shared := plain[:from(1024)+1], plain[from(1024):]
	aliased := slices.Max(values(own, func(c conflicts) float64 { return 100 * c.aliased }))
	f.State("patterns whose lock degree is not that of position conflicts, 32 to 1,024 words", aliased,
		aliased == 0)
	aliased = slices.Min(values(shared[1:], func(c conflicts) float64 { return 100 * c.aliased }))
	f.State("patterns whose lock degree is due to aliased addresses, 2,048 and 4,096 words", aliased,
		aliased > 1)
	f.State("lock degree falls with the vote space up to 1,024 words", course(own, lockDegree),
		papers.Falls(values(own, lockDegree)))
	f.State("latency falls with the vote space up to 1,024 words", course(own, cycles),
		papers.Falls(values(own, cycles)))
	f.keptRow("lock degree changes between 1,024 and 4,096 words by at most", shared, lockDegree)
	f.keptRow("latency changes between 1,024 and 4,096 words by at most", shared, cycles)
}

// keptRow adds a statement that a quantity stays as it is.
func (f *findings) keptRow(item string, column []conflicts, of func(conflicts) float64) {
	all := values(column, of)
	change := 100 * (slices.Max(all)/slices.Min(all) - 1)
	f.State(item, change, change <= 2)
}

// course is the first and the last value of a quantity.
func course(column []conflicts, of func(conflicts) float64) papers.Value {
	return papers.Text(fmt.Sprintf("%.4g to %.4g", of(column[0]), of(column[len(column)-1])))
}

func partsTable(name, title string, column []conflicts) papers.Table {
	t := papers.NewTable(name, title,
		"vote space [words]|base [cycles]|lock conflicts [cycles]|bank conflicts [cycles]|"+
			"latency [cycles]|simulated [cycles]|lock degree|position degree|bank degree")
	for i, c := range column {
		t.Add(voteSpaces[i], c.cycles-c.lock-c.bank, c.lock, c.bank, c.cycles, c.simulated, c.lockDegree,
			c.positionDegree, c.bankDegree)
	}
	return t
}

// partsPage stacks the parts of the latency under the simulated one.
func partsPage(title string, column []conflicts) plot.Page {
	b := plot.Bars{
		Title: title, XLabel: "vote space [32-bit words]; above the bars: mean lock / bank conflict " +
			"degree", YLabel: "latency [cycles]", Stacked: true,
		Series: []plot.Series{
			{Name: "t_base", Values: values(column, func(c conflicts) float64 {
				return c.cycles - c.lock -
					c.bank
			})},
			{Name: "lock and position conflicts", Values: values(column,
				func(c conflicts) float64 { return c.lock })},
			{Name: "bank conflicts", Values: values(column, func(c conflicts) float64 { return c.bank })},
		},
		Overlay: []plot.Line{{Name: "simulated", Y: values(column,
			func(c conflicts) float64 { return c.simulated }), Style: plot.Markers}},
		Labels: [][]string{nil},
	}
	for i, c := range column {
		b.Categories = append(b.Categories, fmt.Sprint(voteSpaces[i]))
		b.Labels[0] = append(b.Labels[0], fmt.Sprintf("%.2f / %.2f", c.lockDegree, c.bankDegree))
	}
	return plot.Page{Panels: []plot.Panel{b}}
}

// fullest is the setting with the largest replication factor.
func fullest(mapping impl.Mapping) func(words int) setting {
	return func(words int) setting {
		return setting{layout: layout{words: words, copies: mostCopies(words), mapping: mapping}}
	}
}

// figure6 is the latency of the same random patterns with as many copies as
// possible, [gomezluna13] section 3, second experiment.
func figure6(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	cyclic, block := fullest(impl.Cyclic), fullest(impl.Block)
	all, err := surveyOf(ctx, o, 1, rarely, func(words int) []setting {
		return []setting{single(words), cyclic(words), block(words)}
	})
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	plain, copies := all.column(single), all.column(cyclic)
	f.Table(partsTable("figure6", "Mean latency of random patterns, the most copies", copies))
	f.Page = partsPage(fmt.Sprintf("Random patterns on the most copies, mean of %s (GeForce GTX 580)",
		papers.Thousands(o.Patterns)), copies)
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
	onWord := slices.Max(values(copies[:from(512)],
		func(c conflicts) float64 { return c.positionDegree }))
	f.State("position degree that is left with a copy for each lane, 32 to 256 words", onWord,
		onWord == 1)
}
