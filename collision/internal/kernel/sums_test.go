package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAppend: the sums of stretches, one behind the other, are those of the whole stream.
func TestAppend(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, padded := range []bool{false, true} {
		for range 20 {
			keys := make([]uint32, 1+r.IntN(3000))
			for i := range keys {
				if keys[i] = r.Uint32N(3); padded && r.IntN(4) == 0 {
					keys[i] = Inactive
				}
			}
			k := New(Options{WarpSize: 32, BlockSize: 64, Padded: padded})
			var appended Sums
			for rest := keys; ; {
				n := min(64*r.IntN(9), len(rest))
				appended.Append(k.Measure(rest[:n]), padded)
				if rest = rest[n:]; len(rest) == 0 {
					break
				}
			}
			if diff := cmp.Diff(k.Measure(keys), appended); diff != "" {
				t.Fatalf("%d positions, padded %t (-whole +appended):\n%s", len(keys), padded, diff)
			}
		}
	}
}
