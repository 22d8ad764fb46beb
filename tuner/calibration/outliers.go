package calibration

import (
	"github.com/atomtune/atomtune/tuner/model"
)

import "math"

// outlier is the distance from the median, in standard deviations as the median
// absolute deviation estimates them, beyond which a residual is drawn in.
const outlier = 5

// drawIn replaces residuals far off those of their implementation by the
// nearest that are not, so that one bad measurement moves no mean.
func (t *measured) drawIn() {
	for v := range t.variants {
		var all []float64
		for i := range t.points {
			if y := t.points[i].off[v]; !math.IsNaN(y) {
				all = append(all, y)
			}
		}
		if len(all) == 0 {
			continue
		}
		middle := model.SortedQuantile(all, 0.5)
		for i := range all {
			all[i] = math.Abs(all[i] - middle)
		}
		if far := outlier * 1.4826 * model.SortedQuantile(all, 0.5); far > 0 {
			for i := range t.points {
				y := &t.points[i].off[v]
				if !math.IsNaN(*y) {
					*y = max(middle-far, min(*y, middle+far))
				}
			}
		}
	}
}
