package main

import (
	"bytes"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/variant"
)

// chooseDocument is what choose prints about one stream.
type chooseDocument struct {
	Device   string          `json:"device"`
	Type     device.Type     `json:"type"`
	Value    device.Operand  `json:"value"`
	Op       device.Op       `json:"op,omitzero"`
	Returns  bool            `json:"returns"`
	Stream   streamDocument  `json:"stream"`
	Choice   tuner.Choice    `json:"choice"`
	Ranking  []tuner.Ranked  `json:"ranking"`
	Reason   string          `json:"reason"`
	Warnings []string        `json:"warnings"`
	profile  *device.Profile // for its title
}

func newChooseDocument(m streamDocument, decision tuner.Decision, call device.Call, d *device.Profile) chooseDocument {
	return chooseDocument{
		Device: decision.Device, Type: call.Type, Value: call.Operand, Op: call.Op, Returns: call.Returns,
		Stream: m, Choice: decision.Choice, Ranking: decision.Ranking,
		Reason: decision.Reason, Warnings: decision.Warnings, profile: d,
	}
}

// printChoice prints the choice, the ranking behind it and the reason.
func printChoice(w *bytes.Buffer, doc chooseDocument) {
	w.WriteString("stream: ")
	printStream(w, doc.Stream)
	printLevels(w, &doc.Stream.Stats)
	fmt.Fprintf(w, "device: %s, %s\n", doc.profile.Title, callText(device.Call{Type: doc.Type, Operand: doc.Value, Op: doc.Op, Returns: doc.Returns}))
	c := doc.Choice
	fmt.Fprintf(w, "choice: %s (%s), %s us, 90 %% interval %s to %s us", c.Implementation, c.Class,
		number(c.PredictedUS), number(c.LowUS), number(c.HighUS))
	if c.SpeedupOverNaive != nil && c.Implementation != (variant.Variant{}) {
		fmt.Fprintf(w, ", %s times as fast as naive", number(*c.SpeedupOverNaive))
	}
	fmt.Fprintf(w, "\nreason: %s\n\n", doc.Reason)
	t := newTable(column{title: "rank", right: true}, column{title: "implementation"}, column{title: "class"},
		column{title: "predicted (us)", right: true}, column{title: "over best", right: true}, column{title: "bound by"})
	for i, r := range doc.Ranking {
		t.AppendRow(table.Row{i + 1, r.Implementation, r.Class, number(r.PredictedUS),
			number(r.PredictedUS / c.PredictedUS), r.Binding})
	}
	printTable(w, t)
	for _, text := range doc.Warnings {
		fmt.Fprintf(w, "warning: %s\n", text)
	}
}

// printLevels prints how the stream collides in one line.
func printLevels(w *bytes.Buffer, s *collision.Stats) {
	fmt.Fprintf(w, "collisions: level %s in a warp, %s in a block, %s updates per target; %s distinct targets per warp; hottest target %s updates\n",
		number(s.WarpLevel), number(s.BlockLevel), number(s.AllLevel), number(s.DistinctPerWarp), count(s.MaxFrequency))
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
