package hwsim

import (
	"testing"

	"github.com/atomtune/atomtune/device"
)

// TestPartOf: an SM of a part of a device has the share of every rate of memory that it has of
// the whole, and all else as there.
func TestPartOf(t *testing.T) {
	d, parts := profile(t, "h200"), 6
	p := partOf(d, parts)
	for name, of := range map[string]func(*device.Profile) float64{
		"L2":      func(d *device.Profile) float64 { return d.Memory.L2Rate.Value },
		"DRAM":    func(d *device.Profile) float64 { return d.Memory.DRAMRate.Value },
		"atomics": func(d *device.Profile) float64 { return d.Memory.AtomicRate.Value },
	} {
		got, want := of(p)/p.Core.SMs.Value, of(d)/d.Core.SMs.Value
		if got < want*(1-1e-12) || got > want*(1+1e-12) {
			t.Errorf("%s: %v bytes/s an SM, want %v", name, got, want)
		}
	}
	if p.Core.SMs.Value != d.Core.SMs.Value/float64(parts) || p.Core.Clock != d.Core.Clock ||
		p.Global.Slices != d.Global.Slices || d.Core.SMs.Value != 132 {
		t.Errorf("%v SMs of %v", p.Core.SMs.Value, d.Core.SMs.Value)
	}
}

// TestEstimateWhole: a stream that is not longer than what an estimate would sample is simulated
// as a whole, and exactly.
func TestEstimateWhole(t *testing.T) {
	cfg := Config{Device: profile(t, "gtx680")}
	turn := cfg.turn(1<<20, 256)
	some := cfg.sampling().atLeast(cfg.resident(), turn)
	indices := drawnStream((some.long+1)*turn, 256, false)
	if len(indices) > some.whole*turn || len(indices) <= some.short*turn {
		t.Fatalf("%d updates in turns of %d, %+v", len(indices), turn, some)
	}
	r, err := Run(cfg, indices, 256)
	if err != nil {
		t.Fatal(err)
	}
	if us, err := Estimate(cfg, indices, 256); err != nil || us != r.US {
		t.Errorf("%v us, %v; want %v", us, err, r.US)
	}
}
