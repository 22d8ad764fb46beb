package regtree_test

import (
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/regtree"
	"pgregory.net/rapid"
)

// cheapest returns the least cost of any subtree below node i, and the fewest
// leaves that reach it, by trying both choices at every node.
func cheapest(nodes []regtree.Node, i int, alpha float64) (cost float64, leaves int) {
	n := nodes[i]
	share := float64(n.Leaf.Count) / float64(nodes[0].Leaf.Count)
	cost, leaves = n.Leaf.StdDev*n.Leaf.StdDev*share+alpha, 1
	if n.Feature < 0 {
		return cost, leaves
	}
	l, lLeaves := cheapest(nodes, n.Left, alpha)
	r, rLeaves := cheapest(nodes, n.Right, alpha)
	if l+r < cost-1e-12 {
		return l + r, lLeaves + rLeaves
	}
	return cost, leaves
}

func TestPruneFindsTheCheapestSubtree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree, err := regtree.Fit(anyTable(t), regtree.Options{})
		if err != nil {
			t.Fatal(err)
		}
		before, alpha := tree.Nodes(), rapid.Float64Range(1e-6, 4).Draw(t, "alpha")
		pruned, err := tree.Prune(alpha)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(before, tree.Nodes()) {
			t.Fatal("Prune changed the tree")
		}
		wantCost, wantLeaves := cheapest(before, 0, alpha)
		if cost := trainingError(pruned) +
			alpha*float64(pruned.NumLeaves()); math.Abs(cost-wantCost) > 1e-9 {
			t.Fatalf("alpha %v: cost %v, want %v", alpha, cost, wantCost)
		}
		// At the very alpha at which subtrees cost the same, rounding decides.
		_, below := cheapest(tree.Nodes(), 0, alpha*(1-1e-9))
		_, above := cheapest(tree.Nodes(), 0, alpha*(1+1e-9))
		if below == above && pruned.NumLeaves() != wantLeaves {
			t.Fatalf("alpha %v: %d leaves, want %d", alpha, pruned.NumLeaves(), wantLeaves)
		}
	})
}

// trainingError is the mean squared error over the training rows.
func trainingError(tree *regtree.Tree) float64 {
	cost, _ := cheapest(tree.Nodes(), 0, 0)
	return cost
}

// TestAlphasDescribeTheirTrees: at each alpha the tree has fewer leaves than at the
// one before, and fits its rows no better.
func TestAlphasDescribeTheirTrees(t *testing.T) {
	tree := mustFit(t, smooth(300, 3, 2), regtree.Options{})
	alphas := tree.Alphas()
	slices.Sort(alphas)
	alphas = slices.Compact(alphas)
	if len(alphas) < 20 || alphas[0] != 0 {
		t.Fatalf("%d alphas from %v", len(alphas), alphas[0])
	}
	leaves, mse := 301, 0.0
	for i, alpha := range alphas {
		pruned, err := tree.Prune(alpha)
		if err != nil {
			t.Fatal(err)
		}
		have := trainingError(pruned)
		if pruned.NumLeaves() >= leaves || have < mse-1e-12 {
			t.Errorf("alpha %d: %d leaves with error %v after %d with %v", i, pruned.NumLeaves(), have,
				leaves, mse)
		}
		if i > 0 && math.Abs(have-mse-alpha*float64(leaves-pruned.NumLeaves())) > 1e-9 {
			t.Errorf("alpha %d: %v a leaf, the trees differ by %v", i, alpha,
				(have-mse)/float64(leaves-pruned.NumLeaves()))
		}
		leaves, mse = pruned.NumLeaves(), have
	}
	if leaves != 1 {
		t.Errorf("%d leaves at the greatest alpha", leaves)
	}
}
