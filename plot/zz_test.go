package plot_test

import (
	"fmt"
	"github.com/atomtune/atomtune/plot"
	"math"
	"testing"
)

func TestZZ(t *testing.T) {
	m := map[string]plot.Page{"line": lineSample(), "bars": barSample(), "grid": gridSample(), "group": groupSample()}
	// 12 lines linear x, large y
	f := plot.Figure{Title: "Many lines", XLabel: "stream number", YLabel: "updates per second (1/s)"}
	for i := range 12 {
		l := plot.Line{Name: fmt.Sprintf("private:r=%d,pad=1", 1<<i), Style: plot.Style(i % 2)}
		for x := range 60 + i {
			l.X = append(l.X, float64(x)*1.7)
			l.Y = append(l.Y, 1e9*(float64(i)+3+math.Sin(float64(x)/9)))
		}
		f.Lines = append(f.Lines, l)
	}
	m["many"] = plot.Page{Panels: []plot.Panel{f}}
	// 7 panels
	p := gridSample()
	p.Panels = p.Panels[:7]
	p.SharedY = false
	for i := range p.Panels {
		g := p.Panels[i].(plot.Figure)
		g.YLabel = fmt.Sprintf("time %d (ms)", i)
		if i == 3 {
			g.XLabel = "other x"
			g.YLog = true
		}
		if i == 5 {
			for j := range g.Lines {
				ys := []float64{}
				for _, y := range g.Lines[j].Y {
					ys = append(ys, y*12345)
				}
				g.Lines[j].Y = ys
			}
		}
		if i == 2 {
			for j := range g.Lines {
				ys := []float64{}
				for _, y := range g.Lines[j].Y {
					ys = append(ys, y*1e-5-2e-5)
				}
				g.Lines[j].Y = ys
			}
		}
		if i == 1 {
			for j := range g.Lines {
				xs := []float64{}
				for _, x := range g.Lines[j].X {
					xs = append(xs, math.Pow(x, 5))
				}
				g.Lines[j].X = xs
			}
		}
		p.Panels[i] = g
	}
	m["seven"] = p
	b := plot.Bars{Title: "Grouped, nine series", YLabel: "gain (%)", Categories: []string{"a", "b", "c", "d"}, Labels: make([][]string, 9)}
	for s := range 9 {
		x := plot.Series{Name: fmt.Sprintf("series %d", s)}
		for c := range 4 {
			v := float64((s*5+c*11)%17) - 4
			x.Values = append(x.Values, v)
			b.Labels[s] = append(b.Labels[s], fmt.Sprintf("%.1f %%", v))
		}
		b.Series = append(b.Series, x)
	}
	b.Overlay = []plot.Line{{Name: "mean", Y: []float64{3, 5, 2, 8}}, {Name: "old", Style: plot.Dashed, Y: []float64{9, 4, 7, 6}}}
	m["nine"] = plot.Page{Panels: []plot.Panel{b}}
	fit := plot.Figure{Title: "Ratio", XLabel: "point", YLabel: "ratio", YFit: true, XTicks: []plot.Tick{{0, "start"}, {5, "middle"}, {10, "end"}}, Lines: []plot.Line{{Name: "one", X: []float64{0, 5, 10}, Y: []float64{.98, 1.01, 1.002}}, {Name: "r", Style: plot.Reference, X: []float64{0, 10}, Y: []float64{1, 1}}}}
	one := plot.Figure{Title: "Single", XLabel: "x", YLabel: "y (ms)", YLog: true, Lines: []plot.Line{{Name: "one", X: []float64{3}, Y: []float64{7}}}}
	nar := plot.Figure{Title: "Narrow log", XLabel: "x", YLabel: "y (ms)", YLog: true, XLog: true, Lines: []plot.Line{{Name: "one", X: []float64{30, 45, 90}, Y: []float64{7, 20, 130}}}}
	b2 := barSample().Panels[0].(plot.Bars)
	m["four"] = plot.Page{Title: "Four of them", Panels: []plot.Panel{fit, one, nar, b2}}
	for n, p := range m {
		if err := plot.Write("/tmp/plots/"+n, p); err != nil {
			t.Error(n, err)
		}
	}
}
