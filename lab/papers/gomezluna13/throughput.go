package gomezluna13

import (
	"cmp"
	"math"
	"slices"

	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// residents is the number of warps that update together where throughput is
// measured: with a word of its own for each lane they use every lock once.
const residents = 32

// powers are the degrees at which throughput is measured.
var powers = []float64{1, 2, 4, 8, 16, 32}

// resident lets each of the warps run the pattern that of makes for it.
func resident(of func(warp int) []int32) [][]int32 {
	warps := make([][]int32, residents)
	for w := range warps {
		warps[w] = of(w)
	}
	return warps
}

// ownWords moves a pattern over the first words to the words of a warp.
func ownWords(warp int, pattern []int32) []int32 {
	for l := range pattern {
		pattern[l] += int32(warp * lanes)
	}
	return pattern
}

// intrawarp is the throughput where n lanes of every warp want one word, each
// warp another.
func (p *probe) intrawarp(n int) float64 {
	return p.rate(resident(func(w int) []int32 { return ownWords(w, onOneWord(n, 0)) }))
}

// throughput is how position conflicts within warps lower the throughput,
// [gomezluna13] section 2.1.1.
func throughput(f *findings, p *probe) {
	t := papers.NewTable("section2.1.1", "Throughput with n lanes of each warp on one word",
		"n|throughput [updates/cycle]")
	var rates, stated, left []float64
	for i, n := range powers {
		rates = append(rates, p.intrawarp(int(n)))
		stated = append(stated, rates[0]*math.Pow(1-statedLoss/100, math.Log2(n)))
		t.Add(n, rates[i])
		if i > 0 {
			left = append(left, 100*rates[i]/rates[i-1])
		}
	}
	f.Table(t)
	f.Page = plot.Page{Panels: []plot.Panel{plot.Figure{
		Title:  "32 warps of one multiprocessor, n lanes of each on one word (GeForce GTX 580)",
		XLabel: "lanes on one word, n", YLabel: "throughput [updates/cycle]",
		XLog: true, YLog: true, Lines: []plot.Line{{Name: "simulated", X: powers, Y: rates},
			{Name: "what the paper leaves of the first", X: powers, Y: stated, Style: plot.Markers}},
	}}}
	kept := 100 - statedLoss
	f.StateNumber("throughput left when the degree doubles", kept, left,
		p.err == nil && slices.Min(left) >= kept-5 && slices.Max(left) <= kept+5)
	apart := p.severalWords()
	f.State("throughput differs from that of the address with the highest degree by", apart,
		p.err == nil && apart <= 1)
}

// severalWords is by how many percent throughput changes when several words of
// each warp have conflicts of one degree instead of one word.
func (p *probe) severalWords() float64 {
	apart := 0.0
	for _, n := range powers[1:] {
		one := p.intrawarp(int(n))
		all := p.rate(resident(func(w int) []int32 { return ownWords(w, onSeveralWords(int(n))) }))
		if p.err == nil {
			apart = math.Max(apart, 100*math.Abs(all/one-1))
		}
	}
	return apart
}

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
func interwarp(f *findings, p *probe) {
	var byLanes, byWarps, within []float64
	t := papers.Table{
		Name: "section2.2", Title: "Throughput of 32 warps with conflicts of degree n",
		Columns: []string{"n", "n lanes of each warp collide [updates/cycle]",
			"n warps collide [updates/cycle]", "n lanes within each warp [updates/cycle]"},
	}
	for i, n := range powers {
		byLanes = append(byLanes, p.collideLanes(int(n)))
		byWarps = append(byWarps, p.collideWarps(int(n)))
		within = append(within, p.intrawarp(int(n)))
		t.Add(n, byLanes[i], byWarps[i], within[i])
	}
	f.Table(t)
	f.Page = interwarpPage(byLanes, byWarps, within)
	f.interwarpRows(byLanes, byWarps, within)
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
		slices.Min(dearer) > 1 && mean(dearer) >= 1.5, mean(dearer))
}

func interwarpPage(byLanes, byWarps, within []float64) plot.Page {
	const rate = "throughput [updates/cycle]"
	return plot.Page{
		Title: "Conflicts between warps, 32 warps on one multiprocessor (GeForce GTX 580)", SharedY: true,
		Panels: []plot.Panel{
			plot.Figure{Title: "lanes of each warp that collide", XLabel: "colliding lanes of each warp",
				YLabel: rate, XLog: true, YLog: true,
				Lines: []plot.Line{{Name: "between 32 warps", X: powers, Y: byLanes}}},
			plot.Figure{Title: "warps that collide", XLabel: "degree of the conflict", YLabel: rate,
				XLog: true, YLog: true,
				Lines: []plot.Line{{Name: "between warps", X: powers, Y: byWarps},
					{Name: "within each warp", X: powers, Y: within}}},
		},
	}
}
