package equations

import "math"

// Equations (1) and (2) of [elteir11], and where (3) and (4) cross: what the tests
// hold (3), (4) and the simulation against.

// SystemAtomicCycles is equation (1) of [elteir11]: the device performs the
// atomic operations of N threads one after the other,
//
//	t_system = N * t_comp
func SystemAtomicCycles(c Concurrency, t AccessTimes) float64 {
	return c.Threads() * t.CompleteCycles
}

// SoftwareTerms are the parts of equation (2) of [elteir11], in cycles.
type SoftwareTerms struct {
	LocalSum float64 // 2 * N_c * t_l: the lanes' local additions, Figure 6 lines 13 to 18
	Request  float64 // 2 * t_fast: sum and address are written, Figure 6 lines 22 to 26
	// 5 * t_fast: sums and addresses are read; old values, addresses and variables written
	Scan    float64
	Combine float64 // N_cwg * t_l: the coordinator's local additions, Figure 7 line 27
	// N_cwg/2 * t_l, printed N_wg/2: comparisons until the dominant wavefront, Figure 7 lines
	// 25 and 26
	Search float64
	Return float64 // 2 * t_fast: address and old value are read
}

// SoftwareAtomicTerms returns the parts of equation (2) of [elteir11] as its
// section V gives them, with N_cwg for N_wg as SoftwareAtomic has it.
func SoftwareAtomicTerms(c Concurrency, t AccessTimes) SoftwareTerms {
	return SoftwareTerms{
		LocalSum: 2 * c.Lanes * t.LocalCycles,
		Request:  2 * t.FastCycles,
		Scan:     5 * t.FastCycles,
		Combine:  c.Workgroups * t.LocalCycles,
		Search:   c.Workgroups / 2 * t.LocalCycles,
		Return:   2 * t.FastCycles,
	}
}

// RequestCycles returns t_RWGI, what the requesting workgroup does before it
// waits.
func (s SoftwareTerms) RequestCycles() float64 { return s.LocalSum + s.Request }

// CoordinateCycles returns t_CWG, what the coordinator does.
func (s SoftwareTerms) CoordinateCycles() float64 { return s.Scan + s.Combine + s.Search }

// ReturnCycles returns t_RWGP, what the requesting workgroup does after it has
// waited.
func (s SoftwareTerms) ReturnCycles() float64 { return s.Return }

// Cycles is equation (2) of [elteir11]:
//
//	t_software = t_RWGI + t_CWG + t_RWGP
func (s SoftwareTerms) Cycles() float64 {
	return s.RequestCycles() + s.CoordinateCycles() + s.ReturnCycles()
}

// Crossover returns the number of workgroups beyond which the coordinator is
// faster than the device's own atomic operation, by equations (3) and (4) of
// [elteir11]. Both are linear in N_cwg; they are equal at
//
//	N_cwg = (2*N_c*x_l + 9) / (N_c*x - 3/2*x_l)
//
// It is infinite where the coordinator's slope is not the smaller one.
func Crossover(lanes, x, xl float64) float64 {
	return linearCrossover(2*lanes*xl+9, lanes*x-1.5*xl)
}

// linearCrossover solves gain*n = lead for n: the coordinator begins with that
// disadvantage and gains so much per workgroup.
func linearCrossover(lead, gain float64) float64 {
	switch {
	case !(gain > 0):
		return math.Inf(1)
	case lead <= 0:
		return 0
	}
	return lead / gain
}

// Crossover returns the number of workgroups beyond which the kernel is faster
// with the coordinator; its own number is not read. With M the times of the
// memory accesses in units of t_fast, R atomic operations and S sides, the
// kernel's times are equal at
//
//	N_cwg = (R*(2*N_c*x_l + 9*S) + M_software - M_system) / (R*(N_c*x - 3/2*S*x_l))
//
// It is 0 where the accesses alone decide for the coordinator, and infinite
// where nothing does.
func (k AtomicKernel) Crossover(t AccessTimes) float64 {
	memory := (k.Software.Cycles(t) - k.System.Cycles(t)) / t.FastCycles
	lead := k.Atomics*(2*k.Lanes*t.XL()+9*k.Sides) + memory
	return linearCrossover(lead, k.Atomics*(k.Lanes*t.X()-1.5*k.Sides*t.XL()))
}
