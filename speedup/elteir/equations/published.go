// Package equations holds the closed forms of
//
//	[elteir11]    M. Elteir, H. Lin, W. Feng. Performance Characterization and
//	              Optimization of Atomic Operations on AMD GPUs. IEEE CLUSTER
//	              2011.
//
// which replaces the device's atomic operations by a coordinator workgroup. The
// published equations (1) to (4) stand here as they are printed, and (3) also as it is
// used. Pipelined is what the device's queues make of them.
package equations

// AccessTimes are the times of single accesses in [elteir11] section V.
type AccessTimes struct {
	FastCycles     float64 // t_fast: a memory access through the FastPath
	CompleteCycles float64 // t_comp: a memory access through the CompletePath
	LocalCycles    float64 // t_l: modifying or comparing a word of local memory
}

// X returns x = t_comp / t_fast, what a memory access gains on the FastPath.
func (t AccessTimes) X() float64 { return t.CompleteCycles / t.FastCycles }

// XL returns x_l = t_l / t_fast, less than one by definition.
func (t AccessTimes) XL() float64 { return t.LocalCycles / t.FastCycles }

// Concurrency is how many threads execute one atomic operation at the same
// time. The model has one wavefront per workgroup.
type Concurrency struct {
	Lanes      float64 // N_c: threads of a workgroup
	Workgroups float64 // N_cwg: workgroups
}

// Threads returns N = N_c * N_cwg.
func (c Concurrency) Threads() float64 { return c.Lanes * c.Workgroups }

// PrintedSoftwareAtomic is equation (3) of [elteir11] as it is printed, in units of t_fast:
//
//	t_software / t_fast = (2*N_c + N_cwg + N_wg/2) * x_l + 9
//
// Section V says of N_wg/2 that it is the average number of comparisons until the dominant
// wavefront, and of N_wg nothing. It is taken for the workgroups of the whole kernel, since
// Figure 7 compares with those that do not execute the operation as well.
func PrintedSoftwareAtomic(c Concurrency, kernelWorkgroups, xl float64) float64 {
	return (2*c.Lanes+c.Workgroups+kernelWorkgroups/2)*xl + 9
}

// SoftwareAtomic is equation (3) of [elteir11] with N_cwg for N_wg, in units of t_fast:
//
//	t_software / t_fast = (2*N_c + N_cwg + N_cwg/2) * x_l + 9
//
// The paper compares equations (3) and (4) over N_cwg alone, for kernels in which every
// workgroup executes the operation: there N_wg is N_cwg, but for the coordinator's own.
func SoftwareAtomic(c Concurrency, xl float64) float64 {
	return PrintedSoftwareAtomic(c, c.Workgroups, xl)
}

// SystemAtomic is equation (4) of [elteir11], in units of t_fast:
//
//	t_system / t_fast = N_c * N_cwg * x
func SystemAtomic(c Concurrency, x float64) float64 { return c.Threads() * x }

// AtomicSpeedup is equation (4) over equation (3): how many times as fast the
// coordinator is as the device's own atomic operation.
func AtomicSpeedup(c Concurrency, x, xl float64) float64 {
	return SystemAtomic(c, x) / SoftwareAtomic(c, xl)
}

// BranchedSoftwareAtomic is SoftwareAtomic for a divergent kernel
// in units of t_fast: the lanes of a wavefront stand on so many sides of a
// branch, which execute the operation one after the other, N_c / sides lanes
// at a time:
//
//	sides * ((2*N_c/sides + 3/2*N_cwg) * x_l + 9)
//
// Equation (4) stays as it is, because the number of threads does.
func BranchedSoftwareAtomic(c Concurrency, sides, xl float64) float64 {
	return sides * SoftwareAtomic(Concurrency{Lanes: c.Lanes / sides, Workgroups: c.Workgroups}, xl)
}
