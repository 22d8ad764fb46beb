package tuner

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/model"
)

// Warning is a doubt about a usable answer, with what to do where something can be done. In JSON it is its text.
type Warning struct {
	Kind WarningKind
	Text string // for people, without a full stop
}

// WarningKind says what is in doubt. The zero kind is of a warning that a command adds, or that was read from JSON.
type WarningKind string

// The kinds of warnings.
const (
	WarnPreparation WarningKind = "preparation" // the choice must be told the frequent targets before the first call
	WarnDevice      WarningKind = "device"      // the profile is an estimate, or no device is as it says
	WarnModel       WarningKind = "model"       // no model corrects the closed forms of some implementations, or of all
	WarnRange       WarningKind = "range"       // the stream lies outside what the model was trained on
	WarnLaunch      WarningKind = "launch"      // times of a launch that no call was measured in
	WarnSample      WarningKind = "sample"      // the statistics come from a sample, or from none
	WarnTables      WarningKind = "tables"      // tables of frequent targets are not priced
	WarnLeftOut     WarningKind = "left-out"    // an implementation that needs what a sample cannot show
	WarnTie         WarningKind = "tie"         // another implementation lies within the interval of the choice
	WarnPadding     WarningKind = "padding"     // positions without an update, or an index that looks like one
	WarnOrder       WarningKind = "order"       // the same updates in another order have another choice
)

// String returns the text.
func (w Warning) String() string { return w.Text }

// MarshalText returns the text.
func (w Warning) MarshalText() ([]byte, error) { return []byte(w.Text), nil }

// UnmarshalText takes a text, whose kind is not known.
func (w *Warning) UnmarshalText(text []byte) error {
	*w = Warning{Text: string(text)}
	return nil
}

// Warnings are the warnings of a decision.
type Warnings []Warning

// Texts returns the text of each; empty, not nil, of none.
func (w Warnings) Texts() []string {
	list := make([]string, len(w))
	for i := range w {
		list[i] = w[i].Text
	}
	return list
}

// Add adds texts of no kind, as commands do.
func (w *Warnings) Add(texts ...string) { *w = append(*w, warning("", texts...)...) }

func warning(kind WarningKind, texts ...string) Warnings {
	list := make(Warnings, len(texts))
	for i, text := range texts {
		list[i] = Warning{kind, text}
	}
	return list
}

// warnings lists the doubts about a decision, each of which is made here alone.
func (c *Chooser) warnings(m *Measured, d *Decision, ranked []prediction) Warnings {
	list := Warnings{}
	if before := d.Beforehand(); before != "" {
		list = warning(WarnPreparation, before)
	}
	list = append(list, c.notes()...)
	if m.priced() && c.caveat != "" {
		list = append(list, Warning{WarnModel, c.caveat})
	}
	list = append(list, c.launchDoubt()...)
	switch {
	case !m.priced():
		text := "the stream was not sampled: times are averages over typical streams of this size (the prior)"
		if c.prices.Measured() {
			text += ", and the intervals span their times"
		}
		return append(append(append(list, Warning{WarnSample, text}), c.tablesUnknown(m.Stats)...), c.padding(m)...)
	case m.Sampled != nil:
		list = append(list, Warning{WarnSample, "the statistics come from a sample, which only estimates the " +
			"frequencies of targets: analyse the whole stream to be sure"})
	}
	list = append(list, c.tablesUnknown(m.Stats)...)
	if c.model != nil {
		list = append(append(list, c.outside(m.Stats)...), untrained(ranked)...)
	}
	if m.Settling != nil {
		for _, i := range c.places {
			v, none := c.prices.List[i], device.Launch{}
			if b := c.barrier(v, m.Stats, none, m.Positions(), m.Bins); b == ungrouped {
				list = append(list, Warning{WarnLeftOut, fmt.Sprintf("%s is left out: it %s", v, why(c.refuse(b, v, none, 0, 0)))})
			}
		}
	}
	list = append(list, c.padding(m)...)
	// If more is uncertain, the reason names it and what to time.
	if c.bounded() && len(ranked) > 1 && ranked[1].US <= ranked[0].High && lossBound(ranked) < largeBound { // not NaN
		best, next := ranked[0], ranked[1]
		list = append(list, Warning{WarnTie, fmt.Sprintf("%s at %s us lies within the interval of %s, "+
			"%s to %s us: measure both if it matters", next.implementation, number(next.US), best.implementation,
			number(best.Low), number(best.High))})
	}
	return append(list, c.reordered(m, d)...)
}

