package leaveoneout

import (
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/regtree"
	"github.com/atomtune/atomtune/tuner"
)

// A rule learns from some inputs of a table, and then scores the implementations on another.
type rule struct {
	name  string
	learn func(t *table, others []int) (scorer, error)
}

// scorer returns a score for each implementation of the table, of which the least is chosen,
// NaN for none.
type scorer func(in *input) ([]float64, error)

// The names of the rules.
const (
	levelsRule = "trees over the three collision levels [egielski14]"
	ownRule    = "atomtune, nothing learned from recordings"
	formsRule  = "closed forms, nothing learned"
	fixedRule  = "always the one that is best for the others"
)

// mostFolds bounds in how many parts inputs are held out. With more streams than
// this, several are held out together.
const mostFolds = 20

func rules() []rule {
	return []rule{{ownRule, own}, {levelsRule, byLevels}, {formsRule, byImplementations}, {fixedRule, fixed}}
}

// choose returns the place of the least score among the implementations that
// ran, the first that ran where none has a score.
func (in *input) choose(score scorer) (int, error) {
	scores, err := score(in)
	if err != nil {
		return 0, fmt.Errorf("%s, %s: %w", in.stream, recorded.CallName(in.call), err)
	}
	if v := in.fastest(scores); v >= 0 {
		return v, nil
	}
	return in.fastest(make([]float64, len(in.us))), nil
}

// own chooses as tuner.Choose does, with the table's model.
func own(t *table, _ []int) (scorer, error) {
	choosers := recorded.ByCall(func(c device.Call) (*tuner.Chooser, error) {
		o := tuner.Options{Call: c, Only: t.implementations, Relaid: true, Model: t.base}
		return tuner.New(t.profile, o)
	})
	return func(in *input) ([]float64, error) {
		c, err := choosers(in.call)
		if err != nil {
			return nil, err
		}
		p, err := c.Pick(in.stats)
		if err != nil {
			return nil, err
		}
		picked := slices.Index(t.implementations, p.Implementation)
		if !in.ran(picked) {
			return nil, fmt.Errorf("%s is chosen and has no time", p.Implementation)
		}
		scores := slices.Repeat([]float64{1}, len(t.implementations))
		scores[picked] = 0
		return scores, nil
	}, nil
}

// byLevels is the model of [egielski14] section 3.3, which goes from the
// collision levels to the best of several code versions. The paper does not
// say how a regression tree names one: as in package egielski14 each
// implementation has a tree for ln(its time/the fastest time), and the least
// prediction is chosen. Each kind of call is a benchmark of its own.
func byLevels(t *table, others []int) (scorer, error) {
	trees := recorded.ByCall(func(c device.Call) ([]regtree.Tree, error) {
		return t.trees(others, c)
	})
	return func(in *input) ([]float64, error) {
		all, err := trees(in.call)
		scores := make([]float64, len(all))
		for v, tree := range all {
			scores[v] = math.NaN()
			if tree != nil {
				scores[v] = tree.Predict(in.levels())[0]
			}
		}
		return scores, err
	}, nil
}

// trees fits a tree for each implementation that ran on inputs of the kind of call, nil where
// it ran on none.
func (t *table) trees(rows []int, c device.Call) ([]regtree.Tree, error) {
	all := make([]regtree.Tree, len(t.implementations))
	for v := range all {
		var x [][]float64
		var y []float64
		for _, i := range rows {
			if in := &t.inputs[i]; in.call == c && in.ran(v) {
				x = append(x, in.levels())
				y = append(y, math.Log(in.us[v]/in.least()))
			}
		}
		if len(x) == 0 {
			continue
		}
		var err error
		all[v], err = regtree.Sort(x, y).Fit(func(int) bool { return true },
			regtree.Options{MaxLeaves: len(x), MinLeaf: 2})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// byImplementations takes the least closed form.
func byImplementations(*table, []int) (scorer, error) {
	return func(in *input) ([]float64, error) { return in.closed, nil }, nil
}

// fixed takes for every input the implementation with the least mean of
// ln(time/fastest time) over the others, of those that ran on it.
func fixed(t *table, others []int) (scorer, error) {
	means := make([]float64, len(t.implementations))
	for v := range means {
		sum, n := 0.0, 0
		for _, i := range others {
			if in := &t.inputs[i]; in.ran(v) {
				sum, n = sum+math.Log(in.us[v]/in.least()), n+1
			}
		}
		means[v] = sum / float64(n) // NaN where it never ran
	}
	return func(*input) ([]float64, error) { return means, nil }, nil
}
