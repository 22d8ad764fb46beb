package egielski14

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/lab/papers"
)

// grey is the number of bins of the histograms.
const grey = 256

// pixels is the size of an image at scale 1. [egielski14] gives none; it is that of the natural
// images, 1,536 by 1,024 pixels, by which histograms are measured in [gomezluna13].
const pixels = 1536 * 1024

// picture says how an image is drawn: a synthetic stream of as many targets as its grey levels, of
// which the darkest become black, so many times as long as the others.
type picture struct {
	name   string
	family string
	levels uint32
	params map[string]float64
	dark   float64 // share of the pixels that are black
	times  int
}

// pictures are 37 images whose warp levels spread evenly over (0, 1), as the paper's reach "from
// heavy collision to little to no collision". They are smooth fields, with and without noise, of
// many or few grey levels, and before a black background; and textures, which differ from pixel to
// pixel. None is of one level all over: 90 % of the pixels are, at most.
func pictures() []picture {
	var all []picture
	add := func(name, family string, levels uint32, dark float64, params map[string]float64) {
		all = append(all, picture{name, family, levels, params, dark, 1})
	}
	field := func(scale, noise float64) map[string]float64 {
		return map[string]float64{"scale": scale, "noise": noise}
	}
	for _, scale := range []float64{16, 64, 256} {
		add(fmt.Sprintf("field %v", scale), "image", grey, 0, field(scale, 0))
	}
	add("noisy field 64", "image", grey, 0, field(64, 0.1))
	few := func(levels ...uint32) {
		for _, l := range levels {
			add(fmt.Sprintf("field 64, %d levels", l), "image", l, 0, field(64, 0))
		}
	}
	few(16, 8, 4, 2)
	for _, levels := range []uint32{256, 16, 8, 4, 2} {
		add(fmt.Sprintf("random %d", levels), "uniform", levels, 0, nil)
	}
	few(128, 64, 32)
	for _, levels := range []uint32{16, 8, 4} {
		add(fmt.Sprintf("noisy field 64, %d levels", levels), "image", levels, 0, field(64, 0.1))
	}
	for _, share := range []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9} {
		add(fmt.Sprintf("noisy field 64, %v black", share), "image", grey, share, field(64, 0.1))
	}
	for _, share := range []float64{0.3, 0.5, 0.7, 0.85} {
		add(fmt.Sprintf("field 16, %v black", share), "image", grey, share, field(16, 0))
	}
	for _, share := range []float64{0.4, 0.6, 0.75, 0.85} {
		add(fmt.Sprintf("field 256, %v black", share), "image", grey, share, field(256, 0))
	}
	large := all[slices.IndexFunc(all, func(p picture) bool { return p.name == sameAsLarge })]
	large.name, large.times = largeImage, 4
	return append(all, large)
}

// The largest image, like in8 of Figure 7 with a "relatively high" warp level, and the one that
// differs from it in its size alone. It has the noise of a photograph, not a black background.
const (
	largeImage  = "large, 16 levels"
	sameAsLarge = "noisy field 64, 16 levels"
)

// shownImages are the representative ones of Figure 7, by falling collisions.
var shownImages = []string{
	"field 64, 2 levels", "noisy field 64, 0.9 black", "field 64, 4 levels",
	"noisy field 64, 0.5 black", largeImage, "field 256", "noisy field 64, 0.1 black", "field 64", "noisy field 64",
	"random 256",
}

// images are the inputs of the histograms.
func images(o papers.Options) []input {
	var all []input
	for i, p := range pictures() {
		all = append(all, input{name: p.name, represents: slices.Contains(shownImages, p.name),
			draw: func() (apps.AppInput, error) {
				n := o.Scaled(pixels * p.times)
				values, err := drawn(p.family, n, p.levels, o.Seed+uint64(i), p.params)
				darken(values, p.dark)
				return apps.AppInput{Keys: values, Bins: grey}, err
			}})
	}
	return all
}

// darken makes the darkest pixels black, as many levels of them as come to the share.
func darken(values []uint32, share float64) {
	var counts [grey]int
	for _, v := range values {
		counts[v]++
	}
	black, below := uint32(0), 0
	for float64(below) < share*float64(len(values)) {
		below += counts[black]
		black++
	}
	for i, v := range values {
		if v < black {
			values[i] = 0
		}
	}
}
