package main

import (
	"bytes"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/latency"
	"github.com/atomtune/atomtune/variant"
)

// optimizeDocument is what optimize prints.
type optimizeDocument struct {
	File      string           `json:"file,omitempty"`
	Device    string           `json:"device"`
	Type      device.Type      `json:"type"`
	Operation device.Operation `json:"operation"`
	Words     int              `json:"words"`
	Threads   int              `json:"threads"`
	Order     string           `json:"order,omitempty"` // of drawn warps
	Warps     int              `json:"warps"`
	Choice    layoutDocument   `json:"choice"`
	Ranking   []layoutDocument `json:"ranking"`
	Reason    string           `json:"reason"`
	profile   *device.Profile  // for its title
}

// layoutDocument is one way to lay out the copies.
type layoutDocument struct {
	Implementation string  `json:"implementation"` // the name of the form with this layout
	Replicas       int     `json:"replicas"`
	Pad            int     `json:"pad"`
	Map            string  `json:"map"`
	Cycles         float64 `json:"cycles"`
	Turns          float64 `json:"turns"`
	Passes         float64 `json:"further_passes"` // of reads and writes; native: lanes
	SharedWords    int     `json:"shared_words"`
	OverBest       float64 `json:"over_best"`
}

func layoutOf(c latency.Candidate, best float64) layoutDocument {
	v := variant.Copies(c.Replicas, c.Pad, c.Map)
	name := "cyclic"
	if c.Map == variant.Block {
		name = "block"
	}
	return layoutDocument{
		Implementation: v.String(), Replicas: c.Replicas, Pad: c.Pad, Map: name,
		Cycles: c.Cycles, Turns: c.Turns, Passes: c.ReadPasses + c.WritePasses, SharedWords: c.SharedWords, OverBest: c.Cycles / best,
	}
}

func (doc *optimizeDocument) fill(words int, best latency.Optimum) {
	doc.Words, doc.Warps, doc.Reason = words, best.Samples, best.Reason
	for _, c := range best.Ranking {
		layout := layoutOf(c, best.Ranking[0].Cycles)
		doc.Ranking = append(doc.Ranking, layout)
		if c.Votes == best.Best {
			doc.Choice = layout
		}
	}
}

// shownLayouts is how many layouts the table has.
const shownLayouts = 12

func (e *env) reportLayouts(doc optimizeDocument) error {
	return e.Emit(doc, func(w *bytes.Buffer) {
		warps := doc.Order + " warps"
		if doc.File != "" {
			warps = "warps of " + doc.File
		}
		fmt.Fprintf(w, "%s, %s %s over %s words in shared memory, blocks of %d threads, %s %s\n",
			doc.profile.Title, doc.Type, doc.Operation, report.Count(uint64(doc.Words)), doc.Threads, report.Count(uint64(doc.Warps)), warps)
		fmt.Fprintf(w, "choice: %s, %s cycles a warp\n", doc.Choice.Implementation, report.Number(doc.Choice.Cycles))
		fmt.Fprintf(w, "reason: %s\n\n", doc.Reason)
		t := report.NewTable(report.Left("layout"), report.Right("cycles"),
			report.Right("over best"), report.Right("turns"), report.Right("further passes"),
			report.Right("words"))
		for _, l := range doc.Ranking[:min(len(doc.Ranking), shownLayouts)] {
			t.AppendRow(table.Row{l.Implementation, report.Number(l.Cycles), report.Number(l.OverBest), report.Number(l.Turns), report.Number(l.Passes), report.Count(uint64(l.SharedWords))})
		}
		report.PrintTable(w, t)
		if more := len(doc.Ranking) - shownLayouts; more > 0 {
			fmt.Fprintf(w, "and %d slower ones (--json lists them)\n", more)
		}
	})
}
