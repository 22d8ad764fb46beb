package hwsim

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/impl/relayout"
)

// BenchmarkRelayout times the host's share of ss: the figure behind the
// relayout quantity of the device profiles.
func BenchmarkRelayout(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 1 << 22
	indices := make([]uint32, n)
	for _, bins := range []uint64{256, 65536, 1 << 20} {
		for i := range indices {
			indices[i] = uint32(rng.Uint64N(bins))
		}
		b.Run(fmt.Sprintf("k=%d", bins), func(b *testing.B) {
			for range b.N {
				kernel.Permute(indices, relayout.Order(indices, bins))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/update")
		})
	}
}
