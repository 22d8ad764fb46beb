package choices

import (
	"strconv"

	"github.com/atomtune/atomtune/lab/plot"
)

// CurveFigure draws learning curves: the loss of choices on the left, the error
// of their predicted time on the right, each with the worst draw as the upper end of
// its band. Sizes stand at equal distances.
func CurveFigure(gpu string, curve []CurvePoint) plot.Page {
	type figure = func(CurveFigures) float64
	panel := func(title, axis string, names []string, figures ...figure) plot.Figure {
		f := plot.Figure{Title: title, XLabel: "measured points", YLabel: axis, YFit: true}
		for i, p := range curve {
			f.XTicks = append(f.XTicks, plot.Tick{Value: float64(i), Label: strconv.Itoa(p.Points)})
		}
		for k, of := range figures {
			line := plot.Line{Name: names[k]}
			for i, p := range curve {
				line.X = append(line.X, float64(i))
				line.Y = append(line.Y, of(p.Mean))
				line.Low = append(line.Low, of(p.Mean))
				line.High = append(line.High, of(p.Worst))
			}
			f.Lines = append(f.Lines, line)
		}
		return f
	}
	return plot.Page{
		Title: "Choices on held-out streams after learning from measured points (" + gpu + ")",
		Panels: []plot.Panel{
			panel("loss of the choice", "measured time over the best",
				[]string{"geometric mean", "90th percentile"},
				func(f CurveFigures) float64 { return f.GeometricMean },
				func(f CurveFigures) float64 { return f.P90 }),
			panel("predicted time of the choice", "median error (%)", []string{"median error"},
				func(f CurveFigures) float64 { return f.MedianErrorPercent }),
		},
	}
}
