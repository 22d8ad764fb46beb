package machine

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
)

// BenchmarkScratchpad reports patterns of single warps per second, lanes on
// random words.
func BenchmarkScratchpad(b *testing.B) {
	for _, c := range []struct {
		device string
		op     device.Operation
		typ    device.Type
	}{
		{"gtx580", device.OpAdd, device.F32}, {"h200", device.OpAdd, device.F32},
		{"h200", device.OpAdd, device.F64}, {"h200", device.OpCASLoop, device.U32},
		{"h200", device.OpAdd, device.U32},
	} {
		for _, words := range []int{32, 256, 4096} {
			rng := rand.New(rand.NewPCG(1, 1))
			all := make([]patterns.Pattern, 1024)
			for i := range all {
				all[i] = make(patterns.Pattern, 32)
				patterns.Space{Words: words, Kind: patterns.Uniform}.Draw(rng, all[i])
			}
			s := scratchpad(b, c.device, c.op, c.typ)
			b.Run(fmt.Sprintf("device=%s/op=%s/type=%s/words=%d", c.device, c.op, c.typ, words),
				func(b *testing.B) {
					for i := range b.N {
						if _, err := s.Warp(all[i%len(all)]); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "patterns/s")
				})
		}
	}
}
