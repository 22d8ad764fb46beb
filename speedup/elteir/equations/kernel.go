package equations

// Accesses count the memory accesses of a wavefront by the path that they take,
// as the instruction listing of the kernel shows them: [elteir11] gives 3:28
// (FastPath to CompletePath) for matrix multiplication with the device's own
// atomic operation, and 30:0 with the coordinator.
type Accesses struct {
	Fast     float64 // MEM_RAT_CACHELESS and fetches
	Complete float64 // MEM_RAT
}

// Cycles is the time of the accesses, one after the other:
//
//	fast * t_fast + complete * t_comp
func (a Accesses) Cycles(t AccessTimes) float64 {
	return a.Fast*t.FastCycles + a.Complete*t.CompleteCycles
}

// MemorySpeedup is what [elteir11] section V leaves out because it "can be
// easily derived": how many times as fast a kernel's memory accesses are with
// the coordinator, in terms of x = t_comp/t_fast,
//
//	(fast_system + complete_system * x) / (fast_software + complete_software * x)
//
// It counts every access alike, as the paper does, whatever the lanes of a
// wavefront ask for.
func MemorySpeedup(system, software Accesses, x float64) float64 {
	return (system.Fast + system.Complete*x) / (software.Fast + software.Complete*x)
}

// AtomicKernel is a kernel as [elteir11] section V sees it: memory accesses,
// computation and atomic operations, which follow each other.
type AtomicKernel struct {
	Concurrency
	// Sides is on how many sides of a branch the lanes of a wavefront execute
	// the operation: 1 in a non-divergent kernel. Where lanes or workgroups do
	// not execute it at all, Concurrency holds only those that do.
	Sides float64
	// Atomics is how often each of them executes it.
	Atomics float64
	// System and Software are the accesses beside those of the atomic
	// operation, with the device's own one and with the coordinator.
	System, Software Accesses
	// ALUFetch is the ratio of the time for arithmetic to that for memory
	// accesses on the FastPath, as AMD's Stream KernelAnalyzer gives it.
	ALUFetch float64
}

// KernelTimes are the three components of a kernel's time, in cycles.
type KernelTimes struct {
	Memory, Atomic, Compute float64
}

// Cycles adds the components up, as [elteir11] section V does.
func (k KernelTimes) Cycles() float64 { return k.Memory + k.Atomic + k.Compute }

// ComputeCycles is the time for arithmetic, the same with both atomic
// operations:
//
//	ALU:Fetch * (fast_software + complete_software) * t_fast
func (k AtomicKernel) ComputeCycles(t AccessTimes) float64 {
	return k.ALUFetch * (k.Software.Fast + k.Software.Complete) * t.FastCycles
}

// SystemTimes are the components with the device's own atomic operation,
// equation (4) of [elteir11].
func (k AtomicKernel) SystemTimes(t AccessTimes) KernelTimes {
	return KernelTimes{
		Memory:  k.System.Cycles(t),
		Atomic:  k.Atomics * SystemAtomic(k.Concurrency, t.X()) * t.FastCycles,
		Compute: k.ComputeCycles(t),
	}
}

// SoftwareTimes are the components with the coordinator, equation (3) of
// [elteir11].
func (k AtomicKernel) SoftwareTimes(t AccessTimes) KernelTimes {
	return KernelTimes{
		Memory:  k.Software.Cycles(t),
		Atomic:  k.Atomics * BranchedSoftwareAtomic(k.Concurrency, k.Sides, t.XL()) * t.FastCycles,
		Compute: k.ComputeCycles(t),
	}
}

// Speedup returns how many times as fast the whole kernel is with the
// coordinator.
func (k AtomicKernel) Speedup(t AccessTimes) float64 {
	return k.SystemTimes(t).Cycles() / k.SoftwareTimes(t).Cycles()
}
