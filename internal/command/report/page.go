package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/atomtune/atomtune/internal/command"
)

// Page is the text of a result, in lines that fit the terminal.
type Page struct {
	*bytes.Buffer
	Width int  // columns of a line
	Bold  bool // Strong shows
}

func NewPage(e *command.Env, w *bytes.Buffer) *Page {
	return &Page{Buffer: w, Width: e.Columns(), Bold: e.Bold()}
}

// EmitPage prints a result as command.Env.Emit does, as text on a page.
func EmitPage(e *command.Env, document any, text func(p *Page)) error {
	return e.Emit(document, func(w *bytes.Buffer) { text(NewPage(e, w)) })
}

const (
	hanging   = 8   // columns before the lines of a field after the first
	proseWide = 100 // columns of a sentence at most: longer lines are hard to follow
)

// Strong returns a text in bold, where the page shows that.
func (p *Page) Strong(words string) string {
	return command.Strong(words, p.Bold)
}

// Field writes a label and what it says, in lines that stand below each other.
func (p *Page) Field(label, format string, args ...any) {
	fmt.Fprintf(p, "%-*s", hanging, label+": ")
	p.wrap(max(hanging, len(label)+2), hanging, said(format, args))
}

// Sentences writes a label and a text, each sentence from the beginning of a line.
func (p *Page) Sentences(label, text string) {
	fmt.Fprintf(p, "%-*s", hanging, label+": ")
	p.wrap(max(hanging, len(label)+2), hanging, strings.ReplaceAll(command.Inline(text), ". ", ".\n"))
}

func (p *Page) Prose(format string, args ...any) { p.wrap(0, 0, said(format, args)) }

// Warnings writes each warning from the beginning of a line.
func (p *Page) Warnings(list []string) {
	for _, words := range list {
		p.Field("warning", "%s", words)
	}
}

// Item writes a line's beginning as it is, and beside it a text whose lines stand below each other.
func (p *Page) Item(beginning, format string, args ...any) {
	p.WriteString(beginning)
	used := text.StringWidthWithoutEscSequences(beginning)
	p.wrap(used, used, said(format, args))
}

// Fprintf writes a text. Only the format can break lines; line breaks in arguments, such as file names, are escaped.
func Fprintf(w io.Writer, format string, args ...any) {
	io.WriteString(w, said(format, args)) // a buffer takes whatever is written
}

// said formats such a text.
func said(format string, args []any) string {
	for i, arg := range args {
		if words, ok := arg.(string); ok {
			args[i] = command.Inline(words)
		}
	}
	return fmt.Sprintf(format, args...)
}

func (p *Page) wrap(used, indent int, words string) {
	p.WriteString(command.Wrap(words, min(p.Width, proseWide), used, indent) + "\n")
}
