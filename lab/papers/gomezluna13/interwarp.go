package gomezluna13

import (
	"cmp"
	"context"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// collideLanes is the throughput where n lanes of every warp want the same
// words as those lanes of all other warps, each lane another one.
func (p *probe) collideLanes(n int) float64 {
	return p.rate(resident(func(w int) []int32 {
		pattern := ownWords(w, starting())
		for l := range n {
			pattern[l] = int32(l)
		}
		return pattern
	}))
}

// collideWarps is the throughput where the warps form groups of n: a quarter of
// a warp's lanes want the same words as those of the others of its group.
func (p *probe) collideWarps(n int) float64 {
	return p.rate(resident(func(w int) []int32 {
		pattern := ownWords(w, starting())
		for l := range lanes / 4 {
			pattern[l] = int32(w/n*lanes + l)
		}
		return pattern
	}))
}

// interwarp is how conflicts between warps lower the throughput, [gomezluna13]
// section 2.2.
func interwarp(context.Context, papers.Options) (papers.Outcome, error) {
	p, err := newProbe(device.OpAdd)
	if err != nil {
		return papers.Outcome{}, err
	}
	var byLanes, byWarps, within []float64
	t := papers.Table{
		Name: "section2.2", Title: "Throughput of 32 warps with conflicts of degree n",
		Columns: []string{"n", "n lanes of each warp collide [updates/cycle]", "n warps collide [updates/cycle]", "n lanes within each warp [updates/cycle]"},
	}
	for i, n := range powers {
		byLanes = append(byLanes, p.collideLanes(int(n)))
		byWarps = append(byWarps, p.collideWarps(int(n)))
		within = append(within, p.intrawarp(int(n)))
		t.Add(n, byLanes[i], byWarps[i], within[i])
	}
	if p.err != nil {
		return papers.Outcome{}, p.err
	}
	var f findings
	f.Table(t)
	f.Page = interwarpPage(byLanes, byWarps, within)
	f.interwarpRows(byLanes, byWarps, within)
	return f.Outcome, nil
}

func (f *findings) interwarpRows(byLanes, byWarps, within []float64) {
	spread := 100 * (slices.Max(byLanes)/slices.Min(byLanes) - 1)
	f.State("throughput depends on the number of colliding lanes of each warp by", spread,
		spread <= 10)
	falling := slices.IsSortedFunc(byWarps, func(a, b float64) int { return cmp.Compare(b, a) })
	left := 100 * byWarps[len(byWarps)-1] / byWarps[0]
	f.State("throughput falls with the number of colliding warps; left with 32", left,
		falling && left < 50)
	var dearer []float64
	for i := 1; i < len(powers); i++ {
		dearer = append(dearer, byWarps[i]/within[i])
	}
	f.State("throughput with n warps in conflict over that with n lanes of a warp", dearer,
		slices.Min(dearer) > 1)
}

func interwarpPage(byLanes, byWarps, within []float64) plot.Page {
	const rate = "throughput [updates/cycle]"
	return plot.Page{
		Title: "Conflicts between warps, 32 warps on one multiprocessor (GeForce GTX 580)", SharedY: true,
		Panels: []plot.Panel{
			plot.Figure{Title: "lanes of each warp that collide", XLabel: "colliding lanes of each warp", YLabel: rate, XLog: true, YLog: true,
				Lines: []plot.Line{{Name: "between 32 warps", X: powers, Y: byLanes}}},
			plot.Figure{Title: "warps that collide", XLabel: "degree of the conflict", YLabel: rate, XLog: true, YLog: true,
				Lines: []plot.Line{{Name: "between warps", X: powers, Y: byWarps}, {Name: "within each warp", X: powers, Y: within}}},
		},
	}
}
