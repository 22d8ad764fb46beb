package command

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Wrap breaks a text at its ends of lines and between words, into lines of so many columns, the first
// of which begins behind the columns that are used, the others behind an indent. A word that is
// longer than a line stays whole; a number stays with the word behind it.
func Wrap(text string, columns, used, indent int) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteString("\n" + strings.Repeat(" ", indent))
			used = indent
		}
		for j, word := range glued(strings.Fields(line)) {
			long := width(word)
			switch {
			case j == 0:
			case used+1+long > columns:
				b.WriteString("\n" + strings.Repeat(" ", indent))
				used = indent
			default:
				b.WriteByte(' ')
				used++
			}
			b.WriteString(word)
			used += long
		}
	}
	return b.String()
}

// glued joins each number with the word behind it, which says of what.
func glued(words []string) (list []string) {
	number := false
	for _, word := range words {
		if number {
			list[len(list)-1] += " " + word
		} else {
			list = append(list, word)
		}
		number = !number && plain.MatchString(word)
	}
	return list
}

var plain = regexp.MustCompile(`^[(]?[0-9][0-9,]*([.][0-9]+)?$`)

// width is the number of columns that a text takes on a terminal.
func width(text string) int {
	return utf8.RuneCountInString(text) - strings.Count(text, string(boldStart)) -
		strings.Count(text, string(boldEnd))
}
