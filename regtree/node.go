package regtree

import (
	"fmt"
	"math"
	"slices"
)

// A Node describes one node of a tree to New, and one node of Tree.Nodes.
type Node struct {
	Feature     int     // index of the compared feature; negative in a leaf
	Threshold   float64 // the left child takes feature < Threshold
	Left, Right int     // indices of the children; not read in a leaf
	Leaf        Leaf    // statistics of the training rows; New reads a leaf's only
}

// New builds a tree from nodes in any order, the root first. It is the way in
// for trees that were trained elsewhere.
//
// The error wraps ErrEmpty or ErrFeature for the feature names, ErrNotFinite
// or ErrRange for a number, and ErrTree where a feature or child index is out
// of range, or where a node has two parents or none, as in a cycle.
func New(features []string, nodes []Node) (*Tree, error) {
	if err := checkFeatures(features); err != nil {
		return nil, err
	}
	b := builder{features: len(features)}
	if err := b.walk(nodes); err != nil {
		return nil, err
	}
	return assemble(features, b.split, b.threshold, b.leaf)
}

// builder collects a tree in preorder: the feature of every node, the
// threshold of every inner node, the statistics of every leaf.
type builder struct {
	features  int
	split     []int32
	threshold []float64
	leaf      []Leaf
}

func (b *builder) walk(nodes []Node) error {
	if len(nodes) == 0 {
		return fmt.Errorf("no nodes: %w", ErrTree)
	}
	if len(nodes) > math.MaxInt32 {
		return fmt.Errorf("%d nodes, at most %d: %w", len(nodes), math.MaxInt32, ErrRange)
	}
	seen := make([]bool, len(nodes))
	stack := []int{0}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if i < 0 || i >= len(nodes) {
			return fmt.Errorf("child %d of %d nodes: %w", i, len(nodes), ErrTree)
		}
		if seen[i] {
			return fmt.Errorf("node %d has two parents: %w", i, ErrTree)
		}
		seen[i] = true
		n := nodes[i]
		if n.Feature < 0 {
			b.addLeaf(n.Leaf)
			continue
		}
		if n.Feature >= b.features {
			return fmt.Errorf("node %d: feature %d of %d: %w", i, n.Feature, b.features, ErrTree)
		}
		b.addSplit(n.Feature, n.Threshold)
		stack = append(stack, n.Right, n.Left)
	}
	if lost := slices.Index(seen, false); lost >= 0 {
		return fmt.Errorf("node %d has no parent: %w", lost, ErrTree)
	}
	return nil
}

func (b *builder) addSplit(feature int, threshold float64) {
	b.split = append(b.split, int32(feature))
	b.threshold = append(b.threshold, threshold)
}

func (b *builder) addLeaf(l Leaf) {
	b.split = append(b.split, leafFeature)
	b.leaf = append(b.leaf, l)
}

// assemble links a preorder list into a tree and checks it. Statistics of
// inner nodes are always merged from the leaves here, so that a tree that was
// fitted and the same tree decoded agree in every bit.
func assemble(features []string, split []int32, threshold []float64, leaf []Leaf) (*Tree, error) {
	t := &Tree{
		features: slices.Clone(features),
		nodes:    make([]node, len(split)),
		stats:    make([]Leaf, len(split)),
	}
	inner, outer := len(threshold), len(leaf)
	var open []int32 // roots of the subtrees to the right, the nearest last
	for i := len(split) - 1; i >= 0; i-- {
		var err error
		if split[i] < 0 {
			outer--
			err = t.setLeaf(i, leaf, outer)
		} else {
			inner--
			open, err = t.setSplit(i, split[i], threshold, inner, open)
		}
		if err != nil {
			return nil, fmt.Errorf("node %d: %w", i, err)
		}
		open = append(open, int32(i))
	}
	if len(open) != 1 || inner != 0 || outer != 0 {
		return nil, fmt.Errorf("%d nodes form %d trees, with %d thresholds and %d leaves left over: %w",
			len(split), len(open), inner, outer, ErrTree)
	}
	t.pairUp()
	return t, nil
}

func (t *Tree) setLeaf(i int, leaf []Leaf, at int) error {
	if at < 0 {
		return fmt.Errorf("more leaves than leaf statistics: %w", ErrTree)
	}
	if err := leaf[at].check(); err != nil {
		return err
	}
	t.stats[i] = leaf[at]
	t.nodes[i] = node{feature: leafFeature}
	return nil
}

// setSplit makes node i the parent of the two nearest open subtrees.
func (t *Tree) setSplit(
	i int, feature int32, threshold []float64, at int, open []int32,
) ([]int32, error) {
	if int(feature) >= len(t.features) {
		return nil, fmt.Errorf("feature %d of %d: %w", feature, len(t.features), ErrTree)
	}
	if at < 0 {
		return nil, fmt.Errorf("more splits than thresholds: %w", ErrTree)
	}
	if !finite(threshold[at]) {
		return nil, fmt.Errorf("threshold %v: %w", threshold[at], ErrNotFinite)
	}
	if len(open) < 2 {
		return nil, fmt.Errorf("%d children: %w", len(open), ErrTree)
	}
	left, right := open[len(open)-1], open[len(open)-2]
	t.nodes[i] = node{threshold: threshold[at], feature: feature, right: right}
	t.stats[i] = merge(t.stats[left], t.stats[right])
	return open[:len(open)-2], nil
}

// Nodes returns the nodes in preorder, with statistics in all of them. New
// turns them back into the same tree.
func (t *Tree) Nodes() []Node {
	nodes := make([]Node, len(t.nodes))
	for i, n := range t.nodes {
		nodes[i] = Node{Feature: leafFeature, Leaf: t.stats[i]}
		if n.feature >= 0 {
			nodes[i].Feature = int(n.feature)
			nodes[i].Threshold = n.threshold
			nodes[i].Left, nodes[i].Right = i+1, int(n.right)
		}
	}
	return nodes
}

// cut returns the tree in which every inner node for which stop holds is a
// leaf.
func (t *Tree) cut(stop func(i int) bool) (*Tree, error) {
	var b builder
	for i := 0; i < len(t.nodes); {
		n := t.nodes[i]
		if n.feature >= 0 && !stop(i) {
			b.addSplit(int(n.feature), n.threshold)
			i++
			continue
		}
		b.addLeaf(t.stats[i])
		i = t.end(i)
	}
	return assemble(t.features, b.split, b.threshold, b.leaf)
}

// end returns the index after the last node below node i.
func (t *Tree) end(i int) int {
	for t.nodes[i].feature >= 0 {
		i = int(t.nodes[i].right)
	}
	return i + 1
}
