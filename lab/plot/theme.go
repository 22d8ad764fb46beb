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
	data  dataArea
	inks  inks
	y     span
}

// dataArea is the size of the data area, estimated before the axes are laid out.
type dataArea struct{ width, height vg.Length }

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
)

var fonts = text.Plain{Fonts: font.NewCache(liberation.Collection())}

// themeFor returns the sizes for so many columns: many small panels have
// somewhat smaller text, never below 12 CSS pixels (9 points).
func themeFor(columns int) theme {
	small := vg.Length(0)
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
