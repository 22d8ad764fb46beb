package learners

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/atomtune/atomtune/tuner/training"
)

// How the tree over the choice is grown.
const (
	choiceDepth = 8
	choiceLeaf  = 10
)

// chooser is a node of a tree over the choice. Its leaves rank implementations
// by their mean ln loss over the leaf's samples.
type chooser struct {
	feature     int // negative in a leaf
	threshold   float64
	left, right *chooser
	ranked      []float64 // mean ln loss by variant
}

// choiceTree grows one tree whose classes are the implementations and whose
// splits lower the summed ln loss of the best single choice of each side. What a
// sample was not simulated for costs as much as the worst that was.
func choiceTree(ctx context.Context, t *training.Training, _ uint64) (Scores, error) {
	g := &choiceGrower{samples: t.Samples}
	for i := range t.Samples {
		g.losses = append(g.losses, lossesOf(&t.Samples[i]))
	}
	root := g.grow(upTo(len(t.Samples)), 0)
	return func(s *training.Sample) []float64 {
		n := root
		for n.feature >= 0 {
			if s.X[n.feature] < n.threshold {
				n = n.left
			} else {
				n = n.right
			}
		}
		return n.ranked
	}, ctx.Err()
}

// lossesOf returns ln of each time over the best.
func lossesOf(s *training.Sample) []float64 {
	list, worst := make([]float64, len(s.Simulated)), 0.0
	for v := range list {
		if s.Has(v) {
			list[v] = math.Log(s.Simulated[v] / s.Best())
			worst = max(worst, list[v])
		}
	}
	for v := range list {
		if !s.Has(v) {
			list[v] = worst
		}
	}
	return list
}

type choiceGrower struct {
	samples []training.Sample
	losses  [][]float64 // by sample and variant
}

func (g *choiceGrower) grow(rows []int, depth int) *chooser {
	all := make([]float64, len(g.losses[0]))
	for _, i := range rows {
		for v, l := range g.losses[i] {
			all[v] += l
		}
	}
	n := &chooser{feature: -1, ranked: all}
	if feature, threshold, ok := g.split(rows, all); ok && depth < choiceDepth {
		var left, right []int
		for _, i := range rows {
			if g.samples[i].X[feature] < threshold {
				left = append(left, i)
			} else {
				right = append(right, i)
			}
		}
		n.feature, n.threshold = feature, threshold
		n.left, n.right = g.grow(left, depth+1), g.grow(right, depth+1)
	}
	for v := range n.ranked {
		n.ranked[v] /= float64(len(rows))
	}
	return n
}

// split returns the comparison of least summed loss, the first of equals.
func (g *choiceGrower) split(rows []int, all []float64) (feature int, threshold float64, ok bool) {
	least := slices.Min(all) - 1e-9
	sorted := slices.Clone(rows)
	for f := range g.samples[rows[0]].X {
		x := func(place int) float64 { return g.samples[sorted[place]].X[f] }
		slices.SortFunc(sorted, func(a, b int) int {
			return cmp.Or(cmp.Compare(g.samples[a].X[f], g.samples[b].X[f]), a-b)
		})
		left, right := make([]float64, len(all)), slices.Clone(all)
		for place := 0; place+choiceLeaf < len(sorted); place++ {
			for v, l := range g.losses[sorted[place]] {
				left[v] += l
				right[v] -= l
			}
			if place+1 < choiceLeaf || x(place) == x(place+1) {
				continue
			}
			if cost := slices.Min(left) + slices.Min(right); cost < least {
				least, feature, threshold, ok = cost, f, x(place+1), true
			}
		}
	}
	return feature, threshold, ok
}
