package hwsim

import (
	"testing"

	"github.com/atomtune/atomtune/device"
)

// TestUnrollOverlapsLoads: one warp that waits for its loads takes a quarter of the waiting where
// four iterations load at once.
func TestUnrollOverlapsLoads(t *testing.T) {
	d := profile(t, "h200")
	indices := make([]uint32, 64*32)
	for i := range indices {
		indices[i] = uint32(i)
	}
	cycles := func(unroll int) float64 {
		r := ran(t, Config{Device: d, Launch: device.Launch{Blocks: 1, Threads: 32, Unroll: unroll}},
			indices, uint64(len(indices)))
		return float64(r.Kernels[len(r.Kernels)-1].Cycles)
	}
	saved, load := (cycles(1)-cycles(4))/64, d.Global.LoadLatency.Value
	if saved < 0.7*load || saved > 0.8*load {
		t.Errorf("a turn saves %.0f of the %.0f cycles of its loads", saved, load)
	}
}

// TestRuleIsALaunch: to fix what the rule gives changes nothing.
func TestRuleIsALaunch(t *testing.T) {
	indices := drawnStream(5000, 300, true)
	for _, dev := range []string{"h200", "c2075"} {
		for _, name := range []string{"naive", "sr", "private:r=3,pad=1", "threadprivate"} {
			cfg := Config{Device: profile(t, dev), Implementation: parsed(t, name)}
			want := ran(t, cfg, indices, 300)
			s := cfg.Device.Limits().Shape(cfg.Implementation, device.Call{Type: device.U32}, 300, 5000, cfg.Launch)
			cfg.Launch = device.Launch{Blocks: s.Blocks, Threads: s.Threads, Unroll: s.Unroll}
			if got := ran(t, cfg, indices, 300); got.Cycles != want.Cycles {
				t.Errorf("%s on %s: %d cycles in launch %v, %d by the rule", name, dev, got.Cycles, cfg.Launch,
					want.Cycles)
			}
		}
	}
}
