package plot

import (
	"image/color"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// design is what a panel needs to know of its page.
type design struct {
	theme theme
	data  vg.Point // size of the data area, estimated before the axes are laid out
	inks  inks
	y     span
	ends  bool // names stand at the ends of lines
}

// theme holds the sizes and styles of a page's parts, in points of 1/72 inch.
type theme struct {
	title, panelTitle, label, legend, tick, tag text.Style

	line, marker vg.Length // width, radius
}

var (
	black     = color.NRGBA{A: 255}
	darkGrey  = color.NRGBA{R: 60, G: 60, B: 60, A: 255}
	midGrey   = color.NRGBA{R: 120, G: 120, B: 120, A: 255}
	lightGrey = color.NRGBA{R: 226, G: 226, B: 226, A: 255}
	white     = color.NRGBA{R: 255, G: 255, B: 255, A: 255}

	// The others of Okabe and Ito.
	orange        = color.NRGBA{R: 230, G: 159, B: 0, A: 255}
	skyBlue       = color.NRGBA{R: 86, G: 180, B: 233, A: 255}
	bluishGreen   = color.NRGBA{R: 0, G: 158, B: 115, A: 255}
	yellow        = color.NRGBA{R: 240, G: 228, B: 66, A: 255}
	blue          = color.NRGBA{R: 0, G: 114, B: 178, A: 255}
	vermillion    = color.NRGBA{R: 213, G: 94, B: 0, A: 255}
	reddishPurple = color.NRGBA{R: 204, G: 121, B: 167, A: 255}
)
var fonts = text.Plain{Fonts: font.NewCache(liberation.Collection())}

// themeFor returns the sizes for so many columns: many small panels have
// somewhat smaller text, never below 12 CSS pixels (9 points).
func themeFor(columns int) theme {
	var small vg.Length
	if columns > 2 {
		small = 1
	}
	return theme{
		title:      styled(13.5, xfont.WeightBold),
		panelTitle: styled(11.5-small, xfont.WeightBold),
		label:      styled(11.5-small/2, xfont.WeightNormal),
		legend:     styled(10.5, xfont.WeightNormal),
		tick:       styled(10-small, xfont.WeightNormal),
		tag:        styled(9.5-small/2, xfont.WeightNormal),
		line:       1.7 - 0.3*small,
		marker:     3.4 - 0.6*small,
	}
}

func styled(size vg.Length, weight xfont.Weight) text.Style {
	return text.Style{
		Color:   black,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight, Size: size},
		XAlign:  draw.XCenter,
		YAlign:  draw.YTop,
		Handler: fonts,
	}
}

// kind is what a legend's entry stands for. Each kind counts its own colours,
// so that points measured over bars contrast with the bars.
type kind int

const (
	lineKind kind = iota
	barKind
	overlayKind
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
			all[e.inkKey] = ink{color: midGrey}
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
		all[e.inkKey] = ink{
			color:  palette[i%len(palette)],
			marker: (start + marker(i+round)) % markers,
			hatch:  hatch(i+round) % hatches,
		}
	}
	return all
}
