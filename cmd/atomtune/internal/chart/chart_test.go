package chart

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// element is a start of an element of a picture, with its text.
type element struct {
	name, text string
	attributes map[string]string
}

func (e *element) number(t interface{ Fatal(...any) }, name string) float64 {
	v, err := strconv.ParseFloat(e.attributes[name], 64)
	if err != nil {
		t.Fatal(e.name, name, err)
	}
	return v
}

// parsed returns the elements of a picture, which is well-formed.
func parsed(t interface{ Fatal(...any) }, svg string) (list []element) {
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attributes: map[string]string{}}
			for _, a := range token.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			list = append(list, e)
		case xml.CharData:
			list[len(list)-1].text += string(token)
		}
	}
}

// checkTexts: no text overlaps another or leaves the picture, whose numbers are all finite.
func checkTexts(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}, svg string, mono func(class string) bool) (texts int) {
	type box struct{ left, right, top, bottom float64 }
	var boxes []box
	var wide float64
	for _, e := range parsed(t, svg) {
		for name, v := range e.attributes {
			if strings.Contains(v, "NaN") || strings.Contains(v, "Inf") {
				t.Fatalf("%s: %s=%q", e.name, name, v)
			}
		}
		switch e.name {
		case "svg":
			if _, err := fmt.Sscanf(e.attributes["viewBox"], "0 0 %f", &wide); err != nil {
				t.Fatal(err)
			}
		case "text":
			x, y, length := e.number(t, "x"), e.number(t, "y"), textWidth(e.text)
			if mono(e.attributes["class"]) {
				length = codeWidth(e.text)
			}
			left := x - map[string]float64{"middle": length / 2, "end": length}[e.attributes["text-anchor"]]
			b := box{left, left + length, y - 10, y + 2}
			if b.left < -0.1 || b.right > wide+0.1 {
				t.Fatalf("%q leaves the picture: %+v", e.text, b)
			}
			for _, other := range boxes {
				if b.left < other.right && other.left < b.right && b.top < other.bottom && other.top < b.bottom {
					t.Fatalf("%q overlaps a text: %+v and %+v", e.text, b, other)
				}
			}
			boxes = append(boxes, b)
		}
	}
	return len(boxes)
}

func label(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// TestPlots: whatever the scales, a plot is well-formed, has a title and a description, and its texts
// do not overlap.
func TestPlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := func(name string) Scale {
			low := rapid.Float64Range(1e-3, 1e6).Draw(t, name+" low")
			high := low * rapid.Float64Range(1.5, 1e9).Draw(t, name+" high")
			return rapid.SampledFrom([]Scale{Linear{High: high}, Linear{low, high}, Log{low, high},
				Shares{0.001}}).Draw(t, name)
		}
		p := Plot{ID: "a", Title: "<title> & more", Description: `"quoted"`,
			X: Axis{"along", scale("x"), label},
			Y: Axis{"up", scale("y"), label}}
		if x, log := p.X.Scale.(Log); log {
			p.Marks = []Mark{{"this stream", x.Low * 1.2}, {"another", x.Low * 1.3}}
		}
		svg := p.SVG()
		if n := checkTexts(t, svg, func(string) bool { return false }); n < 3 {
			t.Fatalf("%d texts", n)
		}
		root := parsed(t, svg)[0]
		if root.attributes["role"] != "img" || root.attributes["aria-labelledby"] != "a-title a-desc" {
			t.Fatalf("%v", root.attributes)
		}
		if !strings.Contains(svg, `<title id="a-title">&lt;title&gt; &amp; more</title>`) ||
			!strings.Contains(svg, `<desc id="a-desc">&#34;quoted&#34;</desc>`) {
			t.Fatalf("no title or description in %s", svg)
		}
	})
}

