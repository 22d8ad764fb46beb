package regtree_test

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/regtree"
)

func BenchmarkFit(b *testing.B) {
	for _, rows := range []int{1000, 10000, 100000} {
		b.Run(fmt.Sprintf("rows=%d/features=6/depth=8", rows), func(b *testing.B) {
			table := smooth(rows, 6, 1)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := regtree.Fit(table, regtree.Options{MaxDepth: 8}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPredictAll takes as many rows at a time. Its time is of one row.
func BenchmarkPredictAll(b *testing.B) {
	for _, o := range []regtree.Options{{MaxDepth: 8}, {MaxDepth: 10, MinLeaf: 5}, {}} {
		table := smooth(20000, 6, 1)
		tree, err := regtree.Fit(table, o)
		if err != nil {
			b.Fatal(err)
		}
		x := table.X[:16384]
		out := make([]float64, len(x))
		b.Run(fmt.Sprintf("depth=%d/leaves=%d/rows=%d", depth(tree.Nodes(), 0), tree.NumLeaves(), len(x)),
			func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					tree.PredictAll(x, out)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(x)), "ns/row")
			})
	}
}
