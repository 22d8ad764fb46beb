// Package figures holds the figures of the documents to their sources. A paragraph, list or table
// with a figure that can become wrong, which is a duration, a percentage or a ratio, begins with a
// comment that names where each comes from:
//
//	<!-- figures: lab/bench TestReadme; explorer/curve.go: tie = 0.02 -->
//
// that is a test that compares the document with what it computes, or a line of a file. One that states
// a known gap begins so with "gaps: " and tests that fail once it has closed. Documents
// that are generated as a whole need none. Durations of the project's own runs differ from machine to
// machine: they stand in generated documents alone, and in no help, comment or script.
package figures

import (
	"cmp"
	"regexp"
	"strings"
)

// figure finds what can become wrong in a text.
var figure = regexp.MustCompile(number + `( (to|and|or) \d+([.,]\d+)*)? ?` +
	`(%|percent\b|times\b|×|(ns|us|ms|s|seconds?|minutes?|hours?|days?)\b)`)

// number begins neither in a name nor in a power, a format or a list.
const number = `(?:^|[^\w.,^%=-])\d+(?:[.,]\d+)*`

// duration finds how long something takes, in words too.
var duration = regexp.MustCompile(`(?i)(` + number + ` (s|seconds|minutes?|min|hours?)|` +
	`\b(half an?|a quarter of an|an|one|two|three|four|five|six|seven|eight|ten|twelve|fifteen|twenty|` +
	`thirty|forty|some|several|(a )?few|a couple of)( or (two|more))? (seconds|minutes?|hours?|days?)|` +
	`\b(a (minute|day|night)|half a second)|` +
	`\b(in|within|for|takes?|took|of|after|before|about|under) (seconds|minutes|hours|days))\b`)

// interval is the share of what an interval holds, which is its name.
var interval = regexp.MustCompile(`\b9[05] %( confidence)? intervals?\b`)

// gap finds the words by which a document states one.
var gap = regexp.MustCompile(`What is coarse:|both are left out|Where it fails|leaves out:|They say nothing|too narrow|` +
	`tends to lie|can be (missed|too low|higher)|too low in the mean`)

// heading is a comment that names sources of figures, or tests of gaps.
var heading = regexp.MustCompile(`^<!-- (figures|gaps): (.*) -->$`)

// block is a paragraph, list or table.
type block struct {
	line    int
	text    string   // in one line, without code
	sources []string // of its figures
	gaps    []string // tests of those that it states
}

var (
	code   = regexp.MustCompile("`[^`]*`")
	blanks = regexp.MustCompile(`\s+`)
)

// blocks parts a document at its empty lines, and leaves out blocks of code.
func blocks(document string) (all []block) {
	var b block
	end := func() {
		b.text = strings.TrimSpace(blanks.ReplaceAllString(code.ReplaceAllString(b.text, "`"), " "))
		if b.text != "" || b.sources != nil || b.gaps != nil {
			all = append(all, b)
		}
		b = block{}
	}
	fenced, number := false, 0
	for line := range strings.Lines(document) {
		number++
		line = strings.TrimRight(line, "\n")
		named := heading.FindStringSubmatch(line)
		switch fence := strings.HasPrefix(strings.TrimSpace(line), "```"); {
		case fence:
			fenced = !fenced
			end()
		case fenced:
		case strings.TrimSpace(line) == "":
			end()
		case named != nil:
			if b.text != "" {
				end()
			}
			b.line = cmp.Or(b.line, number)
			list := strings.Split(named[2], "; ")
			if named[1] == "gaps" {
				b.gaps = list
			} else {
				b.sources = list
			}
		case strings.HasPrefix(line, "    ") && b.text == "": // code
		default:
			if b.line == 0 {
				b.line = number
			}
			b.text += line + "\n"
		}
	}
	end()
	return all
}

// found are the figures of a text.
func found(text string) []string {
	text = interval.ReplaceAllString(text, "interval")
	all := figure.FindAllString(text, -1)
	return append(all, duration.FindAllString(text, -1)...)
}
