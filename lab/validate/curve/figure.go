package curve

import (
	"strconv"

	"github.com/atomtune/atomtune/lab/plot"
)

// CurveFigure draws learning curves: the loss of choices on the left, the error
// of their predicted time on the right, each with the worst draw as the upper end of
// its band. Sizes stand at equal distances.
func CurveFigure(curve []CurvePoint) plot.Page {
	return plot.Page{
		Title: "Choices on held-out streams after learning from measured points (NVIDIA H200)",
		Panels: []plot.Panel{
			curvePanel(curve, "loss of the choice", "measured time over the best", []curveLine{
				{"geometric mean", func(f CurveFigures) float64 { return f.GeometricMean }},
				{"90th percentile", func(f CurveFigures) float64 { return f.P90 }},
			}),
			curvePanel(curve, "predicted time of the choice", "median error (%)", []curveLine{
				{"median error", func(f CurveFigures) float64 { return f.MedianErrorPercent }},
			}),
		},
	}
}

// curveLine is one figure over the sizes.
type curveLine struct {
	name string
	of   func(f CurveFigures) float64
}

func curvePanel(curve []CurvePoint, title, axis string, lines []curveLine) plot.Figure {
	f := plot.Figure{Title: title, XLabel: "measured points", YLabel: axis, YFit: true}
	for i, p := range curve {
		f.XTicks = append(f.XTicks, plot.Tick{Value: float64(i), Label: strconv.Itoa(p.Points)})
	}
	for _, l := range lines {
		line := plot.Line{Name: l.name}
		for i, p := range curve {
			line.X = append(line.X, float64(i))
			line.Y = append(line.Y, l.of(p.Mean))
			line.Low = append(line.Low, l.of(p.Mean))
			line.High = append(line.High, l.of(p.Worst))
		}
		f.Lines = append(f.Lines, line)
	}
	return f
}
