package choices

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/lab/plot"
)

// gpusDrawn are the GPUs of lossFigure's reports.
var gpusDrawn = [2]string{"NVIDIA H200", "NVIDIA H100"}

// lossFigure draws what choices lose on the held-out streams of each GPU, from the least loss to the
// largest, at every half percent of the calls.
func lossFigure(t *testing.T, reports [len(gpusDrawn)]TunerReport) plot.Page {
	t.Helper()
	page := plot.Page{Title: "Choices on held-out streams: measured time over that of the best form",
		SharedY: true, Width: 1100, Height: 480}
	for i, r := range reports {
		p := partOf(t, r, heldOutPart)
		panel := plot.Figure{Title: fmt.Sprintf("%s: %d calls on %d streams", gpusDrawn[i], p.Questions, p.Streams),
			XLabel: "share of the calls, from the least loss on [%]", YLabel: "times as long as the best",
			YLog: true}
		for _, rule := range []struct {
			name  string
			index int
			style plot.Style
		}{
			{"atomtune", 0, plot.Solid}, {"a careful ladder", 2, plot.Dashed},
			{"plain atomics", len(p.Rules) - 1, plot.Dashed},
		} {
			line := plot.Line{Name: rule.name, Style: rule.style}
			for half := 0; half <= 200; half++ {
				line.X = append(line.X, float64(half)/2)
				line.Y = append(line.Y, quantile.Sorted(p.Rules[rule.index].losses, float64(half)/200))
			}
			panel.Lines = append(panel.Lines, line)
		}
		page.Panels = append(page.Panels, panel)
	}
	return page
}

// TestLossFigure: a panel for each GPU, whose lines end at the largest losses and lie in their order.
func TestLossFigure(t *testing.T) {
	other, err := otherOnce()
	if err != nil {
		t.Fatal(err)
	}
	reports := [...]TunerReport{reported(t), other}
	page := lossFigure(t, reports)
	for i, r := range reports {
		p, lines := partOf(t, r, heldOutPart), page.Panels[i].(plot.Figure).Lines
		for k, rule := range []int{0, 2, len(p.Rules) - 1} {
			ends := []float64{lines[k].Y[0], lines[k].Y[len(lines[k].Y)-1]}
			if most := p.Rules[rule].Loss.Max; ends[0] != 1 || math.Abs(ends[1]/most-1) > 1e-12 {
				t.Errorf("%s, %s: from %v to %v, want 1 to %v", gpusDrawn[i], lines[k].Name, ends[0], ends[1], most)
			}
		}
		if !strings.HasPrefix(p.Rules[2].Rule, lines[1].Name) || p.Rules[len(p.Rules)-1].Rule != "always naive" {
			t.Errorf("%q and %q are drawn as %q and %q", p.Rules[2].Rule, p.Rules[len(p.Rules)-1].Rule,
				lines[1].Name, lines[2].Name)
		}
	}
}
