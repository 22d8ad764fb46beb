package gomezluna13

import (
	"context"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// figure3 is the latency of m-way bank conflicts at strides of 32 and 256
// words, [gomezluna13] section 2.1.2.
func figure3(context.Context, papers.Options) (papers.Outcome, error) {
	p, err := newProbe(device.OpAdd)
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	f.Page.Title = "One warp's atomic addition, m lanes on one bank (GeForce GTX 580)"
	f.Page.Width = 1100
	dense := f.bankLatencies(p, 32)
	sparse := f.bankLatencies(p, 256)
	if p.err != nil {
		return papers.Outcome{}, p.err
	}
	f.gapRows(p, dense, sparse)
	f.arrow(1, 4.5)
	f.arrow(2, 8.5)
	return f.Outcome, nil
}

// arrow marks the place of one of the paper's arrows on the panel of stride
// 256, between two degrees.
func (f *findings) arrow(number int, m float64) {
	panel := f.Page.Panels[1].(plot.Figure)
	top := slices.Max(panel.Lines[0].Y)
	panel.Lines = append(panel.Lines, plot.Line{Name: fmt.Sprintf("arrow %d", number), X: []float64{m, m}, Y: []float64{0, top}, Style: plot.Reference})
	f.Page.Panels[1] = panel
}

// bankLatencies adds the panel and the table of a stride and returns the gaps
// between consecutive marks: gaps[m-2] is what the m-th lane adds.
func (f *findings) bankLatencies(p *probe, stride int) (gaps []float64) {
	name := fmt.Sprintf("figure3-stride%d", stride)
	t := papers.NewTable(name, fmt.Sprintf("Latency of m-way bank conflicts, stride %d", stride),
		"m|closed form [cycles]|simulated [cycles]")
	var degrees, closed, simulated []float64
	for m := 1; m <= lanes; m++ {
		pattern := onOneBank(m, stride)
		degrees = append(degrees, float64(m))
		closed, simulated = append(closed, p.closed(pattern)), append(simulated, p.latency(pattern))
		t.Add(m, closed[m-1], simulated[m-1])
		if m > 1 {
			gaps = append(gaps, simulated[m-1]-simulated[m-2])
		}
	}
	f.Table(t)
	f.Page.Panels = append(f.Page.Panels, plot.Figure{
		Title: fmt.Sprintf("stride %d words", stride), XLabel: "lanes on one bank, m", YLabel: "latency [cycles]",
		Lines: []plot.Line{
			{Name: "closed form", X: degrees, Y: closed, Style: plot.Dashed},
			{Name: "simulated", X: degrees, Y: simulated, Style: plot.Markers},
		},
	})
	return gaps
}

// gapRows compares gaps: of stride 256, marks 1 to 4 are the first piece,
// marks 5 to 8 the second; arrow 1 points between them, arrow 2 behind.
func (f *findings) gapRows(p *probe, stride32, stride256 []float64) {
	gap := func(item string, paper float64, gaps []float64) {
		low, high := slices.Min(gaps), slices.Max(gaps)
		f.State(item, papers.Interval(low, high), p.agreed() && near(low, paper) && near(high, paper))
	}
	gap("stride 32: gap between consecutive marks, t_bank-short by the rule", 64, stride32)
	gap("stride 256: gaps between the first four marks, t_bank-short by the rule", 64, stride256[:3])
	gap("stride 256: gap at arrow 1, t_bank-long", 152, stride256[3:4])
	gap("stride 256: gaps between the second four marks, t_bank-short + t_extra", 96, stride256[4:7])
	gap("stride 256: gap at arrow 2, t_bank-long + t_extra", 184, stride256[7:8])
}
