package egielski14

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/apps"
)

// histogramLevels are the implementations of Tables 1 and 2.
var histogramLevels = []struct {
	name  string
	level apps.Level
}{
	{"block-private", apps.BlockPrivate}, {"warp-private", apps.WarpPrivate},
	{"no-private", apps.NoPrivate},
}

// benchmarks are all of [egielski14] section 4.
func benchmarks() []benchmark {
	return append(imageHistograms(), matrixProduct(), mergeSort(), pageViews(), summation())
}

// imageHistograms are the image histograms at each level. Pixels of one value are
// not clustered, so VR is what reduces collisions.
func imageHistograms() []benchmark {
	var all []benchmark
	for _, l := range histogramLevels {
		all = append(all, benchmark{
			name: l.name, application: apps.Histogram, of: device.U32, level: l.level,
			forms: []appForm{formPrivate, formAA, formVR}, inputs: images,
		})
	}
	return all
}

// matrixProduct is the product of a sparse matrix and a vector. Elements of one
// row are clustered, so SR in the warp and SS of whole warps reduce collisions.
func matrixProduct() benchmark {
	return benchmark{
		name: "SpMV", application: apps.SpMV, of: device.F32,
		forms: []appForm{formOriginal, formAA, formSR, formSRSS}, inputs: sparse,
	}
}

// mergeSort counts each tile's repeated keys.
func mergeSort() benchmark {
	return benchmark{
		name: "merge sort", application: apps.MergeSort, of: device.U32,
		forms: []appForm{formOriginal, formAA, formSR}, inputs: keySequences,
	}
}

// pageViews counts the visitors of each page once.
func pageViews() benchmark {
	return benchmark{
		name: "page views", application: apps.PageViewCount, of: device.U32,
		forms: []appForm{formOriginal, formAA}, inputs: visits,
	}
}

// summation adds to a compacted output array.
func summation() benchmark {
	return benchmark{
		name: "summation", application: apps.Summation, of: device.F32,
		forms: []appForm{formOriginal, formAA, formSR, formVR}, inputs: sums,
	}
}
