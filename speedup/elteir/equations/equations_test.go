package equations

// Equations (1) and (2) of [elteir11], in cycles: what the tests hold (4) and (3) against.

// SystemAtomicCycles is equation (1): the device performs the atomic operations of N threads one after the
// other,
//
//	t_system = N * t_comp
func SystemAtomicCycles(c Concurrency, t AccessTimes) float64 {
	return c.Threads() * t.CompleteCycles
}

// SoftwareAtomicCycles is equation (2) with its parts as section V gives them, with N_cwg for N_wg as
// SoftwareAtomic has it:
//
//	t_software = t_RWGI + t_CWG + t_RWGP
func SoftwareAtomicCycles(c Concurrency, t AccessTimes) float64 {
	localSum := 2 * c.Lanes * t.LocalCycles    // the lanes' local additions, Figure 6 lines 13 to 18
	request := 2 * t.FastCycles                // sum and address are written, Figure 6 lines 22 to 26
	scan := 5 * t.FastCycles                   // sums and addresses are read; old values, addresses and variables written
	combine := c.Workgroups * t.LocalCycles    // the coordinator's local additions, Figure 7 line 27
	search := c.Workgroups / 2 * t.LocalCycles // until the dominant wavefront, Figure 7 lines 25 and 26
	returned := 2 * t.FastCycles               // address and old value are read
	return (localSum + request) + (scan + combine + search) + returned
}
