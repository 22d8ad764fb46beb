package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"unicode"

	xfont "golang.org/x/image/font"
)

// refuse returns an error that wraps ErrFigure.
func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrFigure}, args...)...)
}

// check returns an error, which wraps ErrFigure, about what cannot be drawn.
func (p Page) check() error {
	if len(p.Panels) == 0 {
		return refuse("a page without panels")
	}
	if p.Columns < 0 {
		return refuse("%d columns", p.Columns)
	}
	for _, side := range []int{p.Width, p.Height} {
		if side != 0 && (side < minSide || side > maxSide) {
			return refuse("a page of %d pixels; a side has %d to %d", side, minSide, maxSide)
		}
	}
	if err := writable(p.Title); err != nil {
		return err
	}
	for i, panel := range p.Panels {
		if panel == nil {
			return refuse("panel %d is nil", i+1)
		}
		if err := cmp.Or(checkNames(panel), panel.check()); err != nil {
			return fmt.Errorf("panel %d: %w", i+1, err)
		}
		if f, lines := panel.(Figure); p.Ends && (!lines || f.XLog) {
			return refuse("panel %d has no room for names at the ends of lines", i+1)
		}
		if p.SharedY && panel.logY() != p.Panels[0].logY() {
			return refuse("panel %d cannot share a y axis: one is linear, one logarithmic", i+1)
		}
	}
	return nil
}

// checkNames checks what figures and bars have in common.
func checkNames(p Panel) error {
	l := p.labels()
	if err := writable(l.title, l.x, l.y); err != nil {
		return err
	}
	seen := map[inkKey]bool{}
	for i, e := range p.entries() {
		if e.name == "" {
			return refuse("series %d has no name", i+1)
		}
		if err := writable(e.name); err != nil {
			return err
		}
		if seen[e.inkKey] {
			return refuse("two series are named %q", e.name)
		}
		seen[e.inkKey] = true
	}
	return nil
}

func (f Figure) check() error {
	if len(f.Lines) == 0 {
		return refuse("no lines")
	}
	for _, l := range f.Lines {
		if err := l.check(f.XLog, f.YLog); err != nil {
			return fmt.Errorf("line %q: %w", l.Name, err)
		}
	}
	for _, t := range f.XTicks {
		if err := cmp.Or(showable("tick", []float64{t.Value}, f.XLog), writable(t.Label)); err != nil {
			return err
		}
	}
	return nil
}

func (l Line) check(xLog, yLog bool) error {
	switch n := len(l.Y); {
	case l.Style < Solid || l.Style > Reference:
		return refuse("unknown style %d", l.Style)
	case n == 0:
		return refuse("no values")
	case len(l.X) != n:
		return refuse("%d x values and %d y values", len(l.X), n)
	}
	err := cmp.Or(showable("x", l.X, xLog), showable("y", l.Y, yLog))
	if err != nil || l.Low == nil && l.High == nil {
		return err
	}
	if len(l.Low) != len(l.Y) || len(l.High) != len(l.Y) {
		return refuse("%d low and %d high values for %d y values", len(l.Low), len(l.High), len(l.Y))
	}
	err = cmp.Or(showable("low", l.Low, yLog), showable("high", l.High, yLog))
	for i := range l.Low {
		if err == nil && l.Low[i] > l.High[i] {
			err = refuse("low value %g above high value %g at %d", l.Low[i], l.High[i], i)
		}
	}
	return err
}

func (b Bars) check() error {
	n := len(b.Categories)
	if n == 0 || len(b.Series) == 0 {
		return refuse("%d categories and %d series of bars", n, len(b.Series))
	}
	if err := writable(b.Categories...); err != nil {
		return err
	}
	for _, s := range b.Series {
		err := showable("bar", s.Values, false)
		if len(s.Values) != n {
			err = refuse("%d values for %d categories", len(s.Values), n)
		} else if err == nil && b.Stacked && slices.Min(s.Values) < 0 {
			err = refuse("a stack cannot show %g", slices.Min(s.Values))
		}
		if err != nil {
			return fmt.Errorf("series %q: %w", s.Name, err)
		}
	}
	for i, l := range b.overlay() {
		err := l.check(false, false)
		if b.Overlay[i].X == nil && len(l.Y) != n {
			err = refuse("%d values for %d categories", len(l.Y), n)
		}
		if err != nil {
			return fmt.Errorf("overlay %q: %w", l.Name, err)
		}
	}
	rows := len(b.Series)
	if b.Stacked {
		rows = 1
	}
	if b.Labels != nil && len(b.Labels) != rows {
		return refuse("%d rows of labels, not %d", len(b.Labels), rows)
	}
	for i, row := range b.Labels {
		if len(row) != n {
			return refuse("row %d has %d labels for %d categories", i+1, len(row), n)
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
			return refuse("%s value %d is %g", what, i, v)
		case log && v < 1/mostValue:
			return refuse("%s value %d is %g on a logarithmic axis", what, i, v)
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
					return refuse("character %q of %q is not in its font", r, txt)
				}
			}
		}
	}
	return nil
}
