package gomezluna13

import (
	"context"
	"math"
	"slices"

	"github.com/atomtune/atomtune/device"
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
func throughput(context.Context, papers.Options) (papers.Outcome, error) {
	p, err := newProbe(device.OpAdd)
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	t := papers.NewTable("section2.1.1", "Throughput with n lanes of each warp on one word",
		"n|throughput [updates/cycle]")
	var rates, left []float64
	for i, n := range powers {
		rates = append(rates, p.intrawarp(int(n)))
		t.Add(n, rates[i])
		if i > 0 {
			left = append(left, 100*rates[i]/rates[i-1])
		}
	}
	f.Table(t)
	f.Page = plot.Page{Panels: []plot.Panel{plot.Figure{
		Title: "32 warps of one multiprocessor, n lanes of each on one word (GeForce GTX 580)", XLabel: "lanes on one word, n", YLabel: "throughput [updates/cycle]",
		XLog: true, YLog: true, Lines: []plot.Line{{Name: "simulated", X: powers, Y: rates}},
	}}}
	f.State("throughput left when the degree doubles", left,
		p.err == nil && slices.Min(left) >= 45 && slices.Max(left) <= 55)
	apart := p.severalWords()
	f.State("throughput differs from that of the address with the highest degree by", apart,
		p.err == nil && apart <= 1)
	return f.Outcome, p.err
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
