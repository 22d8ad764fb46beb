package plot

import (
	"fmt"
	"math"
	"slices"
	"unicode"

	xfont "golang.org/x/image/font"
)

// check returns an error, which wraps ErrFigure, about what cannot be drawn.
func (p Page) check() error {
	if len(p.Panels) == 0 {
		return fmt.Errorf("%w: a page without panels", ErrFigure)
	}
	if p.Columns < 0 {
		return fmt.Errorf("%w: %d columns", ErrFigure, p.Columns)
	}
	for _, side := range []int{p.Width, p.Height} {
		if side != 0 && (side < minSide || side > maxSide) {
			return fmt.Errorf("%w: a page of %d pixels; a side has %d to %d",
				ErrFigure, side, minSide, maxSide)
		}
	}
	if err := writable(p.Title); err != nil {
		return err
	}
	for i, panel := range p.Panels {
		if panel == nil {
			return fmt.Errorf("%w: panel %d is nil", ErrFigure, i+1)
		}
		if err := checkPanel(panel); err != nil {
			return fmt.Errorf("panel %d: %w", i+1, err)
		}
		if p.SharedY && panel.yScale() != p.Panels[0].yScale() {
			return fmt.Errorf("%w: panel %d cannot share a y axis: one is linear, one logarithmic",
				ErrFigure, i+1)
		}
	}
	return nil
}

// checkPanel checks what figures and bars have in common, then the panel.
func checkPanel(p Panel) error {
	l := p.labels()
	if err := writable(l.title, l.x, l.y); err != nil {
		return err
	}
	seen := map[inkKey]bool{}
	for i, e := range p.entries() {
		if e.name == "" {
			return fmt.Errorf("%w: series %d has no name", ErrFigure, i+1)
		}
		if err := writable(e.name); err != nil {
			return err
		}
		if seen[e.key()] {
			return fmt.Errorf("%w: two series are named %q", ErrFigure, e.name)
		}
		seen[e.key()] = true
	}
	return p.check()
}

func (f Figure) check() error {
	if len(f.Lines) == 0 {
		return fmt.Errorf("%w: no lines", ErrFigure)
	}
	for _, l := range f.Lines {
		if err := l.check(f.XLog, f.YLog); err != nil {
			return fmt.Errorf("line %q: %w", l.Name, err)
		}
	}
	for _, t := range f.XTicks {
		if err := showable("tick", []float64{t.Value}, f.XLog); err != nil {
			return err
		}
		if err := writable(t.Label); err != nil {
			return err
		}
	}
	return nil
}

func (l Line) check(xLog, yLog bool) error {
	if l.Style < Solid || l.Style > Reference {
		return fmt.Errorf("%w: unknown style %d", ErrFigure, l.Style)
	}
	if len(l.Y) == 0 {
		return fmt.Errorf("%w: no values", ErrFigure)
	}
	if len(l.X) != len(l.Y) {
		return fmt.Errorf("%w: %d x values and %d y values", ErrFigure, len(l.X), len(l.Y))
	}
	if err := showable("x", l.X, xLog); err != nil {
		return err
	}
	if err := showable("y", l.Y, yLog); err != nil {
		return err
	}
	if l.Low == nil && l.High == nil {
		return nil
	}
	if len(l.Low) != len(l.Y) || len(l.High) != len(l.Y) {
		return fmt.Errorf("%w: %d low and %d high values for %d y values", ErrFigure, len(l.Low),
			len(l.High), len(l.Y))
	}
	if err := showable("low", l.Low, yLog); err != nil {
		return err
	}
	if err := showable("high", l.High, yLog); err != nil {
		return err
	}
	for i := range l.Low {
		if l.Low[i] > l.High[i] {
			return fmt.Errorf("%w: low value %g above high value %g at %d",
				ErrFigure, l.Low[i], l.High[i], i)
		}
	}
	return nil
}

func (b Bars) check() error {
	if len(b.Categories) == 0 || len(b.Series) == 0 {
		return fmt.Errorf("%w: %d categories and %d series of bars", ErrFigure, len(b.Categories),
			len(b.Series))
	}
	if err := writable(b.Categories...); err != nil {
		return err
	}
	for _, s := range b.Series {
		if err := b.checkSeries(s); err != nil {
			return fmt.Errorf("series %q: %w", s.Name, err)
		}
	}
	for _, l := range b.Overlay {
		if l.X == nil && len(l.Y) != len(b.Categories) {
			return fmt.Errorf("overlay %q: %w: %d values for %d categories", l.Name, ErrFigure, len(l.Y),
				len(b.Categories))
		}
	}
	for _, l := range b.overlay() {
		if err := l.check(false, false); err != nil {
			return fmt.Errorf("overlay %q: %w", l.Name, err)
		}
	}
	return b.checkLabels()
}

func (b Bars) checkSeries(s Series) error {
	if len(s.Values) != len(b.Categories) {
		return fmt.Errorf("%w: %d values for %d categories", ErrFigure, len(s.Values), len(b.Categories))
	}
	if err := showable("bar", s.Values, false); err != nil {
		return err
	}
	if b.Stacked && slices.Min(s.Values) < 0 {
		return fmt.Errorf("%w: a stack cannot show %g", ErrFigure, slices.Min(s.Values))
	}
	return nil
}

func (b Bars) checkLabels() error {
	if b.Labels == nil {
		return nil
	}
	rows := len(b.Series)
	if b.Stacked {
		rows = 1
	}
	if len(b.Labels) != rows {
		return fmt.Errorf("%w: %d rows of labels, not %d", ErrFigure, len(b.Labels), rows)
	}
	for i, row := range b.Labels {
		if len(row) != len(b.Categories) {
			return fmt.Errorf("%w: row %d has %d labels for %d categories", ErrFigure, i+1, len(row),
				len(b.Categories))
		}
		if err := writable(row...); err != nil {
			return err
		}
	}
	return nil
}

// mostValue bounds what an axis shows: sums and ranges stay finite.
const mostValue = 1e100

// showable returns an error about a value that an axis cannot show.
func showable(what string, values []float64, log bool) error {
	for i, v := range values {
		switch {
		case math.IsNaN(v) || math.Abs(v) > mostValue:
			return fmt.Errorf("%w: %s value %d is %g", ErrFigure, what, i, v)
		case log && v < 1/mostValue:
			return fmt.Errorf("%w: %s value %d is %g on a logarithmic axis", ErrFigure, what, i, v)
		}
	}
	return nil
}

// writable returns an error about a character that the fonts do not have or an
// SVG document cannot hold: it would be missing from the picture.
func writable(texts ...string) error {
	for _, style := range []xfont.Weight{xfont.WeightNormal, xfont.WeightBold} {
		face := fonts.Fonts.Lookup(styled(10, style).Font, 10)
		for _, txt := range texts {
			for _, r := range txt {
				glyph, err := face.Face.GlyphIndex(nil, r)
				if err != nil || glyph == 0 || !unicode.IsGraphic(r) {
					return fmt.Errorf("%w: character %q of %q is not in its font", ErrFigure, r, txt)
				}
			}
		}
	}
	return nil
}
