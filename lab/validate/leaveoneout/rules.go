package leaveoneout

import (
	"math"

	"github.com/atomtune/atomtune/regtree"
)

// The names of the rules.
const (
	levelsRule    = "trees over the three collision levels [egielski14]"
	correctedRule = "atomtune, corrected by the others' times"
	formsRule     = "closed forms, nothing learned"
	fixedRule     = "always the one that is best for the others"
)

func looRules() []looRule {
	return []looRule{
		{correctedRule, correctedFolds, chooseCorrected}, {levelsRule, mostFolds, chooseByLevels},
		{formsRule, mostFolds, chooseByForms}, {fixedRule, mostFolds, chooseFixed},
	}
}

// collisionLevels are the three parameters of [egielski14] section 3.3.
var collisionLevels = []string{"warp_level", "block_level", "all_level"}

// chooseByLevels is the model of [egielski14] section 3.3, which goes from the
// collision levels to the best of several code versions. The paper does not
// say how a regression tree names one: as in package egielski14 each
// implementation has a tree for ln(its time/the fastest time), and the least
// prediction is chosen. Each kind of call is a benchmark of its own.
func chooseByLevels(t *looTable, others, held []int) ([]int, error) {
	trees := map[string][]*regtree.Tree{} // by kind of call
	scores := func(kind string) ([]*regtree.Tree, error) {
		if trees[kind] != nil {
			return trees[kind], nil
		}
		all, err := t.trees(others, collisionLevels, regtree.Options{MinLeaf: 2},
			(*looInput).levels,
			func(in *looInput, v int) float64 {
				if in.kind() != kind {
					return math.NaN()
				}
				return math.Log(in.us[v] / in.least())
			})
		trees[kind] = all
		return all, err
	}
	picks := make([]int, len(held))
	for j, i := range held {
		in := &t.inputs[i]
		all, err := scores(in.kind())
		if err != nil {
			return nil, err
		}
		picks[j] = in.choose(func(v int) float64 {
			if all[v] == nil {
				return math.NaN()
			}
			return all[v].Predict(in.levels())
		})
	}
	return picks, nil
}

// trees fits a tree for each implementation on the rows of which it has a
// target, nil where there is none.
func (t *looTable) trees(rows []int, names []string, o regtree.Options, x func(*looInput) []float64, target func(*looInput, int) float64) ([]*regtree.Tree, error) {
	all := make([]*regtree.Tree, len(t.variants))
	for v := range all {
		table := regtree.Table{Features: names}
		for _, i := range rows {
			in := &t.inputs[i]
			if y := target(in, v); !math.IsNaN(y) {
				table.X, table.Y = append(table.X, x(in)), append(table.Y, y)
			}
		}
		if len(table.X) == 0 {
			continue
		}
		var err error
		if all[v], err = regtree.Fit(table, o); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// choose returns the place of the least score among the implementations that
// ran, the first that ran where none has a score.
func (in *looInput) choose(score func(v int) float64) int {
	scores := make([]float64, len(in.us))
	for v := range scores {
		scores[v] = score(v)
	}
	if v := in.fastest(scores); v >= 0 {
		return v
	}
	return in.fastest(make([]float64, len(in.us)))
}

// chooseByForms takes the least closed form.
func chooseByForms(t *looTable, _, held []int) ([]int, error) {
	picks := make([]int, len(held))
	for j, i := range held {
		in := &t.inputs[i]
		picks[j] = in.choose(func(v int) float64 { return in.closed[v] })
	}
	return picks, nil
}

// chooseFixed takes for every input the implementation with the least mean of
// ln(time/fastest time) over the others, of those that ran on it.
func chooseFixed(t *looTable, others, held []int) ([]int, error) {
	means := make([]float64, len(t.variants))
	for v := range means {
		sum, n := 0.0, 0
		for _, i := range others {
			if in := &t.inputs[i]; in.ran(v) {
				sum, n = sum+math.Log(in.us[v]/in.least()), n+1
			}
		}
		means[v] = sum / float64(n) // NaN where it never ran
	}
	picks := make([]int, len(held))
	for j, i := range held {
		picks[j] = t.inputs[i].choose(func(v int) float64 { return means[v] })
	}
	return picks, nil
}
