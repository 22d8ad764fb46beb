package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/atomtune/atomtune/variant"
)

// A Forest corrects predicted times by what was measured: in ln of the time, the mean of trees
// that all implementations share [breiman96]. It is not changed once it is made.
type Forest struct {
	Implementations []variant.Variant `json:"implementations"` // in the order of a leaf's values
	Trees           []SharedTree      `json:"trees"`

	once  sync.Once
	walks []walk
}

// A SharedTree compares features of stream and call. Its nodes stand in preorder.
type SharedTree struct {
	Features   []int     `json:"features"`   // that a node compares, by number; -1: it is a leaf
	Thresholds []float64 `json:"thresholds"` // of the comparisons: what lies below goes left, first
	Leaves     [][]int32 `json:"leaves"`     // corrections of ln of the time, over ForestStep
}

// ForestStep is what the corrections of a Forest are multiples of, in ln of the time.
const ForestStep = 1e-4

// mostShared bounds the values of a leaf and the trees, so that sums need no memory of their own
// and stay within their type.
const mostShared = 64

// walk is a tree as predictions go through it, as in package regtree.
type walk struct {
	steps  []step
	leaves []int32 // one behind the other
}

// step is a node. Siblings are neighbours: the side is then an addition instead of a jump.
type step struct {
	threshold float64
	feature   int32 // -1 in a leaf
	next      int32 // the right child, which follows the left; in a leaf, where its values begin
}

// prepared returns the trees as predictions go through them.
func (f *Forest) prepared() []walk {
	f.once.Do(func() {
		for i := range f.Trees {
			t := &f.Trees[i]
			w := walk{steps: make([]step, 1, len(t.Features)), leaves: slices.Concat(t.Leaves...)}
			node, comparison, values := 0, 0, int32(0)
			var lay func(at int)
			lay = func(at int) {
				feature := t.Features[node]
				node++
				if feature < 0 {
					w.steps[at] = step{feature: -1, next: values}
					values += int32(len(f.Implementations))
					return
				}
				left := len(w.steps)
				w.steps[at] = step{t.Thresholds[comparison], int32(feature), int32(left + 1)}
				comparison++
				w.steps = append(w.steps, step{}, step{})
				lay(left)
				lay(left + 1)
			}
			lay(0)
			f.walks = append(f.walks, w)
		}
	})
	return f.walks
}

// columns returns the places of implementations among a leaf's values, -1 for none.
func (f *Forest) columns(list []variant.Variant) []int {
	places := make([]int, len(list))
	for i, v := range list {
		places[i] = slices.Index(f.Implementations, v)
	}
	return places
}

// Corrections writes the corrections of the implementations at these places of a leaf's values, in
// ln of the time.
func (f *Forest) Corrections(x []float64, places []int, into []float64) {
	var sums [mostShared]int32
	walks := f.prepared()
	for i := range walks {
		row := walks[i].find(x, len(f.Implementations))
		for v, y := range row[:min(len(row), mostShared)] {
			sums[v] += y
		}
	}
	unit := ForestStep / float64(len(walks))
	for k, place := range places {
		into[k] = 0
		if place >= 0 {
			into[k] = float64(sums[place]) * unit
		}
	}
}

// find returns the values of the leaf that x reaches.
func (w *walk) find(x []float64, values int) []int32 {
	s := &w.steps[0]
	for s.feature >= 0 {
		var left int32
		if x[s.feature] < s.threshold {
			left = 1
		}
		s = &w.steps[s.next-left]
	}
	return w.leaves[s.next:][:values]
}

// check reports what no calibration gives.
func (f *Forest) check() error {
	if trees, values := len(f.Trees), len(f.Implementations); min(trees, values) == 0 ||
		max(trees, values) > mostShared {
		return fmt.Errorf("a forest of %d trees for %d implementations", trees, values)
	}
	for i := range f.Trees {
		if err := f.Trees[i].check(len(f.Implementations)); err != nil {
			return err
		}
	}
	return nil
}

func (t *SharedTree) check(implementations int) error {
	open, comparisons, wrong := 1, 0, false // subtrees that are to come
	for _, feature := range t.Features {
		wrong = wrong || open == 0 || feature < -1 || feature >= NumStreamFeatures
		open--
		if feature >= 0 {
			open += 2
			comparisons++
		}
	}
	for _, leaf := range t.Leaves {
		wrong = wrong || len(leaf) != implementations
		for _, v := range leaf {
			wrong = wrong || math.Abs(float64(v))*ForestStep > MaxLogFactor
		}
	}
	if wrong || open != 0 || comparisons != len(t.Thresholds) || comparisons+1 != len(t.Leaves) ||
		slices.ContainsFunc(t.Thresholds, func(v float64) bool { return !finite(v) }) {
		return errors.New("a shared tree with nodes that belong to none, or without all of its own")
	}
	return nil
}
