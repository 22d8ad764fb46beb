package egielski14

// Why statements of [egielski14] do not hold here, by item. The tests of this
// package check the experiments that the reasons name.
const (
	overPrivate = "The thread-private form takes as long whatever the image, and much longer than naive atomics where collisions are few, as the paper says itself. Its own values, minima below 1 beside \"typically much slower\", suit the level's naive atomics, above. The other form without atomics, with tagged counters, is faster than naive atomics where pixels collide"
	flatImage   = "Largest for the flat image; no photograph is as flat, and where nine pixels of ten are equal it is within the limit"
	carries     = "The original's last kernel adds up one carry per warp, whatever the matrix: much of its time here, little of it with the paper's matrices, up to forty times as large. Without it SR+SS takes as long as the original for the dense matrices, or a little longer"
	floatPass   = "The profile's atomic unit takes two cycles per pass, of integers, by a public document; with eight for floats it would hold"
)

var (
	histogramGaps = map[string]map[string]string{
		kepler: {
			"block-private over non-atomic, average speedup":               overPrivate,
			"warp-private over naive, maximum speedup":                     flatImage,
			"warp-private over non-atomic, minimum speedup":                overPrivate,
			"warp-private over non-atomic, maximum speedup":                overPrivate,
			"warp-private over non-atomic, average speedup":                overPrivate,
			"no-private over naive, maximum speedup":                       flatImage,
			"no-private over non-atomic, minimum speedup":                  overPrivate,
			"no-private over non-atomic, maximum speedup":                  overPrivate,
			"no-private over non-atomic, average speedup":                  overPrivate,
			"Kepler, gain of VR on a large image against a small one":      fullDevice,
			"Kepler, images with VR faster in a private copy than without": commonAddress,
		},
		fermi: {
			"block-private over non-atomic, minimum speedup":         overPrivate,
			"block-private over non-atomic, maximum speedup":         overPrivate,
			"block-private over non-atomic, average speedup":         overPrivate,
			"warp-private over non-atomic, minimum speedup":          overPrivate,
			"warp-private over non-atomic, maximum speedup":          overPrivate,
			"warp-private over non-atomic, average speedup":          overPrivate,
			"no-private over non-atomic, minimum speedup":            overPrivate,
			"Fermi, gain of VR on a large image against a small one": fullDevice,
		},
	}
	productGaps = map[string]string{
		"Fermi, matrices that naive atomics slow down":                          floatPass,
		"Fermi, matrices for which SR+SS makes a big difference to naive":       floatPass,
		"Kepler, largest improvement of mac_econ, scircuit and mc2depi over AA": "Rows of four to six elements collide little, and SR's steps cost what they save; it is over the original that these forms gain as much",
		"Fermi, SR+SS of seven matrices against non-atomic, better":             carries,
		"Fermi, SR+SS of seven matrices against non-atomic, worse":              carries,
		"Fermi, dense matrices for which the non-atomic form is chosen":         carries,
	}
	summaryGaps = map[string]string{
		"Kepler, summation, average speedup":                       readOnce,
		"Fermi, summation, average speedup":                        readOnce,
		"largest over smallest speedup, page views against others": "Sorting 32,768 views is a few levels of merges; the gain of dropping repeats grows with the log, as a larger --scale shows",
	}
)

const (
	fullDevice    = "The device is full of threads with either image, so the larger one runs no more of them at once"
	commonAddress = "A public document gives the GTX 680 one update of a common address per cycle; with a quarter of that it would hold"
	readOnce      = "Both forms read every element once, which is nearly all that they do; atomics spare the short second launch, and no more than 1 us of it"
)
