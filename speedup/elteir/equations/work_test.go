package equations_test

import (
	"testing"

	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/hwsim/coordinator/experiment"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/speedup/elteir/equations"
)

// working is a kernel in which every thread makes one addition after that work.
func working(groups int, w equations.KernelWork) *coordinator.Kernel {
	k := experiment.AtomicOnly(groups, 1, 64)
	for g := range k.Groups {
		k.Groups[g][0][0].Before = coordinator.Work{
			Loads: int(w.Loads), UniformLoads: int(w.UniformLoads), Stores: int(w.Stores),
			Cycles: int(w.Cycles),
		}
	}
	return k
}

// measured returns the cycles of a kernel with the coordinator and with the
// device's own atomic operation.
func measured(t *testing.T, k *coordinator.Kernel) (software, system float64) {
	t.Helper()
	o := coordinator.Options{Device: hd5870(t), Regime: experiment.Paths{}, AsPrinted: true}
	soft, err := coordinator.Run(k, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Atomics = coordinator.System
	sys, err := coordinator.Run(k, o)
	if err != nil {
		t.Fatal(err)
	}
	threads := uint32(64 * len(k.Groups))
	if want := threads * (threads - 1) / 2; soft.Final[0] != want || sys.Final[0] != want {
		t.Fatalf("the sums are %d and %d, want %d", soft.Final[0], sys.Final[0], want)
	}
	return soft.Cycles, sys.Cycles
}

// TestKernelWork holds the corrected forms with accesses and arithmetic against
// the device's queues.
func TestKernelWork(t *testing.T) {
	form, err := equations.NewPipelined(hd5870(t))
	if err != nil {
		t.Fatal(err)
	}
	var software, system, ratio deviations
	most := 64
	if golden.Full() {
		most = 128
	}
	for _, loads := range []float64{0, 4, 32} {
		for _, uniform := range []float64{0, 1, 8} {
			for _, stores := range []float64{0, 2} {
				for _, cycles := range []float64{0, 1000, 5000} {
					for _, groups := range []int{1, 8, 32, most} {
						w := equations.KernelWork{Loads: loads, UniformLoads: uniform, Stores: stores, Cycles: cycles}
						c := equations.Concurrency{Lanes: 64, Workgroups: float64(groups)}
						soft, sys := measured(t, working(groups, w))
						software.add(form.SoftwareKernelCycles(c, 1, w), soft)
						system.add(form.SystemKernelCycles(c, w), sys)
						ratio.add(form.KernelSpeedup(c, 1, w), sys/soft)
					}
				}
			}
		}
	}
	software.within(t, "coordinator", 200, 0.15, 0.3)
	system.within(t, "device", 200, 0.15, 0.3)
	ratio.within(t, "speedup", 200, 0.15, 0.3)
}
