package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// chooseDocument is what choose prints about one stream.
type chooseDocument struct {
	Device      string               `json:"device"`
	Type        device.Type          `json:"type"`
	Value       device.Operand       `json:"value"`
	Op          device.Op            `json:"op,omitzero"`
	Returns     bool                 `json:"returns"`
	Constraints constraintsDocument  `json:"constraints"`
	Stream      input.StreamDocument `json:"stream"`
	Choice      tuner.Choice         `json:"choice"`
	Ranking     []tuner.Ranked       `json:"ranking"`
	LeftOut     []tuner.LeftOut      `json:"left_out"`
	Ties        []variant.Variant    `json:"ties"`
	Settle      []variant.Variant    `json:"settle"`
	HeldOut     *model.Loss          `json:"held_out_loss,omitempty"`
	Sampling    *tuner.Sampling      `json:"look,omitempty"`
	Reason      string               `json:"reason"`
	Warnings    []string             `json:"warnings"`
	profile     *device.Profile      // for its title
}

func newChooseDocument(m input.StreamDocument, decision tuner.Decision, o tuner.Options, d *device.Profile) chooseDocument {
	call := o.Call
	return chooseDocument{
		Device: decision.Device, Type: call.Type, Value: call.Operand, Op: call.Op, Returns: call.Returns,
		Constraints: newConstraints(o),
		Stream:      m, Choice: decision.Choice, Ranking: decision.Ranking, LeftOut: decision.LeftOut,
		Ties: decision.Ties, Settle: decision.ToTime, HeldOut: decision.HeldOut, Sampling: decision.Sampling,
		Reason: decision.Reason, Warnings: decision.Warnings, profile: d,
	}
}

// printChoice prints the choice, the ranking behind it and the reason.
func printChoice(w *bytes.Buffer, doc chooseDocument) {
	w.WriteString("stream: ")
	printStream(w, doc.Stream)
	if doc.Sampling == nil || doc.Sampling.Sampled {
		printLevels(w, &doc.Stream.Stats)
	}
	fmt.Fprintf(w, "device: %s, %s%s\n", doc.profile.Title,
		callText(device.Call{Type: doc.Type, Operand: doc.Value, Op: doc.Op, Returns: doc.Returns}), doc.Constraints.text())
	printLeftOut(w, doc.LeftOut)
	c := doc.Choice
	fmt.Fprintf(w, "choice: %s (%s), %s us, %s", c.Implementation, c.Class,
		report.Number(c.PredictedUS), doc.interval())
	if c.SpeedupOverNaive != nil && c.Implementation != (variant.Variant{}) {
		fmt.Fprintf(w, ", %s times as fast as naive", report.Number(*c.SpeedupOverNaive))
	}
	w.WriteByte('\n')
	printLook(w, doc.Sampling)
	fmt.Fprintf(w, "reason: %s\n\n", doc.Reason)
	printRanking(w, doc)
	for _, text := range doc.Warnings {
		fmt.Fprintf(w, "warning: %s\n", text)
	}
}

// interval says between which times the choice is expected to lie.
func (d *chooseDocument) interval() string {
	ends := report.Number(d.Choice.LowUS) + " to " + report.Number(d.Choice.HighUS) + " us"
	if d.Sampling != nil && !d.Sampling.Sampled {
		return ends + " over the streams of the prior"
	}
	return "90 % interval " + ends
}

// printRanking prints the table of implementations, for a cautious choice with
// the ends of the intervals by which it goes.
func printRanking(w *bytes.Buffer, doc chooseDocument) {
	columns := []report.Column{report.Right("rank"), report.Left("implementation"), report.Left("class"), report.Right("predicted (us)")}
	if doc.Constraints.Cautious {
		columns = append(columns, report.Right("at most (us)"))
	}
	t := report.NewTable(append(columns, report.Right("over best"), report.Left("bound by"))...)
	for i, r := range doc.Ranking {
		row := table.Row{i + 1, r.Implementation, r.Class, report.Number(r.PredictedUS)}
		if doc.Constraints.Cautious {
			row = append(row, report.Number(r.HighUS))
		}
		t.AppendRow(append(row, report.Number(r.PredictedUS/doc.Choice.PredictedUS), r.Binding))
	}
	report.PrintTable(w, t)
}

