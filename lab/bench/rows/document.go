package rows

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
)

// Document is doc/results/ROWS.md: of runs, each with the profile of its GPU, and of what judges prices.
func Document(runs []*Run, profiles []*device.Profile, parts []Part) ([]byte, error) {
	var doc bytes.Buffer
	doc.WriteString(head)
	for i, r := range runs {
		r.WriteTo(&doc, profiles[i])
	}
	err := writeJudged(&doc, parts)
	return doc.Bytes(), err
}

const head = `# Row scatters

Rendered from the tables under lab/bench/rows/recorded, which bindings/cuda/bench/rows.py measured, and from
lab/bench/rows/results.json, which ` + "`script/regenerate rows`" + ` computes. Each index updates a row of "width" consecutive
elements. Every result was checked.

- "call" is ` + "`atomtune::scatter_add_rows`" + `, which chooses its implementation by the sizes and a sample. In tables
  measured before 30 November 2026 it chose by the sizes alone. "best" is the fastest implementation: ` + "`runs`" + ` first
  adds neighbouring updates of a row, ` + "`hot`" + ` keeps frequent rows in shared memory, ` + "`sort`" + ` sorts the updates by
  row, ` + "`naive`" + ` adds each element by its own atomic.
- Ratios are geometric means. Above 1 the call is faster than index_add_.
- The floor is the time to read or write each necessary byte once, at the measured rates of L2 and DRAM. It excludes the
  launch.
- "bf16 to f32" adds bfloat16 values to float32 targets, which index_add_ cannot do.
`

// Figures are means over cases; Least and Most are of IndexAdd.
type Figures struct {
	Cases                       int
	IndexAdd, Least, Most       float64 // index_add_ over the call
	OverBest, MostOverBest      float64 // the call over the best implementation
	CallFloorPercent, BestShare float64
	Won                         map[string]int // cases by the name of the best implementation
}

// FiguresOf judges the cases for which something holds.
func (r *Run) FiguresOf(p *device.Profile, holds func(*Case) bool) Figures {
	f := Figures{Least: math.Inf(1), Won: map[string]int{}}
	var index, best, floor, bestFloor mean
	for i := range r.Cases {
		c := &r.Cases[i]
		if !holds(c) {
			continue
		}
		f.Cases++
		call := c.US[Form{Name: recordings.AutomaticRows}]
		form, us := c.bestUS()
		f.Won[form.Name]++
		best.add(call / us)
		f.MostOverBest = max(f.MostOverBest, call/us)
		floor.add(c.floorUS(p) / call)
		bestFloor.add(c.floorUS(p) / us)
		if torch, there := c.US[Form{Name: recordings.PyTorch}]; there {
			index.add(torch / call)
			f.Least, f.Most = min(f.Least, torch/call), max(f.Most, torch/call)
		}
	}
	f.IndexAdd, f.OverBest = index.value(), best.value()
	f.CallFloorPercent, f.BestShare = 100*floor.value(), 100*bestFloor.value()
	return f
}

// mean is a geometric one.
type mean struct {
	logs float64
	n    int
}

func (m *mean) add(x float64) { m.logs, m.n = m.logs+math.Log(x), m.n+1 }

func (m *mean) value() float64 { return math.Exp(m.logs / float64(m.n)) }

// HotRow reports whether a case is 7.77 million rows of 128 float32, half of them on one row.
func HotRow(c *Case) bool {
	return c.Updates == 7770000 && c.Call.Width == 128 && c.Type == "f32" &&
		2*c.MaxFrequency > c.Updates*9/10
}

// WriteTo writes a GPU's part of the document.
func (r *Run) WriteTo(w *bytes.Buffer, p *device.Profile) {
	fmt.Fprintf(w, "\n## %s\n\n%d cases. Measured with %s.\n", r.GPU, len(r.Cases), strings.Join(r.With, ", "))
	f := r.FiguresOf(p, HotRow)
	fmt.Fprintf(w, "\n7.77 million rows of 128 float32, half of them on one row: the call is %.1f times as "+
		"fast as\nindex_add_, and reaches %.0f %% of the floor.\n", f.IndexAdd, f.CallFloorPercent)
	fmt.Fprintf(w, "\n| type | width | cases | index_add_/call | least | most | call/best | most | "+
		"floor/call (%%) | floor/best (%%) | best: runs, hot, sort, naive |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, t := range []string{"f32", "bf16", "bf16 to f32"} {
		for _, width := range r.widths() {
			f := r.FiguresOf(p, func(c *Case) bool { return c.Type == t && c.Call.Width == width })
			f.row(w, t, fmt.Sprint(width))
		}
		f := r.FiguresOf(p, func(c *Case) bool { return c.Type == t })
		f.row(w, t, "all")
	}
}

func (f *Figures) row(w *bytes.Buffer, name, width string) {
	index := "- | - | -"
	if !math.IsNaN(f.IndexAdd) {
		index = fmt.Sprintf("%.2f | %.2f | %.1f", f.IndexAdd, f.Least, f.Most)
	}
	fmt.Fprintf(w, "| %s | %s | %d | %s | %.2f | %.2f | %.0f | %.0f | %d, %d, %d, %d |\n", name, width,
		f.Cases, index, f.OverBest, f.MostOverBest, f.CallFloorPercent, f.BestShare, f.Won["runs"],
		f.Won["hot"], f.Won["sort"], f.Won["naive"])
}

func (r *Run) widths() []uint64 {
	var list []uint64
	for i := range r.Cases {
		list = append(list, r.Cases[i].Call.Width)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
