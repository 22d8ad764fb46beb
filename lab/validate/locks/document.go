package locks

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/lab/validate"
)

const docHead = `# Closed forms on devices with locks, against the simulator

Rendered from lab/validate/locks/results.json, which ` + "`script/regenerate locks`" + ` computes from the simulated
points beside it and the closed forms; ` + "`atomlab validate locks`" + ` prints the same.

The shared memory of the GeForce GTX 680 and the Tesla C2075 has lock bits: a warp reads and tries
for the locks, adds, writes and frees them, and lanes that were refused try again. Elements of 64 bits
are added by a loop of compare-and-swap in software. No calls were recorded on either device here,
so neither closed form nor simulator is right by itself: what they disagree on is decided by the
papers.

The points are among those on which the models are trained; closed forms have learned from none.
What the trees of the models correct of the difference, and what choices lose, is in
[RESULTS](RESULTS.md). Points gather where the choice between implementations is close, and where a
closed form is more than 1.5 times the least of its point, that implementation was simulated on
each 16th line of the sweep only: so these are figures of implementations that come into question.

The error of a call is |predicted/simulated - 1|; limits are %d %% for its median and %d %% for its
90th percentile. "Largest" is the largest factor between the two times, either way, and "bias" the
geometric mean of predicted over simulated. "Known gap" marks rows that do not keep a limit.
`

const groupsHead = `
## What the difference consists of

ln(simulated/closed form) over all calls that add in the same way: its root mean square, the share
of the mean square that is one factor on all calls, the share that follows the number of other warps
of a block that hold a mean update's target, and the rest, which follows other properties of the
streams.

| device | adds | calls | rms | one factor (%) | warps (%) | rest (%) |
|---|---|---|---|---|---|---|
`

const worstHead = `
Where they differ most: the hundredth of the calls that lies furthest apart, its share of the sum of
squares, and how many of these calls, and of all, have other warps of the block at a mean update's
target, and one target with a quarter of the updates.

| device | adds | of the squares (%) | sharing (%) | of all (%) | hot (%) | of all (%) |
|---|---|---|---|---|---|---|
`

const closedHead = `
## %s

"Apart" and "sharing" are geometric means of simulated over closed form, where a target of a warp
is held by fewer than one other warp of its block in the mean, and by one or more. "Mostly" says
what the logarithm of this ratio consists of: one factor on all calls, what follows the number of
warps that share a target, or other properties of the stream; "warps" is the middle part, in
percent of the mean square.

| implementation | type | calls | median (%%) | p90 (%%) | largest | bias | | apart | sharing | mostly | warps (%%) |
|---|---|---|---|---|---|---|---|---|---|---|---|
`

const widestHead = `
## Where closed form and simulator lie furthest apart

Of each device the %d widest calls, one of a line of the sweep at most. "Others" is the mean
number of other warps of a block that hold the target of an update, "hot" the share of the updates
of the hottest target.

| device | implementation | type | stream | others | hot (%%) | simulated (us) | closed form (us) |
|---|---|---|---|---|---|---|---|
`

const checksHead = `
## The simulated times

| check | value | limit | compared | |
|---|---|---|---|---|
`

const gapsHead = `
## Known gaps, by reason

lab/validate/locks/gaps.csv says of each what holds instead.

| reason | gaps | of |
|---|---|---|
`

// Document is doc/results/LOCKS.md.
func (r Report) Document() []byte {
	var doc bytes.Buffer
	writeDoc(&doc, r)
	return doc.Bytes()
}

// kept leaves out the checks that the page shows neither by themselves nor as known gaps.
func (r Report) kept() Report {
	r.Checks = slices.DeleteFunc(slices.Clone(r.Checks), func(c validate.Check) bool {
		return !listed(c) && c.Status != validate.KnownGap
	})
	return r
}

// listed reports whether the page shows a check by itself.
func listed(c validate.Check) bool {
	return c.Unit != validate.UnitPercent
}

func writeDoc(w io.Writer, r Report) {
	fmt.Fprintf(w, docHead, medianError, p90Error)
	fmt.Fprint(w, groupsHead)
	for _, g := range r.Groups {
		fmt.Fprintf(w, "| %s | %s | %d | %s |\n", g.Device, g.Adds, g.Calls, partCells(g.Difference))
	}
	fmt.Fprint(w, worstHead)
	for _, g := range r.Groups {
		fmt.Fprintf(w, "| %s | %s | %.0f | %.0f | %.0f | %.0f | %.0f |\n", g.Device, g.Adds,
			g.Worst.SquaresPercent, g.Worst.SharingPercent, g.All.SharingPercent, g.Worst.HotPercent,
			g.All.HotPercent)
	}
	for _, device := range Devices {
		fmt.Fprintf(w, closedHead, device)
		for _, row := range r.Rows {
			if d := row.Difference; row.Device == device {
				fmt.Fprintf(w, "| %s | %s | %d | %s | %.2f | %.2f | %s | %.0f |\n", row.Implementation,
					row.Type, row.Calls, errorCells(row.ClosedForm), d.Apart, d.Sharing, d.Mostly,
					d.WarpsPercent)
			}
		}
	}
	fmt.Fprintf(w, widestHead, widest)
	for _, c := range r.Widest {
		fmt.Fprintf(w, "| %s | %s | %s | %s | %.2f | %.1f | %.4g | %.4g |\n", c.Device,
			c.Implementation, c.Type, c.Stream, c.OtherWarps, 100*c.HotShare, c.SimulatedUS, c.ClosedFormUS)
	}
	io.WriteString(w, checksHead)
	for _, c := range r.Checks {
		if listed(c) {
			fmt.Fprintf(w, "| %s | %.3g | at most %v | %d | %s |\n", c.Item, c.Value, c.Limit, c.Rows,
				words[c.State()])
		}
	}
	writeGaps(w, r)
}

// words are those of statuses.
var words = map[string]string{validate.Enforced: "ok", validate.KnownGap: "known gap",
	validate.Failed: "FAILED"}

func partCells(p Parts) string {
	return fmt.Sprintf("%.3f | %.0f | %.0f | %.0f", p.RMS, p.FactorPercent, p.WarpsPercent,
		100-p.FactorPercent-p.WarpsPercent)
}

func errorCells(e Error) string {
	return fmt.Sprintf("%.1f | %.1f | %.2f | %.2f | %s", e.MedianPercent, e.P90Percent,
		e.LargestFactor, e.Bias, words[e.Status])
}

// writeGaps lists the reasons, those of most gaps first, with the rows whose errors they explain.
func writeGaps(w io.Writer, r Report) {
	reasons := map[string][]string{} // items
	for _, c := range r.Checks {
		if _, reason, ok := strings.Cut(c.Reason, "; "); ok && c.Status == validate.KnownGap {
			reasons[reason] = append(reasons[reason], c.Item)
		}
	}
	io.WriteString(w, gapsHead)
	for _, reason := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(len(reasons[b])-len(reasons[a]), strings.Compare(a, b))
	}) {
		var of []string
		for _, item := range reasons[reason] {
			what, _, _ := strings.Cut(item, ": closed form, ")
			if !slices.Contains(of, what) {
				of = append(of, what)
			}
		}
		fmt.Fprintf(w, "| %s | %d | %s |\n", reason, len(reasons[reason]), strings.Join(of, "; "))
	}
}
