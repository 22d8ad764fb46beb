package plot

import (
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// raised writes "10^6" as ten with a raised six. The fonts have no complete
// set of raised digits, so that the exponent is the same digits, smaller.
type raised struct{ text.Plain }

const (
	exponentSize = 0.72
	exponentRise = 0.38
	headroom     = 0.22 // above both, as much as digits have above a line
)

// Box returns the width, height and depth of one line of text.
func (h raised) Box(txt string, fnt font.Font) (width, height, depth vg.Length) {
	base, exponent, found := strings.Cut(txt, "^")
	width, height, depth = h.Plain.Box(base, fnt)
	if found {
		w, _, _ := h.Plain.Box(minus(exponent), exponentFont(fnt))
		width += w
	}
	return width, height + headroom*fnt.Size, depth
}

// Draw writes one line of text that is not rotated.
func (h raised) Draw(c vg.Canvas, txt string, sty text.Style, pt vg.Point) {
	if sty.YAlign == text.YTop {
		pt.Y -= headroom * sty.Font.Size
	}
	base, exponent, found := strings.Cut(txt, "^")
	width, _, _ := h.Box(txt, sty.Font)
	sty.Handler = h.Plain
	if !found {
		h.Plain.Draw(c, txt, sty, pt)
		return
	}
	first, _, _ := h.Plain.Box(base, sty.Font)
	pt.X += vg.Length(sty.XAlign) * width
	sty.XAlign = text.XLeft
	h.Plain.Draw(c, base, sty, pt)
	small := sty
	small.Font = exponentFont(sty.Font)
	rise := baseline(sty) - baseline(small) + exponentRise*sty.Font.Size
	h.Plain.Draw(c, minus(exponent), small, pt.Add(vg.Point{X: first, Y: rise}))
}

// baseline is how far above the point at which a text is drawn its line stands.
func baseline(sty text.Style) vg.Length {
	return sty.Height("0")*vg.Length(sty.YAlign) - sty.FontExtents().Ascent + sty.Font.Size
}

func exponentFont(fnt font.Font) font.Font { return font.From(fnt, exponentSize*fnt.Size) }

func minus(digits string) string { return strings.Replace(digits, "-", "−", 1) }
