package egielski14

import (
	"cmp"
	"math"
	"slices"

	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/regtree"
)

// measured is a benchmark on a device: simulated times in microseconds by input
// and form, and the form that is chosen for each input.
type measured struct {
	job
	inputs []input
	us     [][]float64
	chosen []int
}

// collisionLevels are the three parameters of [egielski14] section 3.3.
var collisionLevels = []string{"warp_level", "block_level", "all_level"}

// choose chooses for each input from what the others teach, leave-one-out as in
// [egielski14] section 4. The paper's model goes from the collision levels to
// the best of several code versions and does not say how a regression tree names
// one. Here each form has a tree for ln(its time/the fastest form's), and
// the form of the smallest prediction is chosen, the earlier one of equals, and the first for an
// input that is alone.
func (m *measured) choose() error {
	m.chosen = make([]int, len(m.inputs))
	if len(m.inputs) == 1 {
		return nil
	}
	for i := range m.inputs {
		least := math.Inf(1)
		for f := range m.forms {
			x, y := m.without(i, f)
			tree, err := regtree.Sort(x, y).Fit(func(int) bool { return true },
				regtree.Options{MaxLeaves: len(x), MinLeaf: 2})
			if err != nil {
				return err
			}
			if p := tree.Predict(m.inputs[i].levels[:])[0]; p < least {
				m.chosen[i], least = f, p
			}
		}
	}
	return nil
}

// without is the training table of a form with one input held out.
func (m *measured) without(held, form int) (x [][]float64, y []float64) {
	for i := range m.inputs {
		if i == held {
			continue
		}
		x = append(x, m.inputs[i].levels[:])
		y = append(y, math.Log(m.us[i][form]/m.best(i)))
	}
	return x, y
}

// best is the time of the fastest form.
func (m *measured) best(i int) float64 { return slices.Min(m.us[i]) }

// times are the times of a form, by input.
func (m *measured) times(of appForm) []float64 {
	at := m.place(of)
	return papers.List(len(m.us), func(i int) float64 { return m.us[i][at] })
}

// chosenTimes are the times of the chosen forms, by input.
func (m *measured) chosenTimes() []float64 {
	return papers.List(len(m.us), func(i int) float64 { return m.us[i][m.chosen[i]] })
}

// bestTimes are the times of the fastest forms, by input.
func (m *measured) bestTimes() []float64 { return papers.List(len(m.us), m.best) }

// ratios returns how many times as fast as the base the others are.
func ratios(base, others []float64) []float64 {
	return papers.List(len(base), func(i int) float64 { return base[i] / others[i] })
}

// speedups returns how many times as fast as the base form the form is, by
// input.
func (m *measured) speedups(of, base appForm) []float64 {
	return ratios(m.times(base),
		m.times(of))
}

// offOptimal is the mean, over the inputs, of how much longer the chosen form
// takes than the fastest one, in percent: "% Off Opt." of Tables 1 to 3.
func (m *measured) offOptimal() float64 {
	sum := 0.0
	for i, us := range m.us {
		sum += us[m.chosen[i]]/m.best(i) - 1
	}
	return 100 * sum / float64(len(m.us))
}

// narrowed keeps the inputs for which keep is true, with what was chosen for them.
func (m *measured) narrowed(keep func(input) bool) measured {
	var order []int
	for i, in := range m.inputs {
		if keep(in) {
			order = append(order, i)
		}
	}
	return m.ordered(order)
}

// byLevel sorts the inputs by rising warp level.
func (m *measured) byLevel() measured {
	order := papers.List(len(m.inputs), func(i int) int { return i })
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(m.inputs[a].levels[0], m.inputs[b].levels[0])
	})
	return m.ordered(order)
}

// ordered takes inputs by their numbers.
func (m *measured) ordered(order []int) measured {
	out := measured{job: m.job}
	for _, i := range order {
		out.inputs, out.us = append(out.inputs, m.inputs[i]), append(out.us, m.us[i])
		out.chosen = append(out.chosen, m.chosen[i])
	}
	return out
}

// names are the names of the inputs.
func (m *measured) names() []string {
	return papers.List(len(m.inputs), func(i int) string { return m.inputs[i].name })
}

// extent is the smallest, the largest and the mean of some speedups.
type extent struct{ least, most, mean float64 }

func extentOf(values []float64) extent {
	e := extent{values[0], values[0], 0}
	for _, v := range values {
		e.least, e.most, e.mean = min(e.least, v), max(e.most, v), e.mean+v/float64(len(values))
	}
	return e
}

// count returns how many of the values satisfy the condition.
func count(values []float64, condition func(float64) bool) int {
	n := 0
	for _, v := range values {
		if condition(v) {
			n++
		}
	}
	return n
}
