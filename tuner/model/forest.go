package model

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/atomtune/atomtune/regtree"
	"github.com/atomtune/atomtune/variant"
)

// A Forest corrects predicted times by what was measured: in ln of the time, the mean of trees
// that all implementations share [breiman96]. It is not changed once it is made.
type Forest struct {
	Implementations []variant.Variant `json:"implementations"` // in the order of a leaf's values
	Trees           []SharedTree      `json:"trees"`

	once  sync.Once
	trees []*regtree.Tree // predict the places of leaves
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
const mostShared = 128

// places returns the tree that predicts the place of the leaf that a vector reaches.
func (t *SharedTree) places() (*regtree.Tree, error) {
	nodes := make([]regtree.Node, len(t.Features))
	comparisons, leaves := 0, 0
	for i, feature := range t.Features {
		nodes[i].Feature = feature
		if feature >= 0 {
			if comparisons < len(t.Thresholds) {
				nodes[i].Threshold = t.Thresholds[comparisons]
			}
			comparisons++
			continue
		}
		place := float64(leaves)
		nodes[i].Leaf = regtree.Leaf{Value: place, Min: place, Max: place, Count: 1}
		leaves++
	}
	if comparisons != len(t.Thresholds) || leaves != len(t.Leaves) {
		return nil, fmt.Errorf("a shared tree of %d comparisons and %d leaves: %d thresholds, %d values",
			comparisons, leaves, len(t.Thresholds), len(t.Leaves))
	}
	return regtree.New(FeatureNames[:NumStreamFeatures], nodes)
}

// prepared returns the trees of places, of a forest that was checked.
func (f *Forest) prepared() []*regtree.Tree {
	f.once.Do(func() {
		for i := range f.Trees {
			tree, err := f.Trees[i].places()
			if err != nil {
				panic(err)
			}
			f.trees = append(f.trees, tree)
		}
	})
	return f.trees
}

// Columns returns the places of implementations among a leaf's values, -1 for none.
func (f *Forest) Columns(list []variant.Variant) []int {
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
	trees := f.prepared()
	for i, tree := range trees {
		row := f.Trees[i].Leaves[int(tree.Predict(x))]
		for v, y := range row[:min(len(row), mostShared)] {
			sums[v] += y
		}
	}
	unit := ForestStep / float64(len(trees))
	for k, place := range places {
		into[k] = 0
		if place >= 0 {
			into[k] = float64(sums[place]) * unit
		}
	}
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
	for _, leaf := range t.Leaves {
		wrong := len(leaf) != implementations
		for _, v := range leaf {
			wrong = wrong || math.Abs(float64(v))*ForestStep > MaxLogFactor
		}
		if wrong {
			return fmt.Errorf("a shared tree with a leaf of %v", leaf)
		}
	}
	_, err := t.places()
	return err
}
