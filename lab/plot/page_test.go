package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/draw"
	"image/png"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/atomtune/atomtune/lab/plot"
)

func samples() map[string]plot.Page {
	return map[string]plot.Page{
		"lines": lineSample(), "bars": barSample(), "grid": gridSample(), "groups": groupSample(),
	}
}

// texts parses the document strictly and returns the contents of its text
// elements.
func texts(t *testing.T, svg []byte) []string {
	t.Helper()
	var all []string
	inside := false
	for dec := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inside = token.Name.Local == "text"
		case xml.EndElement:
			inside = false
		case xml.CharData:
			if inside {
				all = append(all, string(token))
			}
		}
	}
}

func count(all []string, want string) int {
	n := 0
	for _, s := range all {
		if s == want {
			n++
		}
	}
	return n
}

func mustSVG(t *testing.T, p plot.Page) []byte {
	t.Helper()
	svg, err := p.SVG()
	if err != nil {
		t.Fatal(err)
	}
	return svg
}

func mustPNG(t *testing.T, p plot.Page) *image.RGBA {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(mustBytes(t, p)))
	if err != nil {
		t.Fatal(err)
	}
	picture := image.NewRGBA(decoded.Bounds())
	draw.Draw(picture, picture.Bounds(), decoded, image.Point{}, draw.Src)
	return picture
}

func TestSVGHoldsEveryText(t *testing.T) {
	want := map[string][]string{
		"lines": {"Time of one histogram call, by number of bins", "bins", "time (µs)", "naive",
			"private:r=16",
			"measured", "1", "4096", "0", "700"},
		"bars": {"Parts of the predicted time, by implementation", "time (µs)", "loads",
			"shared atomics",
			"global atomics", "flush", "measured", "naive", "sort", "96", "113"},
		"grid": {"Histogram time by replication factor", "replication factor", "time (ms)", "cyclic",
			"cyclic, padded", "block", "block, padded", "32 bins", "8192 bins"},
		"groups": {"Speedup over naive", "Predicted and measured", "stream", "speedup (ratio)",
			"measured (µs)",
			"predicted (µs)", "GTX 680", "H200", "C2075", "no gain", "equal", "clustered:run=32", "6.8"},
	}
	for name, page := range samples() {
		found := texts(t, mustSVG(t, page))
		if len(want[name]) == 0 {
			t.Errorf("%s: nothing to look for", name)
		}
		for _, w := range want[name] {
			if count(found, w) == 0 {
				t.Errorf("%s: the SVG has no text %q", name, w)
			}
		}
	}
}

func TestSharedLabelsAndLegendStandOnce(t *testing.T) {
	found := texts(t, mustSVG(t, gridSample()))
	for _, s := range []string{"replication factor", "time (ms)", "cyclic", "block, padded",
		"64 bins"} {
		if n := count(found, s); n != 1 {
			t.Errorf("%q stands %d times in the grid, want 1", s, n)
		}
	}
}

func TestTextIsEscaped(t *testing.T) {
	page := lineSample()
	f := page.Panels[0].(plot.Figure)
	f.Title = `a < b & "c" > 'd' style="font-family:Liberation Sans`
	found := texts(t, mustSVG(t, plot.Page{Panels: []plot.Panel{f}}))
	if count(found, f.Title) != 1 {
		t.Errorf("the title did not come back from %q", found)
	}
}

// TestPNG checks size and ink, and that no text or data runs off the page.
func TestPNG(t *testing.T) {
	for name, page := range samples() {
		page.Width, page.Height = 700, 580
		picture := mustPNG(t, page)
		size := picture.Bounds().Size()
		if want := image.Pt(700*plot.PNGScale, 580*plot.PNGScale); size != want {
			t.Errorf("%s: size %v, want %v", name, size, want)
		}
		white, blue, rim := 0, 0, 0
		for y := range size.Y {
			row := picture.Pix[y*picture.Stride:]
			for x := range size.X {
				switch at := [4]byte(row[4*x:]); {
				case at == [4]byte{255, 255, 255, 255}:
					white++
				case min(x, y, size.X-1-x, size.Y-1-y) < 4:
					rim++
				case at == [4]byte{0, 114, 178, 255}:
					blue++
				}
			}
		}
		if all := size.X * size.Y; white < all/2 || white > all*97/100 {
			t.Errorf("%s: %d of %d pixels are white", name, white, all)
		}
		if blue < 200 {
			t.Errorf("%s: %d pixels have the first colour", name, blue)
		}
		if rim > 0 {
			t.Errorf("%s: %d pixels at the rim have ink", name, rim)
		}
	}
}

func TestDefaultSize(t *testing.T) {
	picture, err := png.DecodeConfig(bytes.NewReader(mustBytes(t, lineSample())))
	if err != nil || picture.Width != 900*plot.PNGScale {
		t.Errorf("width %d, want %d (%v)", picture.Width, 900*plot.PNGScale, err)
	}
	svg := string(mustSVG(t, lineSample()))
	if !strings.Contains(svg, `<svg width="675pt"`) { // 900/96 inch
		t.Errorf("the SVG is not 675 points wide: %.200s", svg)
	}
}

// TestSameBytes draws each page again, and at the same time.
func TestSameBytes(t *testing.T) {
	for name, page := range samples() {
		svg := mustSVG(t, page)
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				again, err := page.SVG()
				if err != nil || !bytes.Equal(again, svg) {
					t.Errorf("%s: another SVG (%v)", name, err)
				}
			})
		}
		group.Wait()
	}
	for _, page := range []plot.Page{lineSample(), barSample()} {
		page.Width, page.Height = 400, 300
		first := mustBytes(t, page)
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				if again, err := page.PNG(); err != nil || !bytes.Equal(again, first) {
					t.Errorf("another PNG (%v)", err)
				}
			})
		}
		group.Wait()
	}
}

func mustBytes(t *testing.T, p plot.Page) []byte {
	t.Helper()
	data, err := p.PNG()
	if err != nil {
		t.Fatal(err)
	}
	return data
}
