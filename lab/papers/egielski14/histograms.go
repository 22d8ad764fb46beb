package egielski14

import (
	"context"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// figure7 is all forms of the histogram, [egielski14] Figure 7.
func (c *simulations) figure7(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	all, err := c.measure(ctx, o, on(imageHistograms()...)...)
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	f.Page = plot.Page{Title: "Histograms, all forms (simulated)", Width: 1200, Columns: 1}
	for len(all) > 0 {
		levels := all[:len(histogramLevels)]
		all = all[len(histogramLevels):]
		gpu := levels[0].gpu
		f.collisionRows(gpu, levels)
		f.sizeRows(gpu, &levels[0])
		if gpu == kepler {
			f.cacheRows(levels)
		}
		f.figure7(gpu, levels)
	}
	return f.Outcome, nil
}

// figure7 adds a device's panel and tables, of the representative images by
// rising warp level.
func (f *findings) figure7(gpu string, levels []measured) {
	panel := plot.Figure{Title: generationOf[gpu], XLabel: "image",
		YLabel: "speedup over block-private naive", YLog: true}
	var base, places []float64
	for i := range levels {
		m := levels[i].narrowed(func(in input) bool { return in.represents })
		m = m.byLevel()
		if i == 0 {
			base = m.times(formAA)
			for x, name := range m.names() {
				places = append(places, float64(x))
				panel.XTicks = append(panel.XTicks, plot.Tick{Value: float64(x), Label: name})
			}
		}
		for _, form := range []appForm{formAA, formVR} {
			panel.Lines = append(panel.Lines, plot.Line{Name: m.name + " " + form.name, X: places,
				Y: ratios(base, m.times(form))})
		}
		name := fmt.Sprintf("figure7-%s-%s", gpu, m.name)
		f.Table(m.table(name, "Times of a histogram on "+generationOf[gpu]+", "+m.name+
			", with the collision levels of Figure 6", "image"))
	}
	f.Page.Panels = append(f.Page.Panels, panel)
}

// Images with warp levels from heavy on collide heavily, those below light
// lightly.
const (
	heavy = 0.8
	light = 0.25
)

func colliding(least, most float64) func(input) bool {
	return func(in input) bool { return in.levels[0] >= least && in.levels[0] <= most }
}

// collisionRows hold what VR gains where images collide heavily and lightly.
func (f *findings) collisionRows(gpu string, levels []measured) {
	where := generationOf[gpu]
	for i := range levels {
		m := levels[i].narrowed(colliding(heavy, 1))
		gain := extentOf(m.speedups(formVR, formAA))
		f.State(fmt.Sprintf("%s, %s VR over naive, heavy collision", where, m.name), gain.mean,
			gain.mean >= significant, len(m.inputs))
	}
	best := 0.0
	few := levels[0].narrowed(colliding(0, light))
	for i := range levels {
		m := levels[i].narrowed(colliding(0, light))
		best = max(best, extentOf(ratios(few.times(formAA), m.times(formVR))).most)
	}
	f.State(where+", largest speedup of VR over block-private naive, light collision", best,
		best >= nonTrivial, len(few.inputs))
}

// cacheRows hold what the paper says of Kepler's cache.
func (f *findings) cacheRows(levels []measured) {
	naive := func(i int) []float64 { return levels[i].times(formAA) }
	n, wins, kept := len(levels[0].inputs), 0, 0
	for i := range n {
		if naive(2)[i] < min(naive(0)[i], naive(1)[i]) {
			wins++
		}
		if min(levels[0].times(formVR)[i], levels[1].times(formVR)[i]) < levels[2].times(formVR)[i] {
			kept++
		}
	}
	f.countRow("Kepler, images with no-private naive the fastest naive form", wins, n, some(wins, n))
	f.countRow("Kepler, images with VR faster in a private copy than without", kept, n, 2*kept > n)
}

// sizeRows hold what the paper says of its largest image, in8.
func (f *findings) sizeRows(gpu string, m *measured) {
	gain := func(name string) float64 {
		i := slices.Index(m.names(), name)
		return m.speedups(formVR, formAA)[i]
	}
	where := generationOf[gpu]
	large, small := gain(largeImage), gain(sameAsLarge)
	f.State(where+", block-private VR over naive, largest image", large,
		large < significant && 1/large < significant)
	f.State(where+", gain of VR on a large image against a small one", large/small,
		large <= 0.9*small)
}
