// Package regtree fits and applies CART regression trees: binary trees whose
// inner nodes compare one feature with a threshold and whose leaves predict
// the mean targets of the training rows that reached them.
//
// A row goes left where feature < threshold and right otherwise, also with NaN. Trees are
// grown by the largest decrease of the squared error, summed over all targets. Every
// step is deterministic: the same rows and options give the same tree, bit for bit.
//
// References:
//
//	[breiman84] L. Breiman, J. Friedman, R. Olshen, C. Stone.
//	            Classification and Regression Trees. Wadsworth, 1984.
package regtree

import (
	"fmt"
	"math"
)

// A Node is one node of a Tree.
type Node struct {
	Feature   int     // number of the compared feature; negative in a leaf
	Threshold float64 // the left child takes feature < Threshold
	Right     int     // the place of the right child; in a leaf, how many leaves lie left of it
	// Values are what a fitted leaf predicts: the mean of each target over its training rows.
	Values []float64
}

// A Tree holds its nodes in preorder: the left child of an inner node follows it, and its right child the
// last node below the left one.
type Tree []Node

// Link makes a tree over so many features of nodes in preorder, whose Right it sets. The error names the
// node from which on they are not those of one tree, or whose threshold is not finite.
func Link(nodes []Node, features int) (Tree, error) {
	leaves, end := 0, 0
	var open []int // inner nodes whose right child is to come
	for at := range nodes {
		switch n := &nodes[at]; {
		case at > 0 && end > 0:
			return nil, fmt.Errorf("node %d belongs to no other", at)
		case n.Feature >= features:
			return nil, fmt.Errorf("node %d: feature %d of %d", at, n.Feature, features)
		case n.Feature >= 0 && (math.IsNaN(n.Threshold) || math.IsInf(n.Threshold, 0)):
			return nil, fmt.Errorf("node %d: threshold %v", at, n.Threshold)
		case n.Feature >= 0:
			open = append(open, at)
		default:
			n.Right = leaves
			leaves++
			if len(open) == 0 {
				end = at + 1
				break
			}
			nodes[open[len(open)-1]].Right = at + 1
			open = open[:len(open)-1]
		}
	}
	if end == 0 {
		return nil, fmt.Errorf("it ends after %d nodes", len(nodes))
	}
	return nodes, nil
}

// Next returns the place of the child to which x goes from an inner node.
func (t Tree) Next(at int, x []float64) int {
	if n := &t[at]; !(x[n.Feature] < n.Threshold) {
		return n.Right
	}
	return at + 1
}

// Find returns the place of the leaf that x reaches, without allocating. x holds one value per feature.
func (t Tree) Find(x []float64) int {
	at := 0
	for t[at].Feature >= 0 {
		at = t.Next(at, x)
	}
	return at
}

// Predict returns the mean targets of the training rows in the leaf that x reaches.
func (t Tree) Predict(x []float64) []float64 { return t[t.Find(x)].Values }
