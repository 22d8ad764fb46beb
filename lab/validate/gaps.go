package validate

import (
	"bytes"
	"encoding/csv"
	"errors"
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

// Unexplained is the reason of a gap that nobody has found.
const Unexplained = "not explained"

var gapColumns = []string{"item", "limit", "holds", "unit", "reason"}

// ReadCSV hands out the rows below a row of exactly these column names. Errors name file and
// line, so many lines of which stand before data.
func ReadCSV(name string, before int, data []byte, columns []string,
	take func(cells []string) error) error {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	for first := true; ; first = false {
		cells, err := r.Read()
		line := 1
		if bad := new(csv.ParseError); errors.As(err, &bad) {
			line, err = bad.Line, bad.Err
		} else if err == nil {
			line, _ = r.FieldPos(0)
		}
		switch {
		case err == io.EOF && !first:
			return nil
		case err != nil:
		case first && !slices.Equal(cells, columns):
			err = fmt.Errorf("columns %s, want %s",
				strings.Join(cells, ","), strings.Join(columns, ","))
		case len(cells) != len(columns):
			err = fmt.Errorf("%d fields, want %d", len(cells), len(columns))
		case slices.ContainsFunc(cells, func(c string) bool { return strings.Contains(c, "\r") }):
			err = errors.New("a carriage return, which CSV does not keep")
		case !first:
			err = take(cells)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, before+line, err)
		}
	}
}

// DecodeGaps reads a list of known gaps.
func DecodeGaps(name string, data []byte) (map[string]Gap, error) {
	all := map[string]Gap{}
	err := ReadCSV(name, 0, data, gapColumns, func(row []string) error {
		holds, err := strconv.ParseFloat(row[2], 64)
		switch _, twice := all[row[0]]; {
		case err != nil:
			return fmt.Errorf("holds %q is not a number", row[2])
		case twice || row[0] == "":
			return fmt.Errorf("item %q is empty or stands twice", row[0])
		case row[4] == "":
			return fmt.Errorf("%s: no reason", row[0])
		}
		all[row[0]] = Gap{holds, row[4]}
		return nil
	})
	return all, err
}

// gapSteps says in how many steps of one a gap's value is rounded, by its unit.
var gapSteps = map[string]float64{UnitTimes: 100, UnitPercent: 10, UnitTau: 1000}

// EncodeGaps lists the checks that do not keep their limit and may be gaps, each
// with what holds instead: the value, rounded to the worse side. Reasons are those of the
// known gaps.
func EncodeGaps(checks []Check, known map[string]Gap) ([]byte, error) {
	exact := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	rows := [][]string{gapColumns}
	for _, c := range checks {
		steps := gapSteps[c.Unit]
		if c.within(c.Limit) || steps == 0 {
			continue
		}
		reason := Unexplained
		if k, ok := known[c.Item]; ok {
			reason = k.Reason
		}
		holds := math.Ceil(c.Value*steps) / steps
		if c.Least {
			holds = math.Floor(c.Value*steps) / steps
		}
		rows = append(rows, []string{c.Item, exact(c.Limit), exact(holds), c.Unit, reason})
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}

// Judge marks known gaps among the checks that may be one, and lists what has
// failed: a limit that is not kept, a gap that has widened or closed, and a gap of
// nothing that is checked.
func Judge(checks []Check, gaps map[string]Gap) []string {
	list := []string{}
	checked := map[string]bool{}
	for i := range checks {
		c := &checks[i]
		checked[c.Item] = true
		g, known := gaps[c.Item]
		if known && gapSteps[c.Unit] > 0 {
			*c = c.Gap(fmt.Sprintf("%v %s holds; %s", g.Holds, c.Unit, g.Reason))
		}
		failure := c.Failure()
		if failure == "" && known && !c.within(g.Holds) {
			failure = fmt.Sprintf("%s: the known gap has widened: %.4g %s, was %v",
				c.Item, c.Value, c.Unit, g.Holds)
		}
		if c.failed = failure != ""; c.failed {
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
