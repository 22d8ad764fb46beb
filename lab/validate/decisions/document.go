package decisions

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/tuner/model"
)

// A Report is what doc/results/TREES.md shows.
type Report []Device

// What choices by a tree may lose more than those by closed forms alone: of the mean, of the 90th
// percentile, and the factor of the largest loss.
const moreMean, moreP90, moreMax = 0.002, 0.005, 1.1

// aim is the share of streams whose leaf is to name one class.
const aim = 0.9

// keeps reports whether the loss of choices by a tree stays within the limits.
func keeps(tree, closed model.Loss) bool {
	return tree.GeometricMean <= closed.GeometricMean+moreMean && tree.P90 <= closed.P90+moreP90 &&
		tree.Max <= closed.Max*moreMax
}

const head = `# What the trees decide

Rendered from lab/validate/decisions/results.json, which ` + "`script/regenerate decisions`" + ` computes from the
embedded models, simulations and the recordings under datasets/h200 and datasets/h100;
` + "`atomlab validate decisions`" + ` computes the same.

Every built-in device has one regression tree, trained on simulated streams. A leaf corrects the closed
forms' times, one correction for each form of implementation, and the choice follows from the corrected
times. Where a tree expects to gain no more than %.0f %%, the choice is that of the closed forms.

## Decisions on %d drawn streams

The same streams for every device, which no tree was trained on: all families, u32, f32, u64 and f64 in
turn, %s to %s updates. A leaf names a class if at least %.0f %% of its training streams chose that class;
the aim is %.0f %% of the drawn streams. "Choices differ" counts the streams where the tree does not choose the
implementation with the lowest closed form, "classes differ" those where it chooses another class. Both
choices are then simulated: "right" counts the streams where the tree's choice is faster, and the ratio is
its simulated time over that of the other choice, as a geometric mean.

| device | leaves | training points | leaf names a class | naive | reduced-collision | non-atomic | choices differ | right | ratio | classes differ | right | ratio |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
`

const lossHead = `
## Losses on families held out

The time of the choice over the best time, on simulated streams of families that the tree had not seen:
mean, 90th percentile and maximum. The limits: the mean may be %.3f above that of the closed forms, the 90th
percentile %.3f, the maximum %.1f times theirs.

| device | tree: mean | p90 | max | closed forms: mean | p90 | max | within the limits |
|---|--:|--:|--:|--:|--:|--:|---|
`

const recordedHead = `
## Losses on recorded calls

The measured time of the choice over the best measured time, among the measured implementations that a
choice ranks. No tree was grown by recorded calls. Where it lost more than the limits on the fit half, its
corrections were shrunk until it no longer did. Nothing was fitted to the other parts.

| device | calls | points | tree: mean | p90 | max | closed forms: mean | p90 | max | within the limits |
|---|---|--:|--:|--:|--:|--:|--:|--:|---|
`

const familiesHead = `
## What the trees add, and what they do not

The devices and families of streams for which the mean loss on families held out falls, or grows, by more
than %.3f.

| device | family | points | tree | closed forms | change |
|---|---|--:|--:|--:|--:|
`

const wrongHead = `
## Where the simulator is wrong

The trees learn from simulated times alone. For these forms a tree moves predicted times away from the
measured ones: the mean of |ln(measured/predicted)| over the calls of the held-out half, by closed forms and
as corrected.

| device | form | calls | closed forms | corrected |
|---|---|--:|--:|--:|
`

