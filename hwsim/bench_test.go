package hwsim

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/relayout"
	"github.com/atomtune/atomtune/variant"
)

// BenchmarkRun reports simulated warp instructions per second on one core.
func BenchmarkRun(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 1 << 18
	for _, dev := range []string{"h200", "gtx680"} {
		for _, name := range []string{"naive", "sr", "vr", "peers", "private", "private:r=8,pad=1",
			"sort", "threadprivate"} {
			for _, bins := range []uint64{64, 65536} {
				d := profile(b, dev)
				v, err := variant.Parse(name)
				if err != nil {
					b.Fatal(err)
				}
				if d.CanRun(v, device.F32, bins) != nil {
					continue
				}
				indices := make([]uint32, n)
				for i := range indices {
					indices[i] = uint32(rng.Uint64N(bins))
				}
				b.Run(fmt.Sprintf("device=%s/impl=%s/k=%d", dev, name, bins), func(b *testing.B) {
					var instrs, events uint64
					var us float64
					for range b.N {
						r, err := Run(Config{Device: d, Variant: v, Call: device.Call{Type: device.F32}}, indices,
							bins)
						if err != nil || !r.Correct {
							b.Fatal(r.Correct, err)
						}
						instrs += r.WarpInstructions
						events += r.Events
						us = r.US
					}
					b.ReportMetric(float64(instrs)/b.Elapsed().Seconds(), "warp-instr/s")
					b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
					b.ReportMetric(us, "simulated-us")
				})
			}
		}
	}
}

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