// TestContent: lines, areas, bars, dots, strips and marks stand where the scales say.
func TestContent(t *testing.T) {
	half := 5.0
	p := Plot{ID: "a", X: Axis{"", Linear{0, 10}, label}, Y: Axis{"", Linear{0, 10}, label}, Level: &half,
		Lines: []Line{{"s3", []Point{{0, 0}, {5, math.NaN()}, {5, 5}, {10, 10}}}},
		Area:  []Band{{0, 0, 10}, {10, 5, 10}}, Bars: []Bar{{0, 5, 10}}, Dots: []Point{{10, 10}},
		Spans: []Span{{"s2", "too long", "w", 4.9, 5}, {"s1", "wins", "", 5, 10}}, Marks: []Mark{{"here", 10}}}
	left := textWidth("10") + tickLength + 6
	middle, right := (left+width-rightMargin)/2, float64(width-rightMargin)
	top, bottom := float64(topMargin+spanRow), float64(height-bottomMargin+spanRow)
	svg := p.SVG()
	for _, want := range []string{
		fmt.Sprintf(`<path class="line s3" d="M%s %sM%s %sL%s %s"/>`, number(left), number(bottom),
			number(middle), number((top+bottom)/2), number(right), number(top)),
		fmt.Sprintf(`<circle class="dot" cx="%s" cy="%s" r="4"/>`, number(right), number(top)),
		fmt.Sprintf(`<rect class="bar" x="%s" y="%s" width="%s" height="%s"/>`, number(left), number(top),
			number(middle-left), number(bottom-top)),
		fmt.Sprintf(`<line class="level" x1="%s" y1="%s"`, number(left), number((top+bottom)/2)),
		fmt.Sprintf(`<rect class="span s1" x="%s"`, number(middle)),
		fmt.Sprintf(`<line class="mark" x1="%s"`, number(right)), ">here</text>", ">w</text>", ">wins</text>",
		fmt.Sprintf(`<path class="area" d="M%s %sL%s %sL%s %sL%s %sZ"/>`, number(left), number(top),
			number(right), number(top), number(right), number((top+bottom)/2), number(left), number(bottom)),
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
}

// TestTicks: ticks are round, ascend within the scale, and are no more than asked for.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		scale Scale
		most  int
		want  []float64
	}{
		{Linear{0, 1048576}, 6, []float64{0, 200000, 400000, 600000, 800000, 1e6}},
		{Linear{0, 10}, 3, []float64{0, 5, 10}},
		{Linear{0.4, 32.6}, 7, []float64{5, 10, 15, 20, 25, 30}},
		{Log{1, 256}, 9, []float64{1, 2, 5, 10, 20, 50, 100, 200}},
		{Log{1, 256}, 5, []float64{1, 3, 10, 30, 100}},
		{Log{1, 1 << 24}, 4, []float64{1, 100, 1e4, 1e6}},
		{Shares{0.001}, 9, []float64{-1, -0.1, -0.01, -0.001, 0, 0.001, 0.01, 0.1, 1}},
		{Shares{0.001}, 5, []float64{-1, -0.1, 0, 0.1, 1}},
	} {
		got := c.scale.Ticks(c.most)
		same := slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9*(1+math.Abs(b)) })
		if !same || len(got) > 0 && math.Signbit(got[0]) && got[0] == 0 {
			t.Errorf("%+v, at most %d: %v, want %v", c.scale, c.most, got, c.want)
		}
	}
}

// TestShares: the scale is even around 0, joins at Least, and grows.
func TestShares(t *testing.T) {
	s := Shares{0.01}
	last := -1.0
	for _, v := range []float64{-1, -0.1, -0.01, -0.005, 0, 0.005, 0.01, 0.1, 1} {
		place := s.Place(v)
		if place <= last || math.Abs(place+s.Place(-v)-1) > 1e-12 {
			t.Errorf("%v at %v after %v", v, place, last)
		}
		last = place
	}
	if s.Place(-1) != 0 || s.Place(0) != 0.5 || s.Place(1) != 1 {
		t.Errorf("from %v by %v to %v", s.Place(-1), s.Place(0), s.Place(1))
	}
}

// TestRows: bars begin at the origin and end at their values, and what has no room is left out.
func TestRows(t *testing.T) {
	r := Rows{ID: "r", Title: "rows", Description: "of bars", Origin: 1,
		Axis: Axis{"times", Log{0.5, 100}, label}, Rows: []Row{
			{Name: "first", Note: "1 us", Value: 10, Low: 8, High: 12, Chosen: true},
			{Name: strings.Repeat("long", 10), Note: strings.Repeat("note", 9), Value: 0.5, Low: 0.5, High: 2},
			{Name: "<&>", Note: "b", Value: 100, Low: 90, High: 1e6}, {Name: "no interval", Value: 3}}}
	svg := r.SVG()
	if n := checkTexts(t, svg, func(class string) bool { return strings.HasPrefix(class, "name") }); n < 9 {
		t.Errorf("%d texts", n)
	}
	if n := strings.Count(svg, `class="interval"`); n != 3 {
		t.Errorf("%d whiskers of 3 intervals", n)
	}
	if strings.Contains(svg, "notenote") || !strings.Contains(svg, ">1 us</text>") {
		t.Error("the wrong note is left out")
	}
	f := rowsFrame{Rows: &r}
	for _, want := range []string{
		fmt.Sprintf(`<rect class="bar chosen" x="%s" y="%d" width="%s"`, number(f.x(1)), rowsTop+20,
			number(f.x(10)-f.x(1))),
		fmt.Sprintf(`<rect class="bar" x="%s" y="%d" width="%s"`, number(f.x(0.5)), rowsTop+rowHeight+20,
			number(f.x(1)-f.x(0.5))),
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	if f.x(1e6) != f.x(100) {
		t.Error("an interval leaves the picture")
	}
}
