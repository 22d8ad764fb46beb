package hwsim

import "testing"

// TestMissesBeyondL2: targets that take more than what L2 keeps of them under atomics are served
// by DRAM in part, which takes longer; targets that it keeps are not.
func TestMissesBeyondL2(t *testing.T) {
	d := *profile(t, "c2075")
	d.Memory.DRAMRate.Value /= 64 // so that nothing else binds
	kept := d.Memory.L2AtomicBytes.Value / 4
	us := func(share float64) float64 {
		bins := int(share * kept)
		r, err := Run(Config{Device: &d}, drawnStream(1<<16, bins, false), uint64(bins))
		if err != nil || !r.Correct {
			t.Fatalf("%v, correct: %t", err, r.Correct)
		}
		last := r.Kernels[len(r.Kernels)-1]
		return float64(last.Cycles) / d.Core.Clock.Value
	}
	half, most, beyond := us(0.5), us(0.95), us(1.5)
	if most > 1.1*half || beyond < 1.5*most {
		t.Errorf("%v us with half of what L2 keeps, %v with 0.95, %v with 1.5 of it", half, most, beyond)
	}
}
