package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/plot"
)

// drawn lists the lines of figures: ours, the least that was measured, and what others use for calls that add
// loaded values and for those that count.
var drawn = []struct {
	name    string
	of      map[device.Operand]string // implementations
	dashing plot.Style
}{
	{"plain atomics", map[device.Operand]string{device.Loaded: plain, device.One: plain}, plot.Dashed},
	{"PyTorch", map[device.Operand]string{device.Loaded: "torch.scatter_add_", device.One: "torch.bincount"}, plot.Dashed},
	{"CUB", map[device.Operand]string{device.Loaded: "sort", device.One: "cub::HistogramEven"}, plot.Dashed},
	{"atomtune", map[device.Operand]string{device.Loaded: call, device.One: call}, plot.Solid},
	{"best measured", map[device.Operand]string{device.Loaded: best, device.One: best}, plot.Dashed},
}

// Figure draws time over the floor for every stream, sorted for each line by itself, a panel for
// each kind of call.
func (r *Report) Figure() plot.Page {
	page := plot.Page{
		Title:   r.GPU + ": time over the floor on every stream, sorted",
		Columns: 2, Width: 1200, Height: 900, SharedY: true, Ends: true,
	}
	for _, k := range r.run.kinds() {
		f := plot.Figure{Title: k.words(), XLabel: "streams, sorted for each line", YLabel: "time over the floor",
			YLog: true}
		for _, d := range drawn {
			if y := r.overFloor(k, r.placeOf(d.of[k.Operand])); len(y) > 0 {
				f.Lines = append(f.Lines, plot.Line{Name: d.name, X: places(len(y)), Y: y, Style: d.dashing})
			}
		}
		page.Panels = append(page.Panels, f)
	}
	return page
}

// placeOf is where the times of an implementation stand.
func (r *Report) placeOf(implementation string) Place {
	for _, rival := range Rivals() {
		if rival.implementation == implementation {
			return rival.place(r.profile)
		}
	}
	return Place{"u32", implementation, ""}
}

func (k Kind) words() string {
	if k.Operand == device.One {
		return k.Type.String() + ": each update adds 1, as a histogram does"
	}
	return k.Type.String() + ": each update adds a value loaded from memory"
}

// data are the kinds of real data, by what labels of their streams end with behind @.
var data = []struct {
	name  string
	files string // whose labels hold this
	ends  []string
}{
	{"histograms", "", []string{"grey", "red", "green", "blue"}},
	{"colour bins", "", []string{"colours"}},
	{"pixel pairs", "", []string{"neighbours"}},
	{"points in cells", "", []string{"grid"}},
	{"sparse matrices", ".mtx", []string{"row", "col"}},
	{"graphs", ".txt", []string{"row", "col"}},
	{"mesh, vectors", "", []string{"vertices", "bins"}},
}

// plainly draws how long plain atomics and the call take on real data, by its kind, each in the geometric mean of
// its streams; there is no such picture of a run without real data.
func (r *Report) plainly() (page plot.Page, drawn bool) {
	bars := plot.Bars{YLabel: "time of a call (µs)", Labels: make([][]string, 2),
		XLabel: "indices from real data (streams); " + Kind{device.F32, device.Loaded}.words()}
	for row, of := range []struct{ name, implementation string }{{"plain atomics", plain},
		{"atomtune, choosing in the call", call}} {
		series := plot.Series{Name: of.name}
		for _, d := range data {
			times := r.timesOn(d.files, d.ends, r.placeOf(of.implementation))
			if len(times) == 0 {
				continue
			}
			if row == 0 {
				bars.Categories = append(bars.Categories, fmt.Sprintf("%s (%d)", d.name, len(times)))
			}
			mean := geometricMean(times)
			series.Values = append(series.Values, mean)
			bars.Labels[row] = append(bars.Labels[row], fmt.Sprintf("%.3g", mean))
		}
		bars.Series = append(bars.Series, series)
	}
	return plot.Page{Title: "Plain atomics against atomtune's choice, measured on an " + r.GPU,
		Panels: []plot.Panel{bars}, Width: 1000, Height: 440}, len(bars.Categories) > 0
}

// timesOn lists the times on real streams of some files.
func (r *Report) timesOn(files string, ends []string, at Place) (list []float64) {
	for i := range r.run.Cases {
		c := &r.run.Cases[i]
		file, part, _ := strings.Cut(c.Label, "@")
		of := func(end string) bool { return strings.HasPrefix(part, end) }
		if c.Group != groupReal || c.Kind != (Kind{device.F32, device.Loaded}) || !strings.Contains(file, files) ||
			!slices.ContainsFunc(ends, of) {
			continue
		}
		if t, ok := c.time(at); ok {
			list = append(list, t.US)
		}
	}
	return list
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

// Figures are the pictures of a run by the names of their files, without their endings.
func (r *Report) Figures() map[string]plot.Page {
	all := map[string]plot.Page{r.FigureName("bench"): r.Figure()}
	if page, drawn := r.plainly(); drawn {
		all[r.FigureName("plain")] = page
	}
	return all
}

func (r *Report) FigureName(of string) string { return of + "-" + r.profile.Name }