// printLook prints what looking at the stream cost and could gain.
func printLook(w *bytes.Buffer, l *tuner.Sampling) {
	if l == nil {
		return
	}
	if !l.Sampled {
		fmt.Fprintf(w, "look: none, which would cost %s us; its expected gain over %s is %s us\n",
			report.Number(l.CostUS), launchesText(l.Launches), report.Number(l.ExpectedGainUS))
		return
	}
	fmt.Fprintf(w, "look: at %s updates, for %s us, for an expected gain of %s us over %s on %s, the choice without a look; the expected gain of a larger sample is %s us\n",
		report.Count(l.Updates), report.Number(l.CostUS), report.Number(l.ExpectedGainUS), launchesText(l.Launches), l.Prior, report.Number(l.LeftUS))
}

// launchesText says how many launches.
func launchesText(n int) string {
	if n == 1 {
		return "one launch"
	}
	return report.Count(uint64(n)) + " launches"
}

// printLevels prints how the stream collides in one line.
func printLevels(w *bytes.Buffer, s *collision.Stats) {
	fmt.Fprintf(w, "collisions: level %s in a warp, %s in a block, %s updates per target; %s distinct targets per warp; hottest target %s updates\n",
		report.Number(s.WarpLevel), report.Number(s.BlockLevel), report.Number(s.AllLevel), report.Number(s.DistinctPerWarp), report.Count(s.MaxFrequency))
}

// callText says in words what each update does.
func callText(c device.Call) string {
	text := c.Type.String() + " targets, "
	loaded := c.Operand == device.Loaded
	switch {
	case c.Op == device.Add && loaded:
		text += "adding loaded values"
	case c.Op == device.Add:
		text += "adding 1"
	case loaded:
		text += c.Op.String() + " by loaded values"
	default:
		text += c.Op.String() + " by 1"
	}
	if c.Returns {
		text += ", old values needed"
	}
	return text
}

// constraintsDocument is what choose was told beside stream, device and call.
type constraintsDocument struct {
	Relaid        bool    `json:"relaid"`
	Deterministic bool    `json:"deterministic"`
	NoSort        bool    `json:"no_sort"`
	Cautious      bool    `json:"cautious"`
	MemoryBytes   *uint64 `json:"memory_bytes"` // beside stream and targets; null: any
}

func newConstraints(o tuner.Options) constraintsDocument {
	c := constraintsDocument{Relaid: o.Relaid, Deterministic: o.Deterministic, NoSort: o.NoSort, Cautious: o.Cautious}
	if o.MemoryBytes > 0 {
		bytes := o.MemoryBytes
		if bytes == 1 {
			bytes = 0 // the options' word for none
		}
		c.MemoryBytes = &bytes
	}
	return c
}

// text says the constraints in words after a semicolon, "" where there are none.
func (c constraintsDocument) text() string {
	var words []string
	for _, w := range []struct {
		set  bool
		text string
	}{
		{c.Relaid, "re-laid updates"}, {c.Deterministic, "deterministic"},
		{c.NoSort, "no sorting"}, {c.Cautious, "cautious"},
	} {
		if w.set {
			words = append(words, w.text)
		}
	}
	if c.MemoryBytes != nil {
		words = append(words, "at most "+report.Count(*c.MemoryBytes)+" bytes of device memory")
	}
	if len(words) == 0 {
		return ""
	}
	return "; " + strings.Join(words, ", ")
}

// printLeftOut prints in one line what the constraints took out, by reason.
func printLeftOut(w *bytes.Buffer, list []tuner.LeftOut) {
	var reasons []string
	names := map[string][]string{}
	for _, l := range list {
		if names[l.Reason] == nil {
			reasons = append(reasons, l.Reason)
		}
		names[l.Reason] = append(names[l.Reason], l.Implementation.String())
	}
	if len(reasons) == 0 {
		return
	}
	parts := make([]string, len(reasons))
	for i, r := range reasons {
		parts[i] = fmt.Sprintf("%s (%s)", strings.Join(names[r], ", "), r)
	}
	fmt.Fprintf(w, "left out: %s\n", strings.Join(parts, "; "))
}
