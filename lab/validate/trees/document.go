package trees

import (
	"bytes"
	"fmt"

	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/dispatch/grow"
	"github.com/atomtune/atomtune/tuner/model"
)

// A Report is what doc/results/DISPATCH.md shows of each device's tree.
type Report []Judged

// Judged is a tree by its device's recordings.
type Judged struct {
	Device string `json:"device"`
	Parts  []Part `json:"parts"`
}

// Part is a part of the recordings that judges.
type Part struct {
	Name    string `json:"name"`
	Calls   int    `json:"calls"`
	LeftOut int    `json:"left_out"`
	Lines   []Line `json:"lines"`
}

// Line is a rule with what it loses.
type Line struct {
	Rule string     `json:"rule"`
	Loss model.Loss `json:"loss"`
}

// The rules of a part that others are compared with.
const (
	treeOverBest  = "tree over best"
	treeOverTuner = "tree over tuner.Choose"
)

// judge judges the embedded trees.
func judge() (all Report, err error) {
	for _, a := range recorded.Archives {
		tree, err := dispatch.Embedded(a.Name())
		if err != nil {
			return nil, err
		}
		judging, err := parts(a)
		if err != nil {
			return nil, err
		}
		j := Judged{Device: a.Name()}
		for i := range judging {
			b := newTable(tree, judging[i].questions)
			j.Parts = append(j.Parts, b.part(judging[i].name))
		}
		all = append(all, j)
	}
	return all, nil
}

// part judges the tree on a part.
func (b *table) part(name string) Part {
	made := Part{Name: name, Calls: len(b.rows), LeftOut: b.missing}
	line := func(rule string, l model.Loss) { made.Lines = append(made.Lines, Line{rule, l}) }
	line(treeOverBest, b.loss(b.byTree, best))
	line(treeOverTuner, b.loss(b.byTree, byTuner))
	line("whole call over best", b.loss(b.wholeByTree, best))
	line("tuner.Choose", b.loss(byTuner, best))
	line("best action", b.loss(b.byCandidates, best))
	return made
}

// aim is that of a tree's choices over those of tuner.Choose, in the geometric mean.
const aim = 1.01

// Document is doc/results/DISPATCH.md.
func (all Report) Document() ([]byte, error) {
	var doc bytes.Buffer
	fmt.Fprintf(&doc, docHead, dispatch.SampledWarps/dispatch.CountedEvery, grow.DecideUS, aim)
	for _, j := range all {
		tree, err := dispatch.Embedded(j.Device)
		if err != nil {
			return nil, err
		}
		writeDevice(&doc, tree)
		for _, p := range j.Parts {
			p.write(&doc)
		}
	}
	err := writeFresh(&doc)
	return doc.Bytes(), err
}

func writeDevice(doc *bytes.Buffer, tree *dispatch.Tree) {
	e := tree.Evaluation
	fmt.Fprintf(doc, "\n## %s\n\n%d nodes, %d actions, grown on %d calls of random streams, plain ones counted four times; closed forms priced "+
		"them from exact statistics.\nOn these calls, times including sample and walk, over the best action "+
		"without them:\n\n- the tree: %.3f\n- a tree grown without the stream's family: %.3f\n- the best of its "+
		"actions, always after a sample: %.3f\n- the best single action, without a sample: %.3f\n", tree.Title, len(tree.Nodes), len(tree.Candidates),
		e.Calls, e.Known.GeometricMean,
		e.FamilyOut.GeometricMean, e.Candidates.GeometricMean, e.OneCandidate.GeometricMean)
}

func (p *Part) write(doc *bytes.Buffer) {
	fmt.Fprintf(doc, "\n### %s\n\n%d calls; %d left out.\n\n| | mean | p90 | max |\n|---|---|---|---|\n",
		p.Name, p.Calls, p.LeftOut)
	for _, l := range p.Lines {
		rule := l.Rule
		if rule == treeOverTuner && l.Loss.GeometricMean > aim {
			rule += " (misses its aim)"
		}
		fmt.Fprintf(doc, "| %s | %.3f | %.2f | %.2f |\n", rule, l.Loss.GeometricMean, l.Loss.P90, l.Loss.Max)
	}
}

const docHead = `# Trees that choose on the GPU

Rendered from lab/validate/trees/results.json, which ` + "`script/regenerate trees`" + ` computes.

A call on the GPU samples %d warps of its indices, walks a tree of ` + "`tuner/dispatch`" + ` and runs the action at its leaf. This
page tests these actions on recorded calls; no tree was trained on them. The time of an action is the recorded time of the
same form in the nearest size and launch. For a table of hot targets that a sample fills, it is the time of a table whose
targets were known. Calls whose form was not measured are left out. All figures are ratios of times: geometric mean, 90th
percentile and maximum.

- Sample and walk take %.1f us on an H200. Only "whole call" includes them. If the sizes alone determine the action, a call
  skips both; the trees of short calls prefer such leaves.
- "best" is the least time of all recorded forms and launches; "best unseen" leaves out tables of hot targets
  that were known beforehand.
- "tuner.Choose" knows the whole stream and searches launches. A tree should take at most %v times as long.
- "whole call" adds the costs of the call, the sample, a table of hot targets and the kernels of an unused partition. They
  were measured separately on an H200.
- "best action" is the best of the tree's actions. The rows "tuner.Choose" and "best action" are ratios to the best.

For comparison, two simple rules on the H200's held-out half, in November 2026: the best single comparison (bins below
65536) took 1.23 times as long as the best, and 202 times at worst. The best single action (private+sr) took 1.48 times,
and 31 times at worst.

160 whole calls were measured once, on an H200. The hash of the commit that froze the tree was the seed of their streams.
They took 1.27 times as long as the best in the geometric mean (90th percentile 1.7, at worst 4.1), and 1.11 times with a
plan. They took 0.083 times as long as PyTorch, and 1.4 times at worst.
`
