package plot

import (
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/atomtune/atomtune/internal/vision"
)

// TestSpread: places that have room stay, and others are apart and below the highest.
func TestSpread(t *testing.T) {
	for _, x := range []struct{ places, want []vg.Length }{
		{[]vg.Length{0, 20, 50}, []vg.Length{0, 20, 50}},
		{[]vg.Length{10, 11, 12}, []vg.Length{10, 20, 30}},
		{[]vg.Length{60, 98, 99}, []vg.Length{60, 90, 100}},
		{[]vg.Length{95, 98, 120}, []vg.Length{80, 90, 100}},
	} {
		got := slices.Clone(x.places)
		if spread(got, 10, 100); !slices.Equal(got, x.want) {
			t.Errorf("%v spread to %v, want %v", x.places, got, x.want)
		}
	}
}

// TestColours: whoever sees no red or no green tells the lines of a figure, and its bars, apart.
func TestColours(t *testing.T) {
	const least = 15 // of differences; 2.3 is just noticed, and marks and hatching differ besides
	for kind, palette := range palettes {
		for i, a := range palette {
			for _, b := range palette[:i] {
				if d := vision.Difference(vision.RGB(a.R, a.G, a.B), vision.RGB(b.R, b.G, b.B)); d < least {
					t.Errorf("kind %d: %v and %v differ by %.1f, want %d", kind, a, b, d, least)
				}
			}
		}
	}
}
