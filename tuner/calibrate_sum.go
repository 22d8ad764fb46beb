package tuner

import "github.com/atomtune/atomtune/regtree"

// corrections returns the tree whose value is Tree's plus Measured's, to the
// bit: Measured stands in every leaf of Tree, without the comparisons whose
// outcome is known there. Without Measured it is Tree.
func (m *Implementation) corrections() (*regtree.Tree, error) {
	if m.Measured == nil {
		return m.Tree, nil
	}
	s := treeSum{first: m.Tree.Nodes(), second: m.Measured.Nodes()}
	s.add(0, nil)
	return regtree.New(featureNames[:], s.nodes)
}

// treeSum lays out the sum of two trees.
type treeSum struct {
	first, second, nodes []regtree.Node
}

// side is a comparison whose outcome is known.
type side struct {
	feature   int
	threshold float64
	left      bool
}

// add appends the sum below a node of the first tree and returns its place.
func (s *treeSum) add(i int, known []side) int {
	n := s.first[i]
	if n.Feature < 0 {
		return s.below(n.Leaf.Value, 0, known)
	}
	return s.compare(n, known,
		func(known []side) int { return s.add(n.Left, known) },
		func(known []side) int { return s.add(n.Right, known) })
}

// below appends what the second tree has below a node, each value added to one
// of the first.
func (s *treeSum) below(value float64, i int, known []side) int {
	n := s.second[i]
	if n.Feature < 0 {
		at := len(s.nodes)
		s.nodes = append(s.nodes, regtree.Node{Feature: -1, Leaf: constantLeaf(value+n.Leaf.Value, 1)})
		return at
	}
	return s.compare(n, known,
		func(known []side) int { return s.below(value, n.Left, known) },
		func(known []side) int { return s.below(value, n.Right, known) })
}

// compare appends a comparison, or only the side that it takes for certain.
func (s *treeSum) compare(n regtree.Node, known []side, left, right func([]side) int) int {
	for _, k := range known {
		switch {
		case k.feature != n.Feature:
		case k.left && k.threshold <= n.Threshold:
			return left(known)
		case !k.left && k.threshold >= n.Threshold:
			return right(known)
		}
	}
	at := len(s.nodes)
	s.nodes = append(s.nodes, regtree.Node{Feature: n.Feature, Threshold: n.Threshold})
	known = known[:len(known):len(known)]
	l := left(append(known, side{n.Feature, n.Threshold, true}))
	r := right(append(known, side{n.Feature, n.Threshold, false}))
	s.nodes[at].Left, s.nodes[at].Right = l, r
	return at
}
