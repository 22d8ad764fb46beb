package plot

import (
	"bytes"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/vision"
)

func samples() map[string]Page {
	lines := func(name string, log bool, to float64) Figure {
		f := Figure{Title: name, XLabel: "bins", YLabel: "time (µs)", XLog: log, YLog: log}
		for i, style := range []Style{Solid, Dashed, Markers, Reference} {
			l := Line{Name: "line " + string(rune('a'+i)), Style: style}
			for x := 1.0; x <= to; x *= 2 {
				l.X, l.Y = append(l.X, x), append(l.Y, x*float64(i+1))
			}
			f.Lines = append(f.Lines, l)
		}
		return f
	}
	bars := Bars{Title: "bars", YLabel: "time (µs)", Categories: []string{"one", "another", "third"},
		Series: []Series{{"loads", []float64{1, 2, 3}}, {"adds", []float64{3, 2, 4}}},
		Labels: [][]string{{"x", "", "y"}, {"7", "8", "9"}}, Overlay: []Line{{Name: "measured", Y: []float64{3, 4, 5}, Style: Markers}}}
	stacks := bars
	stacks.Stacked, stacks.Labels = true, bars.Labels[1:]
	return map[string]Page{
		"lines": {Panels: []Panel{lines("lines", false, 64)}}, "logarithms": {Panels: []Panel{lines("logarithms", true, 1<<20)}},
		"a decade": {Title: "page", Panels: []Panel{lines("a decade", true, 4), lines("again", true, 2)}, SharedY: true},
		"bars":     {Panels: []Panel{bars, stacks}}, "ends": {Panels: []Panel{lines("ends", false, 64)}, Ends: true},
	}
}

// TestPages: every kind of panel is drawn, the same at each time, with all its texts.
func TestPages(t *testing.T) {
	for name, page := range samples() {
		svg, err := page.SVG()
		again, errAgain := page.SVG()
		if err = errors.Join(err, errAgain); err != nil || !bytes.Equal(svg, again) {
			t.Fatalf("%s: %v, the same again: %v", name, err, bytes.Equal(svg, again))
		}
		for _, text := range []string{"time (µs)", strings.TrimPrefix(name, "x")} {
			if !strings.Contains(string(svg), text) {
				t.Errorf("%s: no %q", name, text)
			}
		}
	}
}

// TestWrite: both files of a page, and nothing of one that cannot be drawn.
func TestWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "page")
	if err := Write(name, samples()["bars"]); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name + ".png")
	if err != nil {
		t.Fatal(err)
	}
	if picture, err := png.Decode(bytes.NewReader(data)); err != nil || picture.Bounds().Dx() != 1800 {
		t.Errorf("%v", err)
	}
	for what, l := range map[string]Line{"no logarithm": {Name: "a", X: []float64{1, 2}, Y: []float64{0, 1}},
		"lengths": {Name: "a", X: []float64{1, 2}, Y: []float64{1}}} {
		none := filepath.Join(t.TempDir(), "none")
		err := Write(none, Page{Panels: []Panel{Figure{Lines: []Line{l}, YLog: true}}})
		if _, missing := os.Stat(none + ".svg"); !errors.Is(err, ErrFigure) || !os.IsNotExist(missing) {
			t.Errorf("%s: %v, %v", what, err, missing)
		}
	}
}

// TestColours: neighbours of the palette are told apart, in full colour vision and without red or green cones.
func TestColours(t *testing.T) {
	for i, c := range palette[1:] {
		before := palette[i]
		if d := vision.Difference(vision.RGB(c.R, c.G, c.B), vision.RGB(before.R, before.G, before.B)); d < 20 {
			t.Errorf("%v and %v: %v", before, c, d)
		}
	}
}
