package equations

import "math"

// KernelWork is what a wavefront does before its atomic operation: accesses to
// 32-bit words and arithmetic.
type KernelWork struct {
	Loads        float64 // each lane its own word, side by side
	UniformLoads float64 // all lanes the same word, in all wavefronts
	Stores       float64 // each lane its own word, side by side
	Cycles       float64 // of arithmetic
}

// bytes is what a wavefront moves.
func (p Pipelined) bytes(w KernelWork) float64 { return 4 * p.Lanes * (w.Loads + w.Stores) }

// clauses is in how many clauses a wavefront makes so many loads.
func (p Pipelined) clauses(loads float64) float64 { return math.Ceil(loads / p.Clause) }

// fastChain is the work of a wavefront that is alone, through the FastPath.
func (p Pipelined) fastChain(w KernelWork) float64 {
	return (p.clauses(w.Loads)+p.clauses(w.UniformLoads))*p.Fast +
		(w.Loads+w.UniformLoads)*p.Issue + w.Cycles
}

// fastEach is what each further wavefront adds through the FastPath: the busiest
// of the channels, the one channel of the uniform loads, and the compute units'
// arithmetic.
func (p Pipelined) fastEach(w KernelWork) float64 {
	return max(max(p.bytes(w)/p.FastRate, w.UniformLoads*p.Segment), w.Cycles/p.Units)
}

// slowChain is the work of a wavefront that is alone, through the CompletePath.
// A load is copied by the atomic unit, which takes the lanes of a uniform load
// one after the other, and then read.
func (p Pipelined) slowChain(w KernelWork) float64 {
	twice := p.Complete + p.Fast
	return (p.clauses(w.Loads)+p.clauses(w.UniformLoads))*twice + w.UniformLoads*p.Lanes*p.CopyLane +
		(w.Loads+w.UniformLoads)*p.Issue + w.Cycles
}

// slowEach is what each further wavefront adds through the CompletePath. The
// uniform loads' copies and the atomic operations share an atomic unit.
func (p Pipelined) slowEach(w KernelWork, lanes float64) float64 {
	unit := lanes*p.Lane + w.UniformLoads*p.Lanes*p.CopyLane
	return max(max(p.bytes(w)/p.SlowRate, unit), w.Cycles/p.Units)
}

// SystemKernelCycles is SystemCycles with that work before the atomic
// operation: the work of the first wavefront, and for each further one what the
// busiest part of the device takes for it.
func (p Pipelined) SystemKernelCycles(c Concurrency, w KernelWork) float64 {
	return p.Around + p.Issue + p.Complete + c.Lanes*p.Lane + p.slowChain(w) +
		(c.Workgroups-1)*max(p.Dispatch, p.slowEach(w, c.Lanes))
}

// SoftwareKernelCycles is Software with that work before the atomic operation.
func (p Pipelined) SoftwareKernelCycles(c Concurrency, sides float64, w KernelWork) float64 {
	return p.Software(c, sides).Cycles() + p.fastChain(w) +
		(c.Workgroups-1)*max(0, p.fastEach(w)-p.Dispatch)
}

// KernelSpeedup returns how many times as fast a kernel with that work is with
// the coordinator.
func (p Pipelined) KernelSpeedup(c Concurrency, sides float64, w KernelWork) float64 {
	return p.SystemKernelCycles(c, w) / p.SoftwareKernelCycles(c, sides, w)
}

// ALUFetch returns the ratio of a wavefront's arithmetic to the time that the
// FastPath takes for its accesses at its full rate, on one compute unit.
func (p Pipelined) ALUFetch(w KernelWork) float64 { return w.Cycles / p.fetchCycles(w) }

// fetchCycles charges every access, the uniform ones too, as a whole one.
func (p Pipelined) fetchCycles(w KernelWork) float64 {
	return 4 * p.Lanes * (w.Loads + w.UniformLoads + w.Stores) * p.Units / p.FastRate
}

// GuideKernel is the work of a kernel of [elteir11] section VI-D: so many loads, of
// which that share, rounded, ask for one word in all lanes, and arithmetic in that
// ratio to the loads.
func (p Pipelined) GuideKernel(aluFetch, accesses, uniformShare float64) KernelWork {
	uniform := math.Round(accesses * uniformShare)
	w := KernelWork{Loads: accesses - uniform, UniformLoads: uniform}
	w.Cycles = math.Round(aluFetch * p.fetchCycles(w))
	return w
}
