package speedup

import (
	"math"

	"github.com/atomtune/atomtune/regtree"
)

// The features of a guideline: those that [elteir11] section VI-D names, and
// the workgroups of its Figures 8 to 13.
var guideFeatures = []string{"alu_fetch", "complete_accesses", "workgroups"}

// Guideline is a row of the table that says when to use a coordinator.
type Guideline struct {
	// ALUFetch is as Pipelined.ALUFetch gives it.
	ALUFetch float64
	// CompleteAccesses is how many accesses of a wavefront the device's own
	// atomic operation sends down the CompletePath, itself not counted.
	CompleteAccesses float64
	Workgroups       float64
	// Speedup is how many times as fast the kernel is with the coordinator.
	Speedup float64
}

// row returns the guideline as a row of features.
func (g Guideline) row() []float64 {
	return []float64{g.ALUFetch, g.CompleteAccesses, g.Workgroups}
}

// GuideKernel is the kernel of a guideline: one atomic addition of all lanes to
// one variable after so many loads, of which that share, rounded, ask for one
// word in all lanes, and after arithmetic in that ratio to the loads.
func (p Pipelined) GuideKernel(aluFetch, accesses, uniformShare float64) KernelWork {
	uniform := math.Round(accesses * uniformShare)
	w := KernelWork{Loads: accesses - uniform, UniformLoads: uniform}
	w.Cycles = math.Round(aluFetch * p.fetchCycles(w))
	return w
}

// Guidelines computes the table for kernels of which that share of the loads ask
// for one word in all lanes: 0 for a copy, 1/2 for a product of matrices, nearly
// 1 where every thread reads the same table, as in k-means.
func (p Pipelined) Guidelines(uniformShare float64) []Guideline {
	var rows []Guideline
	for _, ratio := range []float64{0.25, 0.5, 1, 2, 4, 8, 16} {
		for _, accesses := range []float64{1, 2, 3, 6, 12, 28, 37, 64, 128} {
			for _, groups := range []float64{2, 4, 8, 16, 24, 32, 48, 64, 96, 128} {
				w := p.GuideKernel(ratio, accesses, uniformShare)
				c := Concurrency{Lanes: p.Lanes, Workgroups: groups}
				rows = append(rows, Guideline{ratio, accesses, groups, p.KernelSpeedup(c, 1, w)})
			}
		}
	}
	return rows
}

// Guide is a small tree over guidelines.
type Guide struct{ tree *regtree.Tree }

// guideLeaves keeps the tree small enough to read.
const guideLeaves = 8

// NewGuide fits a tree to the logarithm of the rows' speedups. Errors are those
// of regtree.Fit.
func NewGuide(rows []Guideline) (Guide, error) {
	t := regtree.Table{Features: guideFeatures}
	for _, r := range rows {
		t.X = append(t.X, r.row())
		t.Y = append(t.Y, math.Log2(r.Speedup))
	}
	tree, err := regtree.Fit(t, regtree.Options{MaxLeaves: guideLeaves, MinLeaf: 5})
	return Guide{tree}, err
}

// Speedup estimates how many times as fast a kernel is with the coordinator; the
// row's own speedup is not read. Above 1 the coordinator is the better choice.
func (g Guide) Speedup(row Guideline) float64 { return math.Exp2(g.tree.Predict(row.row())) }

// Why returns the comparisons that lead to the estimate.
func (g Guide) Why(row Guideline) string { return g.tree.Path(row.row()).String() }

// String prints the tree; its leaves are base-2 logarithms of speedups.
func (g Guide) String() string { return g.tree.String() }
