package chart

import (
	"fmt"
	"html"
	"strconv"
	"strings"
)

type canvas struct{ strings.Builder }

// shape writes an element with lengths by the names of their attributes.
func (c *canvas) shape(name, class, attributes string, lengths ...float64) {
	fmt.Fprintf(c, `<%s class="%s"`, name, class)
	for i, attribute := range strings.Fields(attributes) {
		fmt.Fprintf(c, ` %s="%s"`, attribute, number(lengths[i]))
	}
	c.WriteString("/>")
}

func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	c.shape("line", class, "x1 y1 x2 y2", x1, y1, x2, y2)
}

func (c *canvas) rect(class string, x, y, width, height float64) {
	c.shape("rect", class, "x y width height", x, y, width, height)
}

func (c *canvas) path(class, d string) { fmt.Fprintf(c, `<path class="%s" d="%s"/>`, class, d) }

// text writes a text whose start is at x, or what the anchor names.
func (c *canvas) text(class, anchor string, x, y float64, text string) {
	if anchor != "" {
		anchor = ` text-anchor="` + anchor + `"`
	}
	fmt.Fprintf(c, `<text class="%s" x="%s" y="%s"%s>%s</text>`, class, number(x), number(y), anchor,
		html.EscapeString(text))
}

// number prints a length to a tenth.
func number(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
}

// svg returns the picture with its title and description, whose ids begin with one of the page.
func (c *canvas) svg(id, title, description string, width, height float64) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" role="img" `+
		`aria-labelledby="%[3]s-title %[3]s-desc"><title id="%[3]s-title">%[4]s</title><desc id="%[3]s-desc">%[5]s</desc>`+
		`%[6]s</svg>`, number(width), number(height), html.EscapeString(id), html.EscapeString(title),
		html.EscapeString(description), c.String())
}

// letter and codeLetter are generously the widths of a letter in the page's style: of texts, and of code.
const letter, codeLetter = 6.8, 7.3

func textWidth(text string) float64 { return letter * float64(len([]rune(text))) }

func codeWidth(text string) float64 { return textWidth(text) * codeLetter / letter }
