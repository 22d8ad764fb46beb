package plot_test

import "github.com/atomtune/atomtune/lab/plot"

func init() { plot.ZZSamples = samples }
