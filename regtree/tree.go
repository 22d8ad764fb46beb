package regtree

import "slices"

// A Tree is a fitted regression tree, immutable and safe for concurrent use. It comes from Fit or New;
// the zero Tree holds no nodes and predicts nothing.
type Tree struct {
	features []string
	nodes    []Node
	walk     []visit // the same nodes as Predict goes through them
	steps    []visit // and as PredictAll does
}

// Features returns the names of the features in the order of Predict's x.
func (t *Tree) Features() []string { return slices.Clone(t.features) }

// NumLeaves returns the number of leaves: a binary tree of n nodes has (n+1)/2.
func (t *Tree) NumLeaves() int { return (len(t.nodes) + 1) / 2 }

// NumNodes returns the number of nodes, leaves among them.
func (t *Tree) NumNodes() int { return len(t.nodes) }

// visit is a node as Predict reads it, 16 bytes, so that four share a cache
// line. Siblings are neighbours: the side is then an addition instead of a
// jump, and rows that differ cost no mispredicted branches.
type visit struct {
	number  float64 // threshold, or the prediction of a leaf
	feature int32   // negative in a leaf
	next    int32   // the right child, which follows the left; in a leaf, its place in preorder
}

// Predict returns the mean target of the training rows in the leaf that x reaches, without
// allocating. x holds one value per feature, in the order of Features; a shorter x panics. A NaN
// goes right.
func (t *Tree) Predict(x []float64) float64 { return find(t.walk, x).number }

// Find returns the place in Nodes of the leaf that x reaches.
func (t *Tree) Find(x []float64) int { return int(find(t.walk, x).next) }

// At returns the statistics of the training rows at the node of that place.
func (t *Tree) At(place int) Leaf { return t.nodes[place].Leaf }

// Leaf returns the statistics of the training rows in the leaf that x reaches.
func (t *Tree) Leaf(x []float64) Leaf { return t.At(t.Find(x)) }

func find(walk []visit, x []float64) *visit {
	v := &walk[0]
	for v.feature >= 0 {
		var left int32
		if x[v.feature] < v.number {
			left = 1
		}
		v = &walk[v.next-left]
	}
	return v
}

// pairUp lays the nodes out breadth first, siblings together.
func (t *Tree) pairUp() {
	t.walk = make([]visit, 1, len(t.nodes))
	place := make([]int, 1, len(t.nodes)) // in preorder, of each visit
	for at := 0; at < len(t.walk); at++ {
		n := t.nodes[place[at]]
		if n.Feature < 0 {
			t.walk[at] = visit{n.Leaf.Value, leafFeature, int32(place[at])}
			continue
		}
		t.walk = append(t.walk, visit{}, visit{})
		place = append(place, n.Left, n.Right)
		t.walk[at] = visit{n.Threshold, int32(n.Feature), int32(len(t.walk) - 1)}
	}
	t.steps = looped(t.walk)
}
