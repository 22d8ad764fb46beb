// Package visible prints text of files and command lines so that no terminal obeys it.
package visible

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns a text as part of one line: what Unicode does not call graphic (control characters,
// ends of lines among them, characters that have no width or change the direction of writing) is
// written as in Go, such as \n, \x1b or \u202e, and a byte that is no UTF-8 as \xff.
func Line(text string) string { return Escape(text) }

// Escape does so except for the runes that are kept.
func Escape(text string, kept ...rune) string {
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !shown(r, size, kept) {
			break
		}
		at += size
	}
	if at == len(text) {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:at])
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case shown(r, size, kept):
			b.WriteString(text[at : at+size])
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(text[at]), 16))
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToGraphic(r), "'"))
		}
		at += size
	}
	return b.String()
}

// shown reports whether a rune of so many bytes stands as it is.
func shown(r rune, size int, kept []rune) bool {
	if r >= ' ' && r < unicode.MaxASCII {
		return true
	}
	return slices.Contains(kept, r) || unicode.IsGraphic(r) && (r != utf8.RuneError || size > 1)
}
