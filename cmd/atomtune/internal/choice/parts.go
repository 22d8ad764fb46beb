package choice

import (
	"fmt"
	"strings"

	"github.com/atomtune/atomtune/internal/command/report"
)

// overNaive says how a choice stands to plain atomics by the ratio of their times, "" for nil.
func overNaive(ratio *float64) string {
	const same = 5e-3 // which three digits do not show
	switch r := ratio; {
	case r == nil:
		return ""
	case *r > 1+same:
		return fmt.Sprintf(", %s times as fast as naive", report.Short(*r))
	case *r < 1-same:
		return fmt.Sprintf(", %s times as long as naive", report.Short(1 / *r))
	}
	return ", as fast as naive"
}

// printBounds says what the bounds mean that a choice names, or where legend is nil how to learn that.
func printBounds(p *report.Page, names []string, legend map[string]string) {
	p.WriteByte('\n')
	if legend == nil {
		p.Prose("--explain describes these: %s.", strings.Join(names, ", "))
		return
	}
	p.WriteString("bottlenecks:\n")
	wide := 0
	for _, name := range names {
		wide = max(wide, len(name))
	}
	for _, name := range names {
		p.Item(fmt.Sprintf("  %-*s  ", wide, name), "%s", legend[name])
	}
}

// printLines writes lines of code to paste, broken after commas where they are too long.
func printLines(p *report.Page, code []string) {
	for _, line := range code {
		for _, part := range broken(line, p.Width-2) {
			fmt.Fprintf(p, "%s\n", strings.TrimRight("  "+part, " "))
		}
	}
}

// broken returns a line of CUDA code in lines of so many columns, broken after commas. What the
// preprocessor reads, and what ends in a comment, stays whole.
func broken(line string, columns int) (list []string) {
	const further = "    " // before what continues a line
	if strings.HasPrefix(line, "#") || strings.Contains(line, "//") {
		return []string{line}
	}
	for _, part := range strings.SplitAfter(line, ", ") {
		last := len(list) - 1
		if last >= 0 && len(strings.TrimRight(list[last]+part, " ")) <= columns {
			list[last] += part
			continue
		}
		if last >= 0 {
			list[last], part = strings.TrimRight(list[last], " "), further+part
		}
		list = append(list, part)
	}
	return list
}
