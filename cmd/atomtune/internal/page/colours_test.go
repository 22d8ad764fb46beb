package page

import (
	"testing"

	"github.com/atomtune/atomtune/internal/vision"
)

// TestColours: whoever sees no red or no green tells lines and strips apart, which stand out from the page by
// 3, and texts by 4.5.
func TestColours(t *testing.T) {
	const least = 20 // of differences; 2.3 is just noticed
	for name, scheme := range vision.Schemes(style) {
		if pair, d := vision.Apart(scheme, "s0", "s1", "s2", "s3", "s4", "s5", "s6"); d < least {
			t.Errorf("%s: %s differ by %.1f, want %d", name, pair, d, least)
		}
		for least, list := range map[float64][]string{3: {"s0", "s1", "s2", "s3", "s4", "s5", "s6"},
			4.5: {"ink", "faint", "accent", "warn"}} {
			for _, front := range list {
				if c := vision.Contrast(scheme[front], scheme["ground"]); c < least {
					t.Errorf("%s: %s has a contrast of %.2f, want %v", name, front, c, least)
				}
			}
		}
	}
}