// BitsSet says what an index of 2^32 - 1 may be.
const BitsSet = "the highest index is 4294967295, all bits set: if that is padding, use --ignore -1"

// padding is about positions without an update.
func (c *Chooser) padding(m *Measured) (list Warnings) {
	if m.Bins == 1<<32 {
		list = warning(WarnPadding, BitsSet)
	}
	if m.Ignored == 0 && (m.priced() || !c.opts.Padded) {
		return list
	}
	as := "lanes that load index and value and skip the rest; no measured call had such lanes; of the calls of the headers " +
		"scatter_add of atomtune_dispatch.cuh skips one index (CallOptions::ignore)"
	if c.opts.Call.Wide() {
		as = "if their index and values are read; no measured call had such positions"
	}
	return append(list, Warning{WarnPadding, "positions without an update are priced as " + as})
}

// reordered warns where the same updates with equal targets together have another choice.
func (c *Chooser) reordered(m *Measured, d *Decision) Warnings {
	if m.grouped == nil {
		return nil
	}
	pick, err := c.Pick(m.grouped)
	mine, other := d.Choice.Implementation, pick.Implementation
	switch {
	case err != nil:
		return warning(WarnOrder, Reordered(m.order, fmt.Sprintf("none: %v", err)))
	case mine == other, c.opts.Call.Wide() && mine.Algorithm == impl.Hot && other.Algorithm == impl.Hot:
		return nil // a table of rows of another size is no other choice
	}
	return warning(WarnOrder, Reordered(m.order, fmt.Sprintf("%s, %s us, without the time to sort", other,
		number(pick.PredictedUS))))
}

// Reordered says of a stream in the order of its file what the choice would be in another order.
func Reordered(order, choice string) string {
	return fmt.Sprintf("this choice is for the order of the file; %s (--order %s) it would be %s", orders[order], order,
		choice)
}

// tablesUnknown warns that forms of hot are missing where statistics do not determine their times.
func (c *Chooser) tablesUnknown(s *collision.Stats) Warnings {
	var list []impl.Spec
	for _, v := range c.prices.List {
		b := c.barrier(v, s, device.Launch{}, s.Positions(), s.Bins)
		if v.Slots > 0 && !s.HotKnown() && (b == eligible || b > reorders) {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return warning(WarnTables, inWords(list)+": not priced, because the statistics lack the coverage of frequent "+
		"targets; measure the whole stream")
}

// launchDoubt says on what times rest under other launches than the rule's.
func (c *Chooser) launchDoubt() Warnings {
	which := "launch " + c.opts.fixed().String() + " is"
	switch {
	case c.model == nil: // no launch was measured
		return nil
	case len(c.opts.Launches) > 1:
		which = "launches are"
	case c.opts.fixed() == device.Launch{}:
		return nil
	}
	of := "corrections"
	if c.prices.Measured() {
		of += " and intervals"
	}
	return warning(WarnLaunch, which+" priced, not measured: "+of+" come from calls in the default launch")
}

// outside names the features that lie beyond the range of the training points by a fiftieth of it.
func (c *Chooser) outside(s *collision.Stats) Warnings {
	var x model.Vector
	x.Fill(s, c.opts.Call)
	var list Warnings
	for i, r := range c.model.Features {
		slack := 0.02 * (r.Max - r.Min)
		if x[i] >= r.Min-slack && x[i] <= r.Max+slack {
			continue
		}
		name, low, high := model.Plain(r.Name, r.Min, r.Max)
		_, value, _ := model.Plain(r.Name, x[i], 0)
		trained := "from " + number(low) + " to " + number(high)
		if low == high {
			trained = "for " + number(low)
		}
		list = append(list, Warning{WarnRange, fmt.Sprintf("the model was not trained for %s = %s, only %s", name,
			number(value), trained)})
	}
	return list
}

// untrained names the ranked implementations that a model does not correct.
func untrained(ranked []prediction) Warnings {
	var list []impl.Spec
	for _, r := range ranked {
		if !r.trained {
			list = append(list, r.implementation)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return warning(WarnModel, "only closed forms for "+inWords(list)+", which the model does not correct")
}

// number prints a quantity with three significant digits, and whole numbers
// from a hundred on in full.
func number(v float64) string {
	if math.Abs(v) >= 100 || v == math.Trunc(v) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
