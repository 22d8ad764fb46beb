package trees

import (
	"math"

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
