package model

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/strictjson"
	"github.com/atomtune/atomtune/regtree"
)

// A Tree is a regression tree that corrects the times of all implementations of implementations. Its nodes stand
// in preorder.
type Tree struct {
	Implementations strictjson.List[string] `json:"forms"`      // impl.Name, in the order of a leaf's corrections
	Features        []int                   `json:"features"`   // that a node compares, by number; -1: it is a leaf
	Thresholds      []float64               `json:"thresholds"` // of the comparisons: what lies below goes left, first
	Leaves          strictjson.List[Leaf]   `json:"leaves"`

	once   sync.Once
	linked regtree.Tree
}

// A Leaf is what a tree says of the streams that reach it.
type Leaf struct {
	// Streams counts the simulated streams of the training by the class that the corrected times choose:
	// naive, reduced-collision, non-atomic.
	Streams [3]int `json:"streams"`
	// Corrections are ln(simulated/closed form) by implementation, over Step.
	Corrections []int32 `json:"corrections"`
}

// Step is what corrections are multiples of, in ln of the time.
const Step = 1e-4

// mostLeaves bounds a tree, and mostImplementations a leaf.
const mostLeaves, mostImplementations = 1024, 1024

// link returns the nodes of the tree. The error is that of regtree.Link, or tells of columns of unequal length.
func (t *Tree) link() (regtree.Tree, error) {
	nodes := make([]regtree.Node, len(t.Features))
	comparisons := 0
	for i, feature := range t.Features {
		if nodes[i].Feature = feature; feature < 0 {
			continue
		}
		if comparisons < len(t.Thresholds) {
			nodes[i].Threshold = t.Thresholds[comparisons]
		}
		comparisons++
	}
	if leaves := len(nodes) - comparisons; comparisons != len(t.Thresholds) || leaves != len(t.Leaves) {
		return nil, fmt.Errorf("a tree of %d comparisons and %d leaves: %d thresholds, %d corrections",
			comparisons, leaves, len(t.Thresholds), len(t.Leaves))
	}
	return regtree.Link(nodes, NumFeatures)
}

// nodes is link of a tree that was checked.
func (t *Tree) nodes() regtree.Tree {
	t.once.Do(func() {
		var err error
		if t.linked, err = t.link(); err != nil {
			panic(err)
		}
	})
	return t.linked
}

// Find returns the place of the leaf that a stream reaches.
func (t *Tree) Find(x *Vector) int {
	nodes := t.nodes()
	return nodes[nodes.Find(x[:])].Right
}

// Corrects reports whether the tree knows the implementation's implementation.
func (t *Tree) Corrects(v impl.Spec) bool { return slices.Contains(t.Implementations, v.Name()) }

// factors returns the corrections of implementations by leaf, as factors of the time: exp(correction),
// and 1 for an implementation that the tree does not know.
func (t *Tree) factors(list []impl.Spec) [][]float64 {
	factors := make([][]float64, len(t.Leaves))
	for l, leaf := range t.Leaves {
		factors[l] = make([]float64, len(list))
		for i, v := range list {
			factors[l][i] = 1
			if implementation := slices.Index(t.Implementations, v.Name()); implementation >= 0 {
				factors[l][i] = math.Exp(float64(leaf.Corrections[implementation]) * Step)
			}
		}
	}
	return factors
}

// A Comparison is one step from the root of a tree to a leaf.
type Comparison struct {
	Feature   string  `json:"feature"`
	Value     float64 `json:"value"` // of the stream
	Threshold float64 `json:"threshold"`
	Below     bool    `json:"below"` // whether the value lies below the threshold
}

// Path returns the comparisons that lead a stream to its leaf, logarithms undone.
func (t *Tree) Path(x *Vector) []Comparison {
	list := []Comparison{}
	nodes := t.nodes()
	for at := 0; nodes[at].Feature >= 0; at = nodes.Next(at, x[:]) {
		n := nodes[at]
		c := Comparison{Feature: FeatureNames[n.Feature], Value: x[n.Feature], Threshold: n.Threshold,
			Below: x[n.Feature] < n.Threshold}
		c.Feature, c.Value, c.Threshold = Plain(c.Feature, c.Value, c.Threshold)
		list = append(list, c)
	}
	return list
}

// check reports what no training gives.
func (t *Tree) check() error {
	if len(t.Leaves) > mostLeaves || len(t.Implementations) > mostImplementations {
		return fmt.Errorf("a tree of %d leaves for %d implementations", len(t.Leaves), len(t.Implementations))
	}
	for i, implementation := range t.Implementations {
		if v, err := impl.Parse(implementation); slices.Contains(t.Implementations[:i], implementation) ||
			implementation == "" ||
			err == nil && v.Name() != implementation {
			return fmt.Errorf("a tree with implementation %q", implementation)
		}
	}
	for _, leaf := range t.Leaves {
		wrong := len(leaf.Corrections) != len(t.Implementations) || min(leaf.Streams[0], leaf.Streams[1],
			leaf.Streams[2]) < 0
		for _, v := range leaf.Corrections {
			wrong = wrong || math.Abs(float64(v))*Step > MaxLogFactor
		}
		if wrong {
			return fmt.Errorf("a tree with leaf %+v", leaf)
		}
	}
	_, err := t.link()
	return err
}
