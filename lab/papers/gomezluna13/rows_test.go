package gomezluna13

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/paperstest"
)

// TestRandomRowsDiscriminate distorts the means behind Figures 5 and 6.
func TestRandomRowsDiscriminate(t *testing.T) {
	o := options(t, papers.Options{Patterns: 5000, Seed: 2})
	cyclic := fullest(impl.Cyclic)
	all, err := surveyOf(context.Background(), o, 1, rarely,
		func(words int) []setting { return []setting{single(words), cyclic(words)} })
	if err != nil {
		t.Fatal(err)
	}
	plain, copies := all.column(single), all.column(cyclic)
	rows := func(change func(c *conflicts)) []papers.Row {
		var f findings
		column := slices.Clone(plain)
		for i := range column {
			change(&column[i])
		}
		f.accuracyRow(column)
		f.shareRows(column)
		f.degreeRows(column)
		return f.Rows
	}
	grows := 0.0
	paperstest.Discriminates(t, [][]papers.Row{
		rows(func(*conflicts) {}),
		rows(func(c *conflicts) { c.lock, c.bank, c.bankDegree = 9, 1, 9 }),
		rows(func(c *conflicts) { c.lock, c.bank, c.bankDegree = c.bank, c.lock, 1 }),
		rows(func(c *conflicts) { c.aliased, c.closed = 1-c.aliased, 2*c.closed }),
		rows(func(c *conflicts) { grows += 200; c.cycles, c.lockDegree = grows, grows; c.aliased = 0 }),
	})
	replicated := func(plain, copies []conflicts) []papers.Row {
		var f findings
		f.replicationRows(plain, copies)
		return f.Rows
	}
	conflicting := slices.Clone(copies)
	for i := range conflicting {
		conflicting[i].positionDegree++
		conflicting[i].lockDegree++
	}
	paperstest.Discriminates(t, [][]papers.Row{replicated(plain, copies), replicated(copies, plain),
		replicated(plain, conflicting)})
}

