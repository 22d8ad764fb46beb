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

// picture says how an image is drawn: a synthetic stream of as many targets as
// its grey levels, so many times as long as the others.
type picture struct {
	name   string
	family string
	levels uint32
	params map[string]float64
	times  int
}

// pictures are 37 images from flat to random, whose warp levels spread evenly
// over (0, 1]: smooth fields, with and without noise, few or many grey levels of
// equal frequency, skewed ones, and backgrounds that take a share of the pixels.
func pictures() []picture {
	var all []picture
	add := func(name, family string, levels uint32, params map[string]float64) {
		all = append(all, picture{name, family, levels, params, 1})
	}
	for _, scale := range []float64{16, 64, 256} {
		add(fmt.Sprintf("field %v", scale), "image", grey, map[string]float64{"scale": scale})
	}
	add("noisy field 64", "image", grey, map[string]float64{"scale": 64, "noise": 0.1})
	for _, levels := range []uint32{16, 8, 4, 2} {
		add(fmt.Sprintf("field 64, %d levels", levels), "image", levels, map[string]float64{"scale": 64})
	}
	for _, levels := range []uint32{256, 16, 8, 4, 2} {
		add(fmt.Sprintf("random %d", levels), "uniform", levels, nil)
	}
	for _, s := range []float64{0.5, 1, 1.5, 2, 2.5, 3} {
		add(fmt.Sprintf("skewed %v", s), "zipf", grey, map[string]float64{"s": s, "shuffle": 1})
	}
	for _, share := range []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9,
		0.95, 0.99} {
		add(fmt.Sprintf("background %v", share), "hotspot", grey, map[string]float64{"h": 1, "p": share})
	}
	for _, hot := range []float64{2, 4} {
		add(fmt.Sprintf("%v hot", hot), "hotspot", grey, map[string]float64{"h": hot, "p": 0.9})
	}
	add("flat", "constant", grey, nil)
	large := all[slices.IndexFunc(all, func(p picture) bool { return p.name == sameAsLarge })]
	large.name, large.times = largeImage, 4
	return append(all, large)
}

// The largest image, like in8 of Figure 7, and the one that differs from it in
// its size alone.
const (
	largeImage  = "large, 0.5"
	sameAsLarge = "background 0.5"
)

// shownImages are the representative ones of Figure 7, by falling collisions.
var shownImages = []string{
	"flat", "background 0.9", "field 64, 4 levels", largeImage, "skewed 1.5",
	"field 256", "field 64", "noisy field 64", "background 0.1", "random 256",
}

// images are the inputs of the histograms.
func images(o papers.Options) []input {
	var all []input
	for i, p := range pictures() {
		all = append(all, input{name: p.name, represents: slices.Contains(shownImages, p.name),
			draw: func() (apps.AppInput, error) {
				n := o.Scaled(pixels * p.times)
				values, err := drawn(p.family, n, p.levels, o.Seed+uint64(i), p.params)
				return apps.AppInput{Keys: values, Bins: grey}, err
			}})
	}
	return all
}
