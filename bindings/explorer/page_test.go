package explorer

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/vision"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("page", name))
	must(t, err)
	return string(data)
}

// TestOwnFilesAlone: the page names no other place.
func TestOwnFilesAlone(t *testing.T) {
	entries, err := os.ReadDir("page")
	must(t, err)
	link := regexp.MustCompile(`(https?:)?//[a-z0-9.]+\.[a-z]+`)
	for _, e := range entries {
		for _, found := range link.FindAllString(read(t, e.Name()), -1) {
			if found != "http://www.w3.org" { // the name of SVG, not an address to load
				t.Errorf("%s names %s", e.Name(), found)
			}
		}
	}
}

// TestContrast: text stands out from what is behind it by 4.5, and what pictures are made of by 3, in
// light and in dark, as WCAG 2.2 defines contrast (1.4.3 and 1.4.11). Whoever sees no red or no green tells
// lines apart.
func TestContrast(t *testing.T) {
	for name, scheme := range vision.Schemes(read(t, "style.css")) {
		for _, x := range []struct {
			front, behind string
			least         float64
		}{
			{"ink", "back panel", 4.5}, {"soft", "back panel", 4.5}, {"link", "back", 4.5},
			{"bad", "back panel", 4.5}, {"retry", "back", 4.5}, {"back", "won", 4.5},
			{"line", "back", 3}, {"1", "back panel", 3}, {"2", "back", 3}, {"3", "back", 3},
			{"4", "back", 3}, {"5", "back", 3}, {"6", "back", 3},
		} {
			for behind := range strings.FieldsSeq(x.behind) {
				if got := vision.Contrast(scheme[x.front], scheme[behind]); got < x.least {
					t.Errorf("%s: %s on %s has a contrast of %.2f, want %.1f", name, x.front, behind, got,
						x.least)
				}
			}
		}
		const least = 20 // of differences; 2.3 is just noticed
		if pair, d := vision.Apart(scheme, "ink", "1", "2", "3", "4", "5", "6"); d < least {
			t.Errorf("%s: %s differ by %.1f, want %d", name, pair, d, least)
		}
	}
}
