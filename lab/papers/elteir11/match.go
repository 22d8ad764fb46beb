package elteir11

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

const queries = 4

// matchGroups are the workgroups of Figure 13.
var matchGroups = []int{32, 64, 128}

// found are the places of a query's matches, which the paper does not give:
// drawn at random among the first so many bytes, each place once, in ascending order.
func found(query, bytes int, seed uint64) []int {
	rng := rand.New(rand.NewPCG(seed, uint64(query)))
	places := map[int]bool{}
	for len(places) < matches[query] {
		places[rng.IntN(bytes)] = true
	}
	return slices.Sorted(maps.Keys(places))
}

// matching is string match: each thread reads its chunk of the file, character
// by character, and at a match takes a place in the output and writes there. A
// turn of the loop has a load, a comparison and a branch, as the coordinator's
// waiting loop has, and takes so many cycles.
func matching(groups int, places []int, iteration int) *coordinator.Kernel {
	const lanes = coordinator.WavefrontLanes
	chunk := matchBytes / (groups * lanes)
	k := &coordinator.Kernel{Variables: []uint32{0}, Groups: make([]coordinator.Workgroup, groups)}
	for g := range k.Groups {
		front := make(coordinator.Wavefront, chunk)
		for i := range front {
			front[i].Before = coordinator.Work{Loads: 1, Cycles: iteration}
		}
		k.Groups[g] = coordinator.Workgroup{front}
	}
	for _, place := range places {
		thread, i := place/chunk, place%chunk
		s := &k.Groups[thread/lanes][0][i]
		s.After = coordinator.Work{Stores: 1}
		s.Updates = append(s.Updates, coordinator.Update{Lane: thread % lanes, Operand: 1})
	}
	return k
}

// figure13 is string match, [elteir11] Figure 13.
func (r *radeon) figure13(f *findings) {
	t := papers.NewTable("figure13", "String match in 4 MB",
		"query|matches|workgroups|device's own [us]|coordinator [us]|speedup")
	var all [queries]comparisons
	done := 0.0
	for q := range all {
		places := found(q, matchBytes, r.options.Seed)
		all[q] = sweep(matchGroups, func(n int) comparison {
			d := r.comparison(matching(n, places, int(r.form.Turn)))
			t.Add(q+1, matches[q], n, d.systemUS, d.softwareUS, d.speedup())
			done++
			r.options.Progress(done, queries*float64(len(matchGroups)))
			return d
		})
	}
	half := all
	for q := range queries - 1 {
		places := found(q, matchBytes/2, r.options.Seed)
		half[q] = sweep(matchGroups, func(n int) comparison {
			return r.comparison(matching(n, places, int(r.form.Turn)))
		})
	}
	f.Table(t)
	f.matchRows(all, half, r.iterationsMatter(r.options.Seed))
	f.Page = matchPage(all)
}

// iterationsMatter is the mean speedup of the first query with twice and with half
// as many cycles per character.
func (r *radeon) iterationsMatter(seed uint64) papers.Value {
	places := found(0, matchBytes, seed)
	var mean [2]float64
	for i, iteration := range []float64{2 * r.form.Turn, r.form.Turn / 2} {
		all := sweep(matchGroups, func(n int) comparison {
			return r.comparison(matching(n, places, int(iteration)))
		})
		mean[i] = all.mean()
	}
	return papers.Interval(mean[0], mean[1])
}

// matchRows compares with what the paper says; half is with all matches in one half of the file.
func (f *findings) matchRows(all, half [queries]comparisons, iterations papers.Value) {
	const runs = (queries - 1) * 3
	mean, wins := wonOf(all)
	_, halfWins := wonOf(half)
	almostAll := func(wins int) bool { return wins == runs-1 }
	f.ratio("mean speedup of queries 1 to 3", statedMatch, mean, iterations)
	f.State("runs of queries 1 to 3 that the coordinator wins", wins, almostAll(wins),
		f.without(papers.Number(float64(halfWins)), almostAll(halfWins)))
	worst := 0.0
	for _, d := range all[3] {
		worst = max(worst, d.speedup())
	}
	f.State("speedup of query 4", papers.Interval(all[3].least(), worst), worst < 0.8)
}

// wonOf is the mean speedup of queries 1 to 3, and how many of their runs the coordinator wins.
func wonOf(all [queries]comparisons) (mean float64, wins int) {
	three := slices.Concat(all[:queries-1]...)
	for _, d := range three {
		wins += papers.One(d.speedup() > 1)
	}
	return three.mean(), wins
}

// least is the smallest speedup.
func (all comparisons) least() float64 {
	least := all[0].speedup()
	for _, d := range all {
		least = min(least, d.speedup())
	}
	return least
}

func matchPage(all [queries]comparisons) plot.Page {
	page := plot.Page{Title: "String match in 4 MB (Radeon HD 5870, simulated)", Width: 1100,
		Columns: 4, SharedY: true}
	for q, query := range all {
		var own, software []float64
		var names []string
		for _, d := range query {
			names = append(names, fmt.Sprint(d.groups))
			own, software = append(own, d.systemUS), append(software, d.softwareUS)
		}
		page.Panels = append(page.Panels, plot.Bars{
			Title:  fmt.Sprintf("query %d: %s matches", q+1, papers.Thousands(matches[q])),
			XLabel: "workgroups", YLabel: "kernel time [us]",
			Categories: names, Series: []plot.Series{{Name: "device's own atomic", Values: own},
				{Name: "coordinator", Values: software}},
		})
	}
	return page
}
