package main

import (
	"fmt"
	"regexp"
	"strings"
)

// marker opens or closes a value: "value NAME" and "/value", each a comment of its own. A value may stand
// within a line, or have lines of its own between the markers, such as a table or a block of code. One
// within a line must not begin it: Markdown ends a paragraph before a line that begins with a comment.
var marker = regexp.MustCompile(`<!-- (/?)value ?([^>]*?) ?-->`)

// fill replaces what stands between the markers of a text. A value that had lines of its own gets them.
func fill(path, text string, value func(name string) (string, error)) (string, error) {
	var filled strings.Builder
	at, open := 0, -1 // behind the last marker, and where the open one begins
	name := ""
	fault := func(offset int, format string, args ...any) error {
		return fmt.Errorf("%s:%d: %s", path, 1+strings.Count(text[:offset], "\n"), fmt.Sprintf(format, args...))
	}
	for _, m := range marker.FindAllStringSubmatchIndex(text, -1) {
		closes := m[2] < m[3]
		switch {
		case closes && open < 0:
			return "", fault(m[0], "a value ends that has not begun")
		case !closes && open >= 0:
			return "", fault(open, "value %s has no end", name)
		case !closes:
			name, open = text[m[4]:m[5]], m[0]
			filled.WriteString(text[at:m[1]])
		default:
			v, err := value(name)
			if err != nil {
				return "", fault(open, "%v", err)
			}
			switch begins := open == 0 || text[open-1] == '\n'; {
			case strings.HasPrefix(text[at:], "\n"):
				v = "\n" + strings.Trim(v, "\n") + "\n"
			case begins:
				return "", fault(open, "value %s begins a line of a paragraph, which ends before it", name)
			}
			filled.WriteString(v + text[m[0]:m[1]])
			open = -1
		}
		at = m[1]
	}
	if open >= 0 {
		return "", fault(open, "value %s has no end", name)
	}
	filled.WriteString(text[at:])
	return filled.String(), nil
}
