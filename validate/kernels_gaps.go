package validate

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// kernelGapsFile lists the figures that do not keep their limit, with what they
// keep instead and why, as far as that is known. ATOMTUNE_UPDATE_GOLDEN=1 with
// the tests writes it anew and keeps the reasons.
const kernelGapsFile = "kernels_gaps.csv"

//go:embed kernels_gaps.csv
var kernelGapsText []byte

// gap is what holds in place of a limit.
type gap struct {
	holds  float64 // the value is at most this, or no less where the limit is a lower one
	reason string
}

// unexplained is the reason of a gap that nobody has looked into.
const unexplained = "not explained"

var gapColumns = []string{"item", "limit", "holds", "unit", "reason"}

func kernelGaps() (map[string]gap, error) { return decodeGaps(kernelGapsFile, kernelGapsText) }

func decodeGaps(name string, data []byte) (map[string]gap, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = len(gapColumns)
	all := map[string]gap{}
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
		all[row[0]] = gap{holds, row[4]}
	}
}

// encodeGaps lists the checks that do not keep their limit. Reasons are those
// of the known gaps.
func encodeGaps(checks []Check, known map[string]gap) ([]byte, error) {
	rows := [][]string{gapColumns}
	for _, c := range checks {
		if c.Holds() || !c.mayGap() {
			continue
		}
		reason := unexplained
		if k, ok := known[c.Item]; ok {
			reason = k.reason
		}
		exact := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
		rows = append(rows, []string{c.Item, exact(c.Limit), exact(c.held()), c.Unit, reason})
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.WriteAll(rows); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// mayGap reports whether the check is about how good a prediction is, and not
// about conservation or a table that is out of date.
func (c Check) mayGap() bool { return c.Unit == "%" || c.Unit == unitTau }

// held is the value, rounded to the worse side at the third decimal of a tau,
// else at the first.
func (c Check) held() float64 {
	if c.Least {
		return math.Floor(c.Value*1000) / 1000
	}
	return math.Ceil(c.Value*10) / 10
}

// keeps reports whether a value is no worse than the gap says.
func (g gap) keeps(c Check) bool {
	if c.Least {
		return c.Value >= g.holds
	}
	return c.Value <= g.holds
}

// judge marks known gaps, lists what has failed, and gives each row its
// statuses.
func (r *KernelReport) judge(gaps map[string]gap) {
	r.Failed = []string{}
	status := map[string]string{}
	for i := range r.Checks {
		c := &r.Checks[i]
		g, known := gaps[c.Item]
		if known && c.mayGap() {
			c.Status = KnownGap
			c.Reason = fmt.Sprintf("%v %s holds; %s", g.holds, c.Unit, g.reason)
		}
		status[c.Item] = c.Status
		failure := c.Failure()
		if failure == "" && known && !g.keeps(*c) {
			failure = fmt.Sprintf("%s: the known gap has widened: %.4g %s, was %v", c.Item, c.Value, c.Unit, g.holds)
		}
		if failure != "" {
			status[c.Item] = Failed
			r.Failed = append(r.Failed, failure)
		}
	}
	for _, item := range slices.Sorted(maps.Keys(gaps)) {
		if _, checked := status[item]; !checked {
			r.Failed = append(r.Failed, item+": a known gap of nothing that is checked")
		}
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		row.Simulated.Status, row.ClosedForm.Status = Enforced, Enforced
		for k, c := range row.checks() {
			to := &row.Simulated.Status
			if k == len(row.checks())-1 {
				to = &row.ClosedForm.Status
			}
			*to = worse(*to, status[c.Item])
		}
	}
}

func worse(a, b string) string {
	for _, s := range []string{Failed, KnownGap} {
		if a == s || b == s {
			return s
		}
	}
	return Enforced
}