// Document is doc/results/TREES.md.
func (r Report) Document() []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, head, 100*model.TieBand, drawn,
		papers.Thousands(least), papers.Thousands(most), 100*shareOfClass, 100*aim)
	for _, d := range r {
		fmt.Fprintf(&w, "| %s | %d | %d | %.0f %% |", d.Name, d.Leaves, d.Points, 100*d.share())
		for class := impl.Naive; class <= impl.NonAtomic; class++ {
			fmt.Fprintf(&w, " %d |", d.Reached[class.String()])
		}
		for _, of := range []Differing{d.Choices, d.Classes} {
			if of.Streams == 0 {
				w.WriteString(" 0 | | |")
				continue
			}
			fmt.Fprintf(&w, " %d | %d | %.3f |", of.Streams, of.Right, of.Ratio)
		}
		w.WriteString("\n")
	}
	r.remarks(&w)
	fmt.Fprintf(&w, lossHead, moreMean, moreP90, moreMax)
	for _, d := range r {
		writeLosses(&w, d.Name, d.Evaluation.Tree, d.Evaluation.ClosedForm)
	}
	w.WriteString(recordedHead)
	for _, d := range r {
		for _, p := range d.Recorded {
			writeLosses(&w, fmt.Sprintf("%s | %s | %d", d.Name, p.Name, p.Tree.Points), p.Tree, p.ClosedForm)
		}
	}
	fmt.Fprintf(&w, familiesHead, notable)
	r.writeFamilies(&w)
	w.WriteString(wrongHead)
	for _, d := range r {
		for _, f := range d.Implementations {
			if f.Corrected > f.Closed {
				fmt.Fprintf(&w, "| %s | `%s` | %d | %.3f | %.3f |\n", d.Name, f.Implementation, f.Calls, f.Closed,
					f.Corrected)
			}
		}
	}
	return w.Bytes()
}

// share is that of the streams whose leaf names one class.
func (d *Device) share() float64 { return float64(d.Named) / float64(d.Streams) }

// remarks lists the devices whose tree decides nothing, or less than it is to.
func (r Report) remarks(w *bytes.Buffer) {
	for _, remark := range []struct {
		text string
		of   func(d *Device) bool
	}{
		{"A negative result: on %s the tree never chooses otherwise than the closed forms.",
			func(d *Device) bool { return d.Choices.Streams == 0 }},
		{"On average the tree's choices are slower than those they replace on %s.",
			func(d *Device) bool { return d.Choices.Ratio > 1 }},
		{"The aim is missed on %s.", func(d *Device) bool { return d.share() < aim }},
		{"Not all three classes are chosen on %s.", func(d *Device) bool { return len(d.Reached) < 3 }},
	} {
		var names []string
		for i := range r {
			if remark.of(&r[i]) {
				names = append(names, r[i].Name)
			}
		}
		if len(names) > 0 {
			fmt.Fprintf(w, "\n"+remark.text+"\n", strings.Join(names, ", "))
		}
	}
}

func writeLosses(w *bytes.Buffer, of string, tree, closed model.Loss) {
	within := "yes"
	if !keeps(tree, closed) {
		within = "no"
	}
	fmt.Fprintf(w, "| %s | %.4f | %.3f | %.2f | %.4f | %.3f | %.2f | %s |\n", of, tree.GeometricMean, tree.P90,
		tree.Max, closed.GeometricMean, closed.P90, closed.Max, within)
}

// notable is the change of a mean loss from which a family is listed.
const notable = 0.003

// writeFamilies lists the families for which trees and closed forms lose differently, the largest gain first.
func (r Report) writeFamilies(w *bytes.Buffer) {
	type family struct {
		device       string
		tree, closed model.FamilyLoss
		change       float64
	}
	var list []family
	for _, d := range r {
		for i, closed := range d.Evaluation.ClosedForms {
			tree := d.Evaluation.Families[i]
			if change := tree.GeometricMean - closed.GeometricMean; math.Abs(change) > notable {
				list = append(list, family{d.Name, tree, closed, change})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b family) int { return cmp.Compare(a.change, b.change) })
	for _, f := range list {
		fmt.Fprintf(w, "| %s | %s | %d | %.4f | %.4f | %+.4f |\n", f.device, f.tree.Family, f.tree.Points,
			f.tree.GeometricMean, f.closed.GeometricMean, f.change)
	}
}
