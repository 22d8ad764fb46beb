package bench

import (
	"slices"

	"github.com/atomtune/atomtune/lab/plot"
)

// Figure draws time over the floor for every stream, sorted for each line by itself, a panel for
// each kind of call.
func (r *Report) Figure() plot.Page {
	page := plot.Page{
		Title:   r.GPU + ": time over the floor on every stream, sorted",
		Columns: 2, Width: 1200, Height: 900, SharedY: true,
	}
	for _, k := range r.run.kinds() {
		f := plot.Figure{Title: k.String(), XLabel: "streams", YLabel: "time over the floor", YLog: true}
		draw := func(name string, at Place, style plot.Style) {
			if y := r.overFloor(k, at); len(y) > 0 {
				f.Lines = append(f.Lines, plot.Line{Name: name, X: places(len(y)), Y: y, Style: style})
			}
		}
		draw("atomtune", Place{"u32", call, ""}, plot.Solid)
		draw("atomtune with a plan", Place{"u32", planned, ""}, plot.Solid)
		for _, rival := range Rivals() {
			if rival.drawn {
				draw(rival.Name, rival.place(r.profile), plot.Dashed)
			}
		}
		page.Panels = append(page.Panels, f)
	}
	return page
}

func places(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i + 1)
	}
	return x
}

// overFloor lists times over the floor on the streams of a kind, sorted.
func (r *Report) overFloor(k Kind, at Place) (list []float64) {
	for i := range r.run.Cases {
		c := &r.run.Cases[i]
		if c.Kind != k {
			continue
		}
		if t, ok := c.time(at); ok {
			list = append(list, t.US/c.floorUS(r.profile, r.run.EmptyUS, at.Index))
		}
	}
	slices.Sort(list)
	return list
}

// FigureName is the name of the figure's files, without their endings.
func (r *Report) FigureName() string { return "bench-" + r.profile.Name }
