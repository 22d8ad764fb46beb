package trees

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/dispatch/grow"
	"github.com/atomtune/atomtune/tuner/model"
)

const docHead = `# Trees that choose on the GPU

Made by the test of ` + "`lab/validate/trees`" + `; ` + "`ATOMTUNE_UPDATE_GOLDEN=1`" + ` renews it.

A tree of ` + "`tuner/dispatch`" + ` sees a sample of %d updates and %d warps of a call. Here its actions are
held against recorded calls that it has not learned from: the measured time of its action, in the
recorded launch next to its own, of its form in the recorded size next to its own. A table of hot
targets counts as one of known targets where that was measured. But in "whole call", the sample and
the walk through the tree are not counted: %.1f us where the known features do not settle the
action, so that trees keep from them where calls are short. Calls whose chosen form was not measured
are left out. All figures are times over others, as geometric mean,
90th percentile and maximum.

- "tree over best": over the least time of all recorded forms and launches.
- "tree over tuner.Choose": over the time of its choice, which knows the whole stream and searches
  launches, among measured forms and launches. The aim is 1.01 in the geometric mean. What is missed is
  marked.
- "whole call" is over the best form alone, with what the call, the sample, the walk, the table of hot
  targets and the kernels of a partition that is not taken cost besides: as measured on an H200, added
  and not measured together.
- "tuner.Choose", "best action", "closed forms", "depth 1" and "one action" are over the best, too: the
  least time of the tree's actions; the action that the closed forms price least with the exact
  statistics of the whole stream; the rule of one comparison, and the one action, that lose least
  on the fit half of the recordings, which learned from measured times.
`

// The aim of a tree's choices over those of tuner.Choose, and the part of what simpler rules lose
// that a tree may lose, as logarithms.
const aim, mostShare = 1.01, 0.75

// TestTrees writes doc/DISPATCH.md, and holds trees to what they must gain.
func TestTrees(t *testing.T) {
	var doc bytes.Buffer
	fmt.Fprintf(&doc, docHead, dispatch.SampledUpdates, dispatch.SampledWarps, grow.DecideUS)
	judged := 0
	for _, a := range recorded.Archives {
		tree, err := dispatch.Embedded(a.Name())
		if err != nil {
			t.Fatal(err)
		}
		all, learned, err := parts(a)
		if err != nil {
			t.Fatal(err)
		}
		fit := newTable(tree, learned)
		writeDevice(&doc, tree)
		for i := range all {
			b := newTable(tree, all[i].questions)
			writePart(t, &doc, &all[i], &b, &fit)
			judged += len(b.rows)
		}
		held := newTable(tree, all[0].questions)
		writeImportance(&doc, &held)
	}
	if judged < 3000 {
		t.Errorf("%d calls were judged", judged)
	}
	golden.Text(t, "../../../doc/DISPATCH.md", doc.String())
}

func writeDevice(doc *bytes.Buffer, tree *dispatch.Tree) {
	e := tree.Evaluation
	fmt.Fprintf(doc, "\n## %s\n\n%d nodes, %d actions, grown on %d simulated calls. There, with half "+
		"the cost of sample and\nwalk, over the best action without them: the tree %.3f, grown without "+
		"the family %.3f, the best\nof its actions always after a sample %.3f, one action without a "+
		"sample %.3f.\n", tree.Title, len(tree.Nodes), len(tree.Actions), e.Calls, e.Known.GeometricMean,
		e.FamilyOut.GeometricMean, e.Actions.GeometricMean, e.OneAction.GeometricMean)
}

func writePart(t *testing.T, doc *bytes.Buffer, p *part, b, fit *table) {
	t.Helper()
	one, rule := oneAction(fit), bestStump(fit)
	prices := grow.NewPricer(p.questions[0].Device, b.tree.Actions)
	fmt.Fprintf(doc, "\n### %s\n\n%d calls; %d left out.\n\n| | mean | p90 | max |\n|---|---|---|---|\n",
		p.name, len(b.rows), b.missing)
	line := func(name string, l model.Loss) model.Loss {
		fmt.Fprintf(doc, "| %s | %.3f | %.2f | %.2f |\n", name, l.GeometricMean, l.P90, l.Max)
		return l
	}
	tree := line("tree over best", b.loss(b.byTree, best))
	over := b.loss(b.byTree, byTuner)
	name := "tree over tuner.Choose"
	if over.GeometricMean > aim {
		name += " (misses its aim)"
	}
	line(name, over)
	for _, from := range []int{20, 21, 23} {
		l := b.loss(b.wholeByTree, func(r *row) float64 {
			if r.Stats.Updates>>from == 0 {
				return math.NaN()
			}
			return r.best
		})
		if l.Points > 0 {
			line(fmt.Sprintf("whole call, from 2^%d updates (%d calls)", from, l.Points), l)
		}
	}
	line("tuner.Choose", b.loss(byTuner, best))
	line("best action", b.loss(b.byActions, best))
	line("closed forms", b.loss(byPrices(prices), best))
	stump := line(fmt.Sprintf("depth 1: %s below %d", dispatch.Names()[rule.feature], rule.threshold),
		b.loss(rule.us, best))
	always := line(fmt.Sprintf("one action: %s", b.tree.Actions[one].Implementation),
		b.loss(func(r *row) float64 { return r.us[one] }, best))
	gains := func(over model.Loss) bool {
		return math.Log(tree.GeometricMean) < mostShare*math.Log(over.GeometricMean)
	}
	if !gains(stump) || !gains(always) {
		t.Errorf("%s, %s: the tree loses %.3f, a rule of depth 1 %.3f, one action %.3f", b.tree.Device,
			p.name, tree.GeometricMean, stump.GeometricMean, always.GeometricMean)
	}
}

func writeImportance(doc *bytes.Buffer, b *table) {
	fmt.Fprintf(doc, "\n### By which features\n\nMean over the best on the held-out half where each call "+
		"has the feature of another one.\n\n| feature | mean |\n|---|---|\n")
	for feature, name := range dispatch.Names() {
		fmt.Fprintf(doc, "| %s | %.3f |\n", name, b.permuted(feature))
	}
}
