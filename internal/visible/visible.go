// Package visible prints text of files and command lines so that no terminal obeys it, and numbers for readers.
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
// written as in Go, such as \n, \x1b or \u202e, and a byte that is not UTF-8 as \xff. Runes may be kept.
func Line(text string, kept ...rune) string {
	var b strings.Builder
	b.Grow(len(text))
	for r, size := rune(0), 0; len(text) > 0; text = text[size:] {
		switch r, size = utf8.DecodeRuneInString(text); {
		case shown(r, size, kept):
			b.WriteString(text[:size])
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(text[0]), 16))
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToGraphic(r), "'"))
		}
	}
	return b.String()
}

// shown reports whether a rune of so many bytes stands as it is.
func shown(r rune, size int, kept []rune) bool {
	return unicode.IsGraphic(r) && (r != utf8.RuneError || size > 1) || slices.Contains(kept, r)
}

// Count prints a whole number with a comma between thousands.
func Count(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Counted is a number of things, whose plural ends in s, of a leaf in ves.
func Counted(n uint64, thing string) string {
	if n != 1 {
		if stem, ends := strings.CutSuffix(thing, "f"); ends {
			thing = stem + "ve"
		}
		thing += "s"
	}
	return Count(n) + " " + thing
}