// TestLayoutRowsDiscriminate distorts the means behind Figure 7.
func TestLayoutRowsDiscriminate(t *testing.T) {
	golden.OnlyFull(t)
	o := options(t, papers.Options{Patterns: 2000, Seed: 2})
	all, err := surveyOf(context.Background(), o, rarely, rarely, func(words int) (both []setting) {
		for _, l := range layoutsOf(words) {
			both = append(both, setting{l, false}, setting{l, true})
		}
		return both
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := func(change func(s *setting, c *conflicts)) []papers.Row {
		return layoutRows(all,
			o.Patterns, change)
	}
	paperstest.Discriminates(t, [][]papers.Row{
		rows(func(*setting, *conflicts) {}),
		rows(func(_ *setting, c *conflicts) { c.cycles, c.closed = 1000-c.cycles, 2*c.closed }),
		rows(func(_ *setting, c *conflicts) { c.cycles, c.locked = 300, 1-c.locked }),
		rows(func(s *setting, _ *conflicts) { s.sorted = !s.sorted }),
		rows(func(s *setting, c *conflicts) { // more copies, padding, block mapping, sorting: all good
			c.cycles = 1000 / float64((s.copies+s.pad)*(1+int(s.mapping)))
			if s.sorted {
				c.cycles /= 2
			}
		}),
		rows(func(s *setting, c *conflicts) { // 1,024 words are best
			c.cycles = 300 + math.Abs(math.Log2(float64(s.copies*s.words)/lockWords))
		}),
		rows(func(s *setting, c *conflicts) {
			n := &c.neighbours
			n.onWord, n.onLock, n.onBank = n.pairs/3, n.pairs/3, n.pairs/3
		}),
		rows(func(s *setting, c *conflicts) {
			if s.pad > 0 || s.sorted {
				c.cycles, c.locked = 1000-float64(s.copies), 0.1/float64(1+s.pad)
			}
		}),
	})
}

// layoutRows are the rows of Figure 7 after a change of settings and means.
func layoutRows(all survey, patterns int, change func(s *setting, c *conflicts)) []papers.Row {
	distorted := survey{}
	for s, c := range all {
		change(&s, &c)
		distorted[s] = c
	}
	var f findings
	f.layoutAccuracy(distorted, patterns)
	f.randomRows(distorted)
	f.sortedCyclicRows(distorted)
	f.paddingRows(distorted)
	f.sortedBlockRows(distorted)
	return f.Rows
}

// TestVoteRowsDiscriminate makes up the times behind Figures 8 and 9.
func TestVoteRowsDiscriminate(t *testing.T) {
	golden.OnlyFull(t)
	d, err := gtx580()
	if err != nil {
		t.Fatal(err)
	}
	var all []voting
	eachKmeans(func(components, clusters int) {
		all = append(all,
			kmeansRuns(d, components, clusters)...)
	})
	paperstest.Discriminates(t, voteCases(t, all, func(f *findings, us times) {
		f.factorRows(d, us)
		f.kmeansPaddingRow(us)
		f.kmeansBlockRows(d, us, []float64{2, us[all[0]] / 100.5})
	}), "the lanes of one warp use")
	paperstest.Discriminates(t, voteCases(t, append(histograms(d), launches()...),
		func(f *findings, us times) {
			f.memoryRows(d, us)
			f.histogramPaddingRows(d, us)
			f.histogramMappingRows(d, us, []float64{0.9, 1})
			f.launchRows(d, us)
		}), "conflicts within a warp only")
}

// TestMoreObjects: of four times as many objects the paper's replication factors are the fastest
// where half as many copies are with the paper's number, since these are cleared and added up sooner.
func TestMoreObjects(t *testing.T) {
	golden.OnlyFull(t)
	for _, components := range []int{4, 5} {
		const clusters, repeats = 128, 2
		paper := kmeansFactors[clusters]
		both := []voting{kmeans(components, clusters, paper, 0, impl.Cyclic),
			kmeans(components, clusters, paper/2, 0, impl.Cyclic)}
		for times, more := range map[int]bool{1: false, 4: true} {
			o := options(t, papers.Options{Objects: times * papers.DefaultObjects})
			us, err := timesOf(t.Context(), o, both, repeats,
				func(clusters, repeat int) []uint32 { return assign(o, clusters, repeat) })
			if err != nil {
				t.Fatal(err)
			}
			if first := us[both[0]] < us[both[1]]; first != more {
				t.Errorf("%d components, %d times as many objects: %v us with %d copies, %v us with half",
					components, times, us[both[0]], paper, us[both[1]])
			}
		}
	}
}

// voteCases are the rows of made-up times, which depend on the words that the
// copies take, in units of the locks, padding, mapping and launch in several ways.
func voteCases(t *testing.T, all []voting, add func(f *findings, us times)) [][]papers.Row {
	t.Helper()
	var cases [][]papers.Row
	few := func(v voting) float64 { return min(1, 256/float64(v.words)) }
	for _, time := range []func(v voting, taken, pad, block float64) float64{
		func(_ voting, _, _, _ float64) float64 { return 100 },
		func(_ voting, taken, _, _ float64) float64 { return 100 + math.Abs(math.Log2(taken)) },
		func(_ voting, taken, pad, block float64) float64 {
			return 100 + 10*math.Abs(math.Log2(taken)) + 20*block - 20*pad - taken*block*pad
		},
		func(_ voting, taken, pad, block float64) float64 { return 1e5/1024/taken + 50*block + 10*pad },
		func(_ voting, taken, pad, block float64) float64 {
			return (100 + 1024*taken) * (1 - block/2) * (1 - pad/2)
		},
		func(v voting, taken, pad, block float64) float64 {
			return (1 + taken*block) * (1 - 0.3*pad*few(v)) * float64(v.blocks)
		},
		func(_ voting, taken, pad, block float64) float64 { return (1 + taken*(1-block)) * (1 + pad) },
		func(v voting, taken, pad, block float64) float64 {
			return 10 + max(0, 1/taken-1) - 5*pad*few(v)*(1-block) - pad*block*min(1, taken/2)
		},
	} {
		us := times{}
		for _, v := range all {
			us[v] = time(v, float64(v.words*v.copies)/1024, float64(v.pad), float64(v.mapping))
		}
		var f findings
		add(&f, us)
		cases = append(cases, f.Rows)
	}
	return cases
}
