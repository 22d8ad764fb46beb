package trees

import (
	"cmp"
	"math"
	"slices"

	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/dispatch/grow"
	"github.com/atomtune/atomtune/tuner/model"
)

// table holds the measured times of a tree's candidates for each question that has them all.
type table struct {
	tree *dispatch.Tree
	rows []row
	// Missing is the number of questions of which an implementation of the tree's choice was not measured.
	missing int
}

type row struct {
	*question
	us []float64 // of each candidate, NaN where its form was not measured
}

func newTable(t *dispatch.Tree, questions []question) table {
	b := table{tree: t}
	for i := range questions {
		r := row{&questions[i], make([]float64, len(t.Candidates))}
		for k, a := range t.Candidates {
			r.us[k] = math.NaN()
			if us, there := r.question.us(a); there && r.has(a) {
				r.us[k] = us
			}
		}
		if math.IsNaN(r.us[t.Nodes[t.Find(&r.features)].Right]) {
			b.missing++
			continue
		}
		b.rows = append(b.rows, r)
	}
	return b
}

// loss is the distribution of what a choice takes over something, of the questions that have both.
func (b *table) loss(us, over func(r *row) float64) model.Loss {
	var ratios []float64
	for i := range b.rows {
		r := &b.rows[i]
		if ratio := us(r) / over(r); !math.IsNaN(ratio) {
			ratios = append(ratios, ratio)
		}
	}
	return model.LossOf(ratios)
}

func best(r *row) float64    { return r.best }
func byTuner(r *row) float64 { return r.chosen }

// byTree is the measured time of the tree's candidate.
func (b *table) byTree(r *row) float64 {
	return r.us[b.tree.Nodes[b.tree.Find(&r.features)].Right]
}

// wholeByTree is the measured time of the tree's candidate with what deciding costs besides.
func (b *table) wholeByTree(r *row) float64 {
	return b.byTree(r) + grow.OverheadUS(b.tree, &r.features)
}

// byCandidates is the least measured time of all candidates.
func (b *table) byCandidates(r *row) float64 {
	least := math.Inf(1)
	for _, us := range r.us {
		if us < least { // no NaN is
			least = us
		}
	}
	return least
}

// oneCandidate is the candidate that loses least on other questions.
func oneCandidate(fit *table) int {
	least, one := math.Inf(1), 0
	for a := range fit.tree.Candidates {
		sum, n := 0.0, 0.0
		for i := range fit.rows {
			if r := &fit.rows[i]; !math.IsNaN(r.us[a]) {
				sum, n = sum+math.Log(r.us[a]/r.best), n+1
			}
		}
		if mean := sum / n; 2*n > float64(len(fit.rows)) && mean < least {
			least, one = mean, a
		}
	}
	return one
}

// stump is a rule of depth 1: a comparison with a candidate on either side.
type stump struct {
	feature    int
	threshold  uint32
	candidates [2]int // at the threshold or above, and below it
}

func (s stump) us(r *row) float64 {
	if r.features[s.feature] < s.threshold {
		return r.us[s.candidates[1]]
	}
	return r.us[s.candidates[0]]
}

// bestStump is the rule of depth 1 that loses least on questions, of all.
func bestStump(fit *table) stump {
	logs := make([][]float64, len(fit.tree.Candidates))
	for a := range logs {
		for i := range fit.rows {
			r := &fit.rows[i]
			us := r.us[a]
			if math.IsNaN(us) {
				us = 2 * r.best // nobody knows: no rule should count on it
			}
			logs[a] = append(logs[a], math.Log(us/r.best))
		}
	}
	least, found := math.Inf(1), stump{}
	for feature := range dispatch.NumFeatures {
		order := make([]int, len(fit.rows))
		for i := range order {
			order[i] = i
		}
		value := func(i int) uint32 { return fit.rows[i].features[feature] }
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(value(a), value(b)) })
		left, right := make([]float64, len(logs)), make([]float64, len(logs))
		for a := range logs {
			for _, v := range logs[a] {
				right[a] += v
			}
		}
		for p, i := range order[:len(order)-1] {
			for a := range logs {
				left[a] += logs[a][i]
				right[a] -= logs[a][i]
			}
			if value(i) == value(order[p+1]) {
				continue
			}
			if sum := slices.Min(left) + slices.Min(right); sum < least {
				least, found = sum, stump{feature, value(order[p+1]), [2]int{
					slices.Index(right, slices.Min(right)), slices.Index(left, slices.Min(left))}}
			}
		}
	}
	return found
}

// byPrices is the measured time of the candidate that the closed forms price least, which know the
// exact statistics of the whole stream.
func byPrices(p *grow.Pricer) func(r *row) float64 {
	return func(r *row) float64 {
		prices, err := p.US(r.Stats, r.Call, nil)
		if err != nil {
			return math.NaN()
		}
		least, us := math.Inf(1), math.NaN()
		for a, price := range prices {
			if !math.IsNaN(r.us[a]) && price < least {
				least, us = price, r.us[a]
			}
		}
		return us
	}
}

// permuted is what the tree's choices lose in the mean, times the best, where each question has
// the feature of another one: permutation importance [breiman01].
//
//	[breiman01] L. Breiman. Random Forests. Machine Learning 45(1), 2001.
func (b *table) permuted(feature int) float64 {
	step := len(b.rows)/2 | 1 // questions of one stream stand together
	place := 0
	return b.loss(func(r *row) float64 {
		f := r.features
		f[feature] = b.rows[(place+step)%len(b.rows)].features[feature]
		place++
		return r.us[b.tree.Nodes[b.tree.Find(&f)].Right]
	}, best).GeometricMean
}
