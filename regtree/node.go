package regtree

import (
	"fmt"
	"math"
	"slices"
)

// A Node is one node of a tree, in preorder: the left child of an inner node
// follows it, and its right child the last node below the left one.
type Node struct {
	Feature     int     // index of the compared feature; negative in a leaf
	Threshold   float64 // the left child takes feature < Threshold
	Left, Right int     // places of the children; New finds them, and in a leaf they are 0
	Leaf        Leaf    // statistics of the training rows; New reads a leaf's only
}

const leafFeature = -1

// New builds a tree from nodes in preorder. Statistics of inner nodes are always merged from the
// leaves, so that a fitted tree and the same tree decoded agree in every bit. The error wraps
// ErrEmpty or ErrFeature for the feature names, ErrNotFinite or ErrRange for a number, and ErrTree
// where a feature is out of range or the nodes are not those of one tree.
func New(features []string, nodes []Node) (*Tree, error) {
	if err := checkFeatures(features); err != nil {
		return nil, err
	}
	if len(nodes) > math.MaxInt32 {
		return nil, fmt.Errorf("%d nodes, at most %d: %w", len(nodes), math.MaxInt32, ErrRange)
	}
	t := &Tree{features: slices.Clone(features), nodes: slices.Clone(nodes)}
	var open []int // roots of the subtrees to the right, the nearest last
	for i := range slices.Backward(nodes) {
		if t.nodes[i].Feature >= 0 {
			if len(open) < 2 {
				return nil, fmt.Errorf("node %d: %d children: %w", i, len(open), ErrTree)
			}
			t.nodes[i].Left, t.nodes[i].Right = open[len(open)-1], open[len(open)-2]
			open = open[:len(open)-2]
		}
		if err := t.complete(i); err != nil {
			return nil, fmt.Errorf("node %d: %w", i, err)
		}
		open = append(open, i)
	}
	if len(open) != 1 {
		return nil, fmt.Errorf("%d nodes form %d trees: %w", len(nodes), len(open), ErrTree)
	}
	t.pairUp()
	return t, nil
}

// complete checks a node and sets what follows from its children.
func (t *Tree) complete(i int) error {
	n := &t.nodes[i]
	if n.Feature < 0 {
		*n = Node{Feature: leafFeature, Leaf: n.Leaf}
		return n.Leaf.check()
	}
	if n.Feature >= len(t.features) {
		return fmt.Errorf("feature %d of %d: %w", n.Feature, len(t.features), ErrTree)
	}
	if !finite(n.Threshold) {
		return fmt.Errorf("threshold %v: %w", n.Threshold, ErrNotFinite)
	}
	n.Leaf = merge(t.nodes[n.Left].Leaf, t.nodes[n.Right].Leaf)
	return nil
}

// Nodes returns the nodes in preorder, with statistics in all of them. New
// turns them back into the same tree.
func (t *Tree) Nodes() []Node { return slices.Clone(t.nodes) }
