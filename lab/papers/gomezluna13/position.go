package gomezluna13

import (
	"context"
	"math"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// onOneWord is a pattern in which the first n lanes want the word at and every
// other lane a word on a bank of its own.
func onOneWord(n, at int) []int32 {
	p := make([]int32, lanes)
	for l := range p {
		p[l] = int32(at)
		if l >= n {
			p[l] += int32(l)
		}
	}
	return p
}

// onSeveralWords is a pattern in which as many words as fit are wanted by n
// lanes each, one beside the other on different banks.
func onSeveralWords(n int) []int32 {
	p := make([]int32, lanes)
	for l := range p {
		p[l] = int32(l / n)
	}
	return p
}

// figure2 is the latency with n lanes on one word, [gomezluna13] section 2.1.1.
func figure2(context.Context, papers.Options) (papers.Outcome, error) {
	p, err := newProbe(device.OpAdd)
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	var degrees, closed, simulated, gaps []float64
	cellsOf := papers.NewTable("figure2", "Latency with n lanes on one word",
		"n|closed form [cycles]|simulated [cycles]")
	for n := 1; n <= lanes; n++ {
		pattern := onOneWord(n, 0)
		degrees, closed = append(degrees, float64(n)), append(closed, p.closed(pattern))
		simulated = append(simulated, p.latency(pattern))
		cellsOf.Add(n, closed[n-1], simulated[n-1])
		if n > 1 {
			gaps = append(gaps, simulated[n-1]-simulated[n-2])
		}
	}
	f.Table(cellsOf)
	f.Page = plot.Page{Panels: []plot.Panel{plot.Figure{
		Title: "One warp's atomic addition, n lanes on one word (GeForce GTX 580)", XLabel: "lanes on one word, n", YLabel: "latency [cycles]",
		Lines: []plot.Line{
			{Name: "closed form", X: degrees, Y: closed, Style: plot.Dashed},
			{Name: "simulated", X: degrees, Y: simulated, Style: plot.Markers},
		},
	}}}
	f.positionRows(p, simulated, gaps)
	return f.Outcome, p.err
}

func (f *findings) positionRows(p *probe, latencies, gaps []float64) {
	steps := p.params.Round
	f.State("latency without conflict, t_base", latencies[0], p.agreed() && near(latencies[0], 108))
	f.State("gap between consecutive marks, t_position", gaps,
		p.agreed() && near(slices.Min(gaps), 120) && near(slices.Max(gaps), 120))
	penalty := latencies[lanes-1] - latencies[0]
	f.State("penalty of the 32-way conflict, (n - 1) t_position", penalty,
		p.agreed() && near(penalty, (lanes-1)*steps))
	spread, tried := p.addressSpread()
	f.State("latency depends on the address of the conflict by", spread,
		p.err == nil && tried > 100 && spread <= exact, tried)
	spread, tried = p.companySpread(latencies)
	f.State("further addresses with conflicts of no higher degree add", spread,
		p.agreed() && tried > 10 && spread <= exact, tried)
}

// near tells whether a simulated latency is the stated one.
func near(cycles, stated float64) bool { return math.Abs(cycles-stated) <= exact }

// addressSpread is by how much the latency of a conflict differs over the
// addresses at which it occurs.
func (p *probe) addressSpread() (spread float64, tried int) {
	for _, n := range []int{2, 8, lanes} {
		first := p.simulated(onOneWord(n, 0))
		for at := 1; at < sharedWords-lanes; at += 97 {
			spread = math.Max(spread, math.Abs(p.simulated(onOneWord(n, at))-first))
			tried++
		}
	}
	return spread, tried
}

// companySpread is by how much the latency of a conflict changes when there are
// others of the same or a lower degree on other words.
func (p *probe) companySpread(latencies []float64) (spread float64, tried int) {
	for n := 2; n <= lanes/2; n++ {
		company := [][]int32{onSeveralWords(n)}
		for lower := 2; lower < n; lower++ {
			pattern := onOneWord(n, 0)
			for l := n; l < min(n+lower, lanes); l++ {
				pattern[l] = int32(n)
			}
			company = append(company, pattern)
		}
		for _, pattern := range company {
			spread = math.Max(spread, math.Abs(p.latency(pattern)-latencies[n-1]))
			tried++
		}
	}
	return spread, tried
}
