package gomezluna13

import (
	"fmt"
	"math"
	"slices"
	"strings"

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
func figure2(f *findings, p *probe) {
	latencies, gaps := f.curve(p, papers.Table{Name: "figure2",
		Title: "Latency with n lanes on one word"},
		plot.Figure{Title: "One warp's atomic addition, n lanes on one word (GeForce GTX 580)"},
		"lanes on one word, n", func(n int) []int32 { return onOneWord(n, 0) })
	f.stated(0, func(n int) float64 { return statedPosition }, lanes)
	f.positionRows(p, latencies, gaps)
}

// curve adds the panel and the table of the latency of a pattern of 1 to 32 lanes. It returns
// the simulated latencies and what each further lane adds.
func (f *findings) curve(p *probe, t papers.Table, panel plot.Figure, lanesOf string,
	pattern func(n int) []int32) (simulated, gaps []float64) {
	_, number, _ := strings.Cut(lanesOf, ", ")
	t.Columns = []string{number, "closed form [cycles]", "simulated [cycles]"}
	var degrees, closed []float64
	for n := 1; n <= lanes; n++ {
		degrees, closed = append(degrees, float64(n)), append(closed, p.closed(pattern(n)))
		simulated = append(simulated, p.latency(pattern(n)))
		t.Add(n, closed[n-1], simulated[n-1])
		if n > 1 {
			gaps = append(gaps, simulated[n-1]-simulated[n-2])
		}
	}
	f.Table(t)
	panel.XLabel, panel.YLabel = lanesOf, "latency [cycles]"
	panel.Lines = []plot.Line{
		{Name: "closed form", X: degrees, Y: closed, Style: plot.Dashed},
		{Name: "simulated", X: degrees, Y: simulated, Style: plot.Markers},
	}
	f.Page.Panels = append(f.Page.Panels, panel)
	return simulated, gaps
}

func (f *findings) positionRows(p *probe, latencies, gaps []float64) {
	f.StateNumber("latency without conflict, t_base", statedBase, latencies[0],
		p.agreed() && near(latencies[0], statedBase))
	f.StateNumber("gap between consecutive marks, t_position", statedPosition, gaps, p.agreed() &&
		near(slices.Min(gaps), statedPosition) && near(slices.Max(gaps), statedPosition))
	penalty, stated := latencies[lanes-1]-latencies[0], (lanes-1)*statedPosition
	f.StateNumber("penalty of the 32-way conflict, (n - 1) t_position", stated, penalty,
		p.agreed() && near(penalty, stated))
	spread, tried := p.addressSpread()
	f.State("latency depends on the address of the conflict by", spread,
		p.err == nil && tried > 100 && spread <= exact, tried)
	spread, tried = p.companySpread(latencies)
	f.State("further addresses with conflicts of no higher degree add", spread,
		p.agreed() && tried > 10 && spread <= exact, tried)
}

// near reports whether a simulated latency is the stated one.
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

// figure3 is the latency of m-way bank conflicts at strides of 32 and 256
// words, [gomezluna13] section 2.1.2.
func figure3(f *findings, p *probe) {
	f.Page.Title = "One warp's atomic addition, m lanes on one bank (GeForce GTX 580)"
	f.Page.Width = 1100
	var gaps [2][]float64
	for i, stride := range []int{32, 256} {
		t := papers.Table{Name: fmt.Sprintf("figure3-stride%d", stride),
			Title: fmt.Sprintf("Latency of m-way bank conflicts, stride %d", stride)}
		_, gaps[i] = f.curve(p, t, plot.Figure{Title: fmt.Sprintf("stride %d words", stride)},
			"lanes on one bank, m", func(m int) []int32 { return onOneBank(m, stride) })
	}
	f.stated(0, func(int) float64 { return statedShort }, lanes)
	f.stated(1, stride256Gap, 9)
	f.gapRows(p, gaps[0], gaps[1])
	f.arrow(1, 4.5)
	f.arrow(2, 8.5)
}

// stride256Gap is what the paper lets lane m add at a stride of 256 words, up to that behind its
// second arrow.
func stride256Gap(m int) float64 {
	switch {
	case m == 5:
		return statedLong
	case m == 9:
		return statedLong + statedExtra
	case m > 5:
		return statedShort + statedExtra
	}
	return statedShort
}

// stated adds the paper's latencies of up to so many lanes to a panel: t_base and the gaps before
// each further lane.
func (f *findings) stated(panel int, gap func(lane int) float64, most int) {
	line := plot.Line{Name: "paper", Style: plot.Markers}
	latency := statedBase
	for n := 1; n <= most; n++ {
		if n > 1 {
			latency += gap(n)
		}
		if n%4 == 1 || n == most { // so that what lies under it is seen
			line.X, line.Y = append(line.X, float64(n)), append(line.Y, latency)
		}
	}
	figure := f.Page.Panels[panel].(plot.Figure)
	figure.Lines = append(figure.Lines, line)
	f.Page.Panels[panel] = figure
}

// arrow marks the place of one of the paper's arrows on the panel of stride
// 256, between two degrees.
func (f *findings) arrow(number int, m float64) {
	panel := f.Page.Panels[1].(plot.Figure)
	panel.Lines = append(panel.Lines, plot.Line{Name: fmt.Sprintf("arrow %d", number),
		X: []float64{m, m}, Y: []float64{0, slices.Max(panel.Lines[0].Y)}, Style: plot.Reference})
	f.Page.Panels[1] = panel
}

// gapRows compares gaps: of stride 256, marks 1 to 4 are the first piece,
// marks 5 to 8 the second; arrow 1 points between them, arrow 2 behind.
func (f *findings) gapRows(p *probe, stride32, stride256 []float64) {
	gap := func(item string, paper float64, gaps []float64) {
		low, high := slices.Min(gaps), slices.Max(gaps)
		f.StateNumber(item, paper, papers.Interval(low, high),
			p.agreed() && near(low, paper) && near(high, paper))
	}
	gap("stride 32: gap between consecutive marks, t_bank-short by the rule", statedShort, stride32)
	gap("stride 256: gaps between the first four marks, t_bank-short by the rule", statedShort,
		stride256[:3])
	gap("stride 256: gap at arrow 1, t_bank-long", statedLong, stride256[3:4])
	gap("stride 256: gaps between the second four marks, t_bank-short + t_extra",
		statedShort+statedExtra, stride256[4:7])
	gap("stride 256: gap at arrow 2, t_bank-long + t_extra", statedLong+statedExtra, stride256[7:8])
}
