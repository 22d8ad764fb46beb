//go:build amd64 && !purego

package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestVectorEqualsPortable compares the kernels of all vector instructions that the processor has
// with portable code, bit for bit.
func TestVectorEqualsPortable(t *testing.T) {
	const n = 13 * 1024
	r := rand.New(rand.NewPCG(1, 2))
	for _, vectors := range processorVectors() {
		checked := 0
		for name, draw := range map[string]func(i int, k uint64) uint32{
			"uniform":  func(_ int, k uint64) uint32 { return uint32(r.Uint64N(k)) },
			"constant": func(_ int, k uint64) uint32 { return uint32(k / 2) },
			"sorted":   func(i int, k uint64) uint32 { return uint32(uint64(i) * k / n) },
			"strided":  func(i int, k uint64) uint32 { return uint32(uint64(i) * 32 % k) },
			"skewed": func(_ int, k uint64) uint32 {
				x := r.Float64()
				return uint32(float64(k) * x * x * x * x)
			},
		} {
			for _, block := range []int{32, 64, 128, 160, 256, 384, 512, 1024} {
				for _, k := range []uint64{2, 32, 300, 5000, 1 << 32} {
					keys := make([]uint32, n/block*block)
					for i := range keys {
						keys[i] = draw(i, k)
					}
					opt := Options{WarpSize: 32, BlockSize: block, Vectors: VectorsNone}
					want := New(opt).Measure(keys)
					opt.Vectors = vectors
					if diff := cmp.Diff(want, New(opt).Measure(keys)); diff != "" {
						t.Fatalf("%s, block=%d k=%d: none against %s:\n%s", name, block, k, vectors, diff)
					}
					checked++
				}
			}
		}
		if want := 5 * 8 * 5; checked != want {
			t.Errorf("%s: checked %d streams, want %d", vectors, checked, want)
		}
	}
}
