package tuner

import (
	"math"

	"github.com/atomtune/atomtune/regtree"
)

// forest holds the trees of several implementations, laid out for walks that
// take the same number of steps whatever the features, several trees at a
// time: a processor then has no branch to guess and always a step to work on.
type forest struct{ nodes []flatNode }

// flatNode is one comparison. Its children stand side by side, the left one
// first. A leaf compares the feature that is below everything with its factor,
// exp(value), so that a prediction takes no exponential: it is its own left
// child and sends everything there.
type flatNode struct {
	threshold float64
	feature   uint32
	left      uint32
}

// flatTree is one tree of a forest.
type flatTree struct {
	root            uint32
	depth           int32
	lowest, highest float64 // of its factors
}

// newForest returns a forest whose node 0 is the tree with the one factor 1.
func newForest() *forest {
	f := &forest{}
	f.addLeaf(1)
	return f
}

func (f *forest) addLeaf(factor float64) {
	f.nodes = append(f.nodes, flatNode{threshold: factor, feature: belowAll, left: uint32(len(f.nodes))})
}

// add lays out one tree level by level; nil stands for the factor 1.
func (f *forest) add(t *regtree.Tree) flatTree {
	if t == nil {
		return flatTree{lowest: 1, highest: 1}
	}
	source, root := t.Nodes(), len(f.nodes)
	flat := flatTree{root: uint32(root), depth: int32(t.Depth()), lowest: math.Inf(1)}
	queue := []int{0} // places in source, by place behind root
	for at := 0; at < len(queue); at++ {
		n := source[queue[at]]
		if n.Feature < 0 {
			factor := math.Exp(n.Leaf.Value)
			f.addLeaf(factor)
			flat.lowest, flat.highest = min(flat.lowest, factor), max(flat.highest, factor)
			continue
		}
		f.nodes = append(f.nodes, flatNode{threshold: n.Threshold, feature: columnOf(n.Feature), left: uint32(root + len(queue))})
		queue = append(queue, n.Left, n.Right)
	}
	return flat
}

// lockstep is the number of trees that are walked together.
const lockstep = 8

// lanes holds the features of trees that are walked together: the columns of
// the stream once, those of its own implementation for each tree. A tree reads
// one of its own in the row of 32 of its place, and all others in the first.
type lanes [lockstep * (featureMask + 1)]float64

// inEachLane marks, in a node, a column that each tree has for itself.
const inEachLane = (lockstep - 1) * (featureMask + 1)

// columnOf returns a column as nodes hold it: masked by lane j's bits it is the
// place in lanes.
func columnOf(feature int) uint32 {
	if feature >= int(numStreamFeatures) {
		return uint32(feature) | inEachLane
	}
	return uint32(feature)
}

// stream returns the row that all trees read.
func (x *lanes) stream() *vector { return (*vector)(x[:featureMask+1]) }

// price fills in the own columns of the tree at that place.
func (x *lanes) price(place int, closedUS, perUpdate float64) {
	(*vector)(x[place%lockstep*(featureMask+1):]).price(closedUS, perUpdate)
}

// walk writes exp(tree(x)) of several trees by their roots, none deeper than
// depth. The features are finite.
func (f *forest) walk(root *[lockstep]uint32, depth int32, x *lanes, factors *[lockstep]float64) {
	const row = featureMask + 1
	nodes := f.nodes
	a, b, c, d, e, g, h, i := root[0], root[1], root[2], root[3], root[4], root[5], root[6], root[7]
	for range depth {
		a, b, c, d = nodes[a].next(x, 0*row), nodes[b].next(x, 1*row), nodes[c].next(x, 2*row), nodes[d].next(x, 3*row)
		e, g, h, i = nodes[e].next(x, 4*row), nodes[g].next(x, 5*row), nodes[h].next(x, 6*row), nodes[i].next(x, 7*row)
	}
	factors[0], factors[1], factors[2], factors[3] = nodes[a].threshold, nodes[b].threshold, nodes[c].threshold, nodes[d].threshold
	factors[4], factors[5], factors[6], factors[7] = nodes[e].threshold, nodes[g].threshold, nodes[h].threshold, nodes[i].threshold
}

// walkOne returns exp(tree(x)) of the tree in the first place.
func (f *forest) walkOne(root uint32, depth int32, x *lanes) float64 {
	nodes := f.nodes
	for range depth {
		root = nodes[root].next(x, 0)
	}
	return nodes[root].threshold
}

// next returns the child on the side of x.
func (n *flatNode) next(x *lanes, row uint32) uint32 {
	right := uint32(0)
	if x[n.feature&(featureMask|row)] >= n.threshold {
		right = 1
	}
	return n.left + right
}
