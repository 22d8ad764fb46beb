package hwsim

import (
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// kernelUS returns the time of the named kernel.
func kernelUS(t *testing.T, cfg Config, indices []uint32, bins uint64, name string) float64 {
	t.Helper()
	r := ran(t, cfg, indices, bins)
	for _, k := range r.Kernels {
		if k.Name == name {
			return float64(k.Cycles) / cfg.Device.Core.Clock.Value
		}
	}
	t.Fatalf("no kernel %s in %v", name, r.Kernels)
	return 0
}

// TestOneAddress holds the adds of one address to the device's interval
// between them.
func TestOneAddress(t *testing.T) {
	const n = 1 << 15
	for _, name := range []string{"h200", "gtx680", "c2075"} {
		d := profile(t, name)
		cfg := Config{Device: d, Call: device.Call{Type: device.F32}}
		got := kernelUS(t, cfg, make([]uint32, n), 1, "naive")
		want := n * d.GlobalAtomic(device.F32).SameAddress.Value / d.Core.Clock.Value
		if got < want || got > want*1.05+3 {
			t.Errorf("%s: %.1f us for %d adds to one address, want %.1f", name, got, n, want)
		}
	}
}

// TestIndependentAtomics holds updates of consecutive addresses, all in L2, to 24 per core clock of Fermi
// (NVIDIA GeForce GTX 680 whitepaper), which is two cycles of its shaders.
func TestIndependentAtomics(t *testing.T) {
	const n, bins = 1 << 18, 1 << 16
	indices := make([]uint32, n)
	for i := range indices {
		indices[i] = uint32(i % bins)
	}
	for _, name := range []string{"c2075", "gtx580"} {
		d := profile(t, name)
		cfg := Config{Device: d, Call: device.Call{Operand: device.One}}
		got := n / (kernelUS(t, cfg, indices, bins, "naive") * d.Core.Clock.Value)
		if got < 11 || got > 12 {
			t.Errorf("%s: %.1f per shader cycle, want nearly 12", name, got)
		}
	}
}

// TestTwoAddresses checks that no pair of addresses is served differently
// because of where the simulator keeps its books.
func TestTwoAddresses(t *testing.T) {
	const n = 1 << 13
	d := profile(t, "c2075")
	cfg := Config{Device: d, Call: device.Call{Type: device.F32}}
	var least, most float64
	for second := uint32(50); second < 110; second++ {
		indices := make([]uint32, n)
		for i := range indices {
			indices[i] = 49
			if i%2 == 1 {
				indices[i] = second
			}
		}
		us := kernelUS(t, cfg, indices, 128, "naive")
		if least == 0 || us < least {
			least = us
		}
		most = max(most, us)
	}
	if most > 1.1*least {
		t.Errorf("two targets take %.1f to %.1f us", least, most)
	}
}

// TestStreaming holds a long stream without conflicts to the DRAM's rate.
func TestStreaming(t *testing.T) {
	d := profile(t, "gtx680")
	const n = 1 << 18
	indices := make([]uint32, n)
	for i := range indices {
		indices[i] = uint32(i / 32 % 32)
	}
	cfg := Config{Device: d, Call: device.Call{Type: device.F32},
		Implementation: impl.Spec{Reduction: impl.SR}}
	got := kernelUS(t, cfg, indices, 32, "sr")
	want := n * 8 / d.Memory.DRAMRate.Value * 1e6
	if got < want || got > 2*want {
		t.Errorf("%.1f us to read %d bytes, the memory takes %.1f", got, n*8, want)
	}
}

// TestMissesBeyondL2: targets that take more than what L2 keeps of them under atomics are served
// by DRAM in part, which takes longer; targets that it keeps are not.
func TestMissesBeyondL2(t *testing.T) {
	d := *profile(t, "c2075")
	d.Memory.DRAMRate.Value /= 64 // so that nothing else binds
	kept := d.Memory.L2AtomicBytes.Value / 4
	us := func(share float64) float64 {
		bins := int(share * kept)
		return kernelUS(t, Config{Device: &d}, drawnStream(1<<16, bins, false), uint64(bins), "naive")
	}
	half, most, beyond := us(0.5), us(0.95), us(1.5)
	if most > 1.1*half || beyond < 1.5*most {
		t.Errorf("%v us with half of what L2 keeps, %v with 0.95, %v with 1.5 of it", half, most, beyond)
	}
}
