package explorer

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
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
// light and in dark, as WCAG 2.2 defines contrast (1.4.3 and 1.4.11).
func TestContrast(t *testing.T) {
	css := read(t, "style.css")
	light, dark, _ := strings.Cut(css, "prefers-color-scheme: dark")
	for name, scheme := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]float64{}
		for _, m := range regexp.MustCompile(`--(\w+): (#\w{6})`).FindAllStringSubmatch(scheme, -1) {
			colours[m[1]] = luminance(t, m[2])
		}
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
				a, known := colours[x.front]
				b, too := colours[behind]
				if !known || !too {
					t.Fatalf("%s: no colour %s or %s", name, x.front, behind)
				}
				if got := (max(a, b) + 0.05) / (min(a, b) + 0.05); got < x.least {
					t.Errorf("%s: %s on %s has a contrast of %.2f, want %.1f", name, x.front, behind, got,
						x.least)
				}
			}
		}
	}
}

// luminance is the relative luminance of a colour.
func luminance(t *testing.T, hex string) (sum float64) {
	t.Helper()
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		must(t, err)
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
