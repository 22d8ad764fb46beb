package chart

import (
	"fmt"
	"html"
	"strconv"
	"strings"
)

// canvas collects the elements of a picture.
type canvas struct {
	strings.Builder
	open []string
}

// begin writes the start of an element; attributes are names and values in turn.
func (c *canvas) begin(name string, attributes ...any) {
	c.tag(name, attributes)
	c.WriteByte('>')
	c.open = append(c.open, name)
}

// empty writes an element without content.
func (c *canvas) empty(name string, attributes ...any) {
	c.tag(name, attributes)
	c.WriteString("/>")
}

// end writes the end of the innermost element.
func (c *canvas) end() {
	last := len(c.open) - 1
	c.WriteString("</" + c.open[last] + ">")
	c.open = c.open[:last]
}

// text writes an element whose content is a text.
func (c *canvas) text(name, text string, attributes ...any) {
	c.begin(name, attributes...)
	c.WriteString(html.EscapeString(text))
	c.end()
}

func (c *canvas) tag(name string, attributes []any) {
	c.WriteString("<" + name)
	for i := 0; i < len(attributes); i += 2 {
		fmt.Fprintf(c, ` %s="%s"`, attributes[i], value(attributes[i+1]))
	}
}

func value(v any) string {
	if x, ok := v.(float64); ok {
		return number(x)
	}
	return html.EscapeString(fmt.Sprint(v))
}

// number prints a length to a tenth.
func number(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
}

// picture begins a picture with its title and description, whose ids begin with one of the page.
func (c *canvas) picture(id, title, description string, width, height float64) {
	c.begin("svg", "xmlns", "http://www.w3.org/2000/svg", "viewBox",
		fmt.Sprintf("0 0 %s %s", number(width), number(height)), "role", "img", "aria-labelledby",
		id+"-title "+id+"-desc")
	c.text("title", title, "id", id+"-title")
	c.text("desc", description, "id", id+"-desc")
}

// letter and codeLetter are about the widths of a letter, generously, in the sizes of the page's
// style: of texts, and of names in code.
const letter, codeLetter = 6.8, 7.3

// textWidth is about how wide a text is, or less.
func textWidth(text string) float64 { return float64(letter * float64(len([]rune(text)))) }

// codeWidth is textWidth of a name in code.
func codeWidth(text string) float64 { return float64(textWidth(text) * codeLetter / letter) }
