//go:build amd64 && !purego

package collision

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestVectorEqualsPortable compares the kernels of all vector instructions that the processor has
// with portable code, bit for bit.
func TestVectorEqualsPortable(t *testing.T) {
	for _, vectors := range processorVectors() {
		checked := 0
		for dist := range streams {
			for _, block := range []int{32, 64, 128, 160, 256, 384, 512, 1024} {
				for _, k := range []uint64{2, 32, 300, 5000, 1 << 32} {
					opt := Options{WarpSize: 32, BlockSize: block}
					keys := draw(dist, k, 13*1024, k)
					keys = keys[:len(keys)/block*block]
					opt.Vectors = VectorsNone
					want := newKernel(opt).measure(keys)
					opt.Vectors = vectors
					got := newKernel(opt).measure(keys)
					if diff := cmp.Diff(want, got, cmp.AllowUnexported(sums{}, partial{})); diff != "" {
						t.Fatalf("dist=%s block=%d k=%d: none against %s:\n%s",
							streams[dist].name, block, k, vectors, diff)
					}
					checked++
				}
			}
		}
		if want := len(streams) * 8 * 5; checked != want {
			t.Errorf("%s: checked %d streams, want %d", vectors, checked, want)
		}
	}
}
