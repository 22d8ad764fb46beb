package plot

import (
	"image/color"

	"gonum.org/v1/plot/vg"
)

// kind is what a legend's entry stands for. Each kind counts its own colours,
// so that points measured over bars contrast with the bars.
type kind int

const (
	lineKind kind = iota
	barKind
	overlayKind
)

// The colours of Okabe and Ito.
var (
	orange        = color.NRGBA{R: 230, G: 159, B: 0, A: 255}
	skyBlue       = color.NRGBA{R: 86, G: 180, B: 233, A: 255}
	bluishGreen   = color.NRGBA{R: 0, G: 158, B: 115, A: 255}
	yellow        = color.NRGBA{R: 240, G: 228, B: 66, A: 255}
	blue          = color.NRGBA{R: 0, G: 114, B: 178, A: 255}
	vermillion    = color.NRGBA{R: 213, G: 94, B: 0, A: 255}
	reddishPurple = color.NRGBA{R: 204, G: 121, B: 167, A: 255}
)

// palettes orders the colours of each kind: neighbours differ in lightness too.
// Yellow is too pale for a line on white.
var palettes = map[kind][]color.NRGBA{
	lineKind:    {blue, vermillion, bluishGreen, orange, reddishPurple, skyBlue, black},
	barKind:     {blue, orange, bluishGreen, skyBlue, vermillion, yellow, reddishPurple},
	overlayKind: {black, vermillion, reddishPurple, bluishGreen},
}

// ink is how a series looks.
type ink struct {
	color  color.NRGBA
	marker marker
	hatch  hatch
}

type inkKey struct {
	kind kind
	name string
}

// inks gives each name of a page its style.
type inks map[inkKey]ink

// inksFor hands out styles in the order of the entries. Markers and hatchings
// repeat out of step with the colours, so that many series differ.
func inksFor(entries []entry) inks {
	all := inks{}
	count := map[kind]int{}
	for _, e := range entries {
		if e.style == Reference {
			all[e.key()] = ink{color: midGrey}
			continue
		}
		i := count[e.kind]
		count[e.kind]++
		palette := palettes[e.kind]
		round := i / len(palette)
		start := marker(0)
		if e.kind == overlayKind {
			start = diamond
		}
		all[e.key()] = ink{
			color:  palette[i%len(palette)],
			marker: (start + marker(i+round)) % markers,
			hatch:  hatch(i+round) % hatches,
		}
	}
	return all
}

// translucent is the colour of a band around a line.
func (k ink) translucent() color.NRGBA {
	c := k.color
	c.A = 48
	return c
}

// dashes of a line of that style, nil for an unbroken one.
func (s Style) dashes() []vg.Length {
	switch s {
	case Dashed:
		return []vg.Length{5, 3}
	case Reference:
		return []vg.Length{2, 2}
	default:
		return nil
	}
}
