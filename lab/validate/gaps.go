package validate

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Gap is what holds in place of a limit.
type Gap struct {
	Holds  float64 // the value is at most this, or no less where the limit is a lower one
	Reason string
}

// Unexplained is the reason of a gap that nobody has looked into.
const Unexplained = "not explained"

var gapColumns = []string{"item", "limit", "holds", "unit", "reason"}

// DecodeGaps reads a list of known gaps.
func DecodeGaps(name string, data []byte) (map[string]Gap, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = len(gapColumns)
	all := map[string]Gap{}
	for first := true; ; first = false {
		row, err := r.Read()
		if err == io.EOF && !first {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := r.FieldPos(0)
		if first {
			if got := strings.Join(row, ","); got != strings.Join(gapColumns, ",") {
				return nil, fmt.Errorf("%s:%d: columns %s, want %s", name, line, got, strings.Join(gapColumns, ","))
			}
			continue
		}
		holds, err := strconv.ParseFloat(row[2], 64)
		switch _, twice := all[row[0]]; {
		case err != nil:
			return nil, fmt.Errorf("%s:%d: holds %q is no number", name, line, row[2])
		case twice || row[0] == "":
			return nil, fmt.Errorf("%s:%d: item %q is empty or stands twice", name, line, row[0])
		case row[4] == "":
			return nil, fmt.Errorf("%s:%d: %s: no reason", name, line, row[0])
		}
		all[row[0]] = Gap{holds, row[4]}
	}
}

// keeps reports whether a value is no worse than the gap says.
func (g Gap) keeps(c Check) bool {
	if c.Least {
		return c.Value >= g.Holds
	}
	return c.Value <= g.Holds
}

// EncodeGaps lists the checks that do not keep their limit and may be gaps, each
// with what holds instead: the value, rounded to the worse side in so many steps
// of one. Reasons are those of the known gaps.
func EncodeGaps(
	checks []Check, known map[string]Gap, mayGap func(Check) bool, steps func(Check) float64,
) ([]byte, error) {
	exact := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	rows := [][]string{gapColumns}
	for _, c := range checks {
		if c.Holds() || !mayGap(c) {
			continue
		}
		reason := Unexplained
		if k, ok := known[c.Item]; ok {
			reason = k.Reason
		}
		n := steps(c)
		holds := math.Ceil(c.Value*n) / n
		if c.Least {
			holds = math.Floor(c.Value*n) / n
		}
		rows = append(rows, []string{c.Item, exact(c.Limit), exact(holds), c.Unit, reason})
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}

// Judge marks known gaps among the checks that may be one, and lists what has
// failed: a limit that is not kept, a gap that has widened or closed, and a gap of
// nothing that is checked. failed is told of each check that has.
func Judge(
	checks []Check, gaps map[string]Gap, mayGap func(Check) bool, failed func(Check),
) []string {
	list := []string{}
	checked := map[string]bool{}
	for i := range checks {
		c := &checks[i]
		checked[c.Item] = true
		g, known := gaps[c.Item]
		if known && mayGap(*c) {
			c.Status = KnownGap
			c.Reason = fmt.Sprintf("%v %s holds; %s", g.Holds, c.Unit, g.Reason)
		}
		failure := c.Failure()
		if failure == "" && known && !g.keeps(*c) {
			failure = fmt.Sprintf("%s: the known gap has widened: %.4g %s, was %v", c.Item, c.Value, c.Unit, g.Holds)
		}
		if failure != "" {
			failed(*c)
			list = append(list, failure)
		}
	}
	for _, item := range slices.Sorted(maps.Keys(gaps)) {
		if !checked[item] {
			list = append(list, item+": a known gap of nothing that is checked")
		}
	}
	return list
}
