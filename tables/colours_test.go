package tables

import (
	"testing"

	"github.com/atomtune/atomtune/internal/vision"
)

// TestColours: whoever sees no red or no green tells the cells of the page apart, and texts stand out from them
// by 4.5.
func TestColours(t *testing.T) {
	const least = 14 // of differences; 2.3 is just noticed, and cells name their implementation besides
	cells := []string{"naive", "warp", "private", "hot", "nonatomic", "coordinator"}
	for name, scheme := range vision.Schemes(page) {
		if pair, d := vision.Apart(scheme, cells...); d < least {
			t.Errorf("%s: %s differ by %.1f, want %d", name, pair, d, least)
		}
		for _, behind := range cells {
			for _, front := range []string{"ink", "second"} {
				if c := vision.Contrast(scheme[front], scheme[behind]); c < 4.5 {
					t.Errorf("%s: %s on %s has a contrast of %.2f", name, front, behind, c)
				}
			}
		}
	}
}
