package choices

import (
	"fmt"
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
