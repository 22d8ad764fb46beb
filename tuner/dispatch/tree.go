package dispatch

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/regtree"
)

// The largest numbers of a tree's nodes, of those that are left behind the known features, which
// each block keeps in shared memory, and of its candidates.
const (
	MaxNodes      = 1023
	MaxCutNodes   = 383
	MaxCandidates = 32
)

// LeafFeature is in a leaf in place of a feature.
const LeafFeature = 255

// A Node is one node of a tree, in preorder: the left child of an inner node follows it.
type Node struct {
	Feature   uint8  // that is compared; LeafFeature in a leaf
	Threshold uint32 // the left child takes values below it; 0 in a leaf
	// Right is the place of the right child, and in a leaf the number of its candidate.
	Right uint16
}

// Leaf reports whether the node is a leaf.
func (n Node) Leaf() bool { return n.Feature == LeafFeature }

// An Candidate is what a leaf says to do.
type Candidate struct {
	Implementation impl.Spec `json:"implementation"`
	Launch         PerSM     `json:"launch"`
}

// PerSM is a launch for whatever number of multiprocessors. The zero one is that of the implementation's own
// kernels.
type PerSM struct {
	BlocksPerSM int `json:"blocks_per_sm"`
	Threads     int `json:"threads"` // of a block
	Unroll      int `json:"unroll"`  // turns whose loads go before the first add
}

func (a Candidate) String() string {
	if a.Launch == (PerSM{}) {
		return a.Implementation.String()
	}
	return fmt.Sprintf("%s at %dx%dx%d", a.Implementation, a.Launch.BlocksPerSM,
		a.Launch.Threads, a.Launch.Unroll)
}

// A Tree chooses a candidate by features.
type Tree struct {
	Device      string // of whose profile it was grown
	Title       string // the name on the box
	Major       int    // compute capability
	Minor       int
	SMs         int
	ProfileHash string // model.ProfileHash of the profile
	Nodes       []Node
	Candidates  []Candidate
	Evaluation  Evaluation
}

// Evaluation says how well a tree chooses for its training calls, by the times that it was grown on.
// Losses are times of the call, sample and walk included where the tree takes them, over that of
// the best of all candidates that were to choose from, without.
type Evaluation struct {
	Calls        int  `json:"calls"`
	Known        Loss `json:"known"`      // calls that the tree was grown on
	FamilyOut    Loss `json:"family_out"` // by trees that had seen no stream of the family
	Candidates   Loss `json:"actions"`    // the best of the tree's candidates after a sample
	OneCandidate Loss `json:"one_action"` // always the one of least mean
}

// Loss is a distribution of times of a choice over the best.
type Loss struct {
	GeometricMean float64 `json:"geometric_mean"`
	P90           float64 `json:"p90"`
	Max           float64 `json:"max"`
}

// Find returns the place of the leaf that the features reach.
func (t *Tree) Find(f *Features) int {
	path := t.Path(f)
	return path[len(path)-1]
}

// Choose returns the candidate of the leaf that the features reach.
func (t *Tree) Choose(f *Features) Candidate { return t.Candidates[t.Nodes[t.Find(f)].Right] }

// Path returns the places of the nodes from the root to the leaf that the features reach.
func (t *Tree) Path(f *Features) []int {
	places := []int{0}
	for at := 0; !t.Nodes[at].Leaf(); places = append(places, at) {
		if n := &t.Nodes[at]; f[n.Feature] >= n.Threshold {
			at = int(n.Right)
		} else {
			at++
		}
	}
	return places
}

// Cut returns the nodes that are left where the known features are those of f: of each comparison
// of one of them only the side that f takes. Find among the nodes gives the same candidate.
func (t *Tree) Cut(f *Features) (nodes []Node) { return t.cut(nil, f, 0) }

func (t *Tree) cut(nodes []Node, f *Features, at int) []Node {
	n := t.Nodes[at]
	switch {
	case n.Leaf():
		return append(nodes, n)
	case n.Feature >= NumKnown:
		place := len(nodes)
		nodes = t.cut(append(nodes, n), f, at+1)
		nodes[place].Right = uint16(len(nodes))
		return t.cut(nodes, f, int(n.Right))
	case f[n.Feature] < n.Threshold:
		return t.cut(nodes, f, at+1)
	}
	return t.cut(nodes, f, int(n.Right))
}

// Check returns an error that wraps ErrTree where the nodes are not those of one tree in preorder
// over the features and candidates.
func (t *Tree) Check() error {
	for _, name := range []string{t.Device, t.Title} { // comments and strings of sources hold them
		if strings.ContainsFunc(name, func(r rune) bool { return r == '\\' || !unicode.IsGraphic(r) }) ||
			strings.Contains(name, "*/") {
			return fmt.Errorf("%w: name %q holds more than a line of text", ErrTree, name)
		}
	}
	if len(t.Nodes) > MaxNodes {
		return fmt.Errorf("%w: %d nodes, at most %d", ErrTree, len(t.Nodes), MaxNodes)
	}
	if len(t.Candidates) > MaxCandidates {
		return fmt.Errorf("%w: %d candidates, at most %d", ErrTree, len(t.Candidates), MaxCandidates)
	}
	for i, a := range t.Candidates {
		if l := a.Launch; l.BlocksPerSM < 0 || l.Threads < 0 || l.Threads > 1024 || l.Unroll < 0 ||
			l.Unroll > 8 || (l.BlocksPerSM == 0) != (l.Threads == 0) ||
			(l.Threads == 0) != (l.Unroll == 0) {
			return fmt.Errorf("%w: candidate %d: launch %+v", ErrTree, i, l)
		}
	}
	nodes := make([]regtree.Node, len(t.Nodes))
	for at, n := range t.Nodes {
		switch nodes[at].Feature = int(n.Feature); {
		case n.Leaf() && int(n.Right) >= len(t.Candidates):
			return fmt.Errorf("%w: node %d: candidate %d of %d", ErrTree, at, n.Right, len(t.Candidates))
		case n.Leaf() && n.Threshold != 0:
			return fmt.Errorf("%w: node %d: a leaf with threshold %d", ErrTree, at, n.Threshold)
		case n.Leaf():
			nodes[at].Feature = -1
		case n.Threshold == 0:
			return fmt.Errorf("%w: node %d: no value is below threshold 0", ErrTree, at)
		}
	}
	linked, err := regtree.Link(nodes, NumFeatures)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrTree, err)
	}
	for at, n := range t.Nodes {
		if !n.Leaf() && int(n.Right) != linked[at].Right {
			return fmt.Errorf("%w: node %d: right child %d, want %d", ErrTree, at, n.Right, linked[at].Right)
		}
	}
	return nil
}
