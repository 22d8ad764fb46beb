package plot

import (
	"errors"

	"gonum.org/v1/plot/vg"
)

// ErrFigure is wrapped by the errors about what cannot be drawn, such as lengths that
// differ, numbers that are not finite, text that does not fit.
var ErrFigure = errors.New("figure cannot be drawn")

// Panel is one drawing of a page: a Figure or a Bars.
type Panel interface {
	check() error
	labels() labels
	entries() []entry
	logY() bool
	// ySpan is the range that the y axis needs; the design's y is not yet set.
	ySpan(d design) span
	build(d design) drawing
}

// labels are the texts around a panel's data.
type labels struct{ title, x, y string }

// Page is what one picture shows.
type Page struct {
	Title string
	// Panels stand row by row. A title of the only panel is the page's title
	// where that is empty.
	Panels []Panel
	// Columns of the grid; 0 chooses 1 for one panel, 2 up to four panels, 3
	// beyond.
	Columns int
	// Width and Height in CSS pixels, 1/96 inch each; a Width of 0 is 900, a
	// Height of 0 follows from the rows.
	Width, Height int
	SharedY       bool // all panels have the same range of the y axis
	// Ends writes the names of lines at their ends instead of in a legend. All panels are Figures with a
	// linear x axis.
	Ends bool
}

// PNGScale is the number of a PNG's pixels in one CSS pixel, each way: pictures stay
// sharp on fine screens and in print.
const PNGScale = 2

// pixel is one CSS pixel.
const pixel = vg.Inch / 96

const (
	defaultWidth = 900
	minSide      = 200
	maxSide      = 10000
)

func (p Page) columns() int {
	switch n := len(p.Panels); {
	case p.Columns > 0:
		return min(p.Columns, n)
	case n == 1:
		return 1
	case n <= 4:
		return 2
	}
	return 3
}

func (p Page) rows() int {
	return (len(p.Panels) + p.columns() - 1) / p.columns()
}

// title is the page's title, which the only panel may give.
func (p Page) title() string {
	if p.Title == "" && len(p.Panels) == 1 {
		return p.Panels[0].labels().title
	}
	return p.Title
}

// common returns the axis labels that all panels share, empty where they differ.
func (p Page) common() labels {
	all := p.Panels[0].labels()
	for _, panel := range p.Panels[1:] {
		all.blank(panel.labels(), false)
	}
	return all
}

// own returns the texts that panel i writes itself.
func (p Page) own(i int) labels {
	l := p.Panels[i].labels()
	l.blank(p.common(), true)
	if p.Title == "" && len(p.Panels) == 1 {
		l.title = ""
	}
	return l
}

// blank empties the labels of the axes that are equal to others, or those that are not.
func (l *labels) blank(others labels, equal bool) {
	if (l.x == others.x) == equal {
		l.x = ""
	}
	if (l.y == others.y) == equal {
		l.y = ""
	}
}
