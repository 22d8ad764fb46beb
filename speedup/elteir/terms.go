package elteir

// load is a wavefront's load of so many words side by side:
//
//	issue + L + segment * words/line
func (p Pipelined) load(words float64) float64 {
	return p.Issue + p.Fast + p.Segment*words/p.Line
}

// requestCycles is t_RWGI with a fence: the local additions, the sum, a fence
// that waits for it, the address on its way.
//
//	2*N_c*next + wait + first - next + load + F + issue + L/2 + segment
//
// Wavefronts of one compute unit share its local memory. They start
// units*dispatch apart, so that the last of k = n/units waits for
//
//	(k-1) * max(0, 2*N_c*next - units*dispatch)
func (p Pipelined) requestCycles(lanes, n float64) float64 {
	local := 2 * lanes * p.LocalNext
	wait := max(0, n/p.Units-1) * max(0, local-p.Units*p.Dispatch)
	return local + wait + p.LocalFirst - p.LocalNext + p.load(1) + p.Fence + p.Issue +
		p.Fast/2 + p.Segment
}

// countCycles is the fourth step of a scan: n flags, a clause at a time, the
// last of them half full on average,
//
//	n/clause * (L + issue + clause*max(issue, segment)) + L/2
func (p Pipelined) countCycles(n float64) float64 {
	return n/p.Clause*(p.Fast+p.Issue+p.Clause*max(p.Issue, p.Segment)) + p.Fast/2
}

// idleCycles is a scan that finds nothing: addresses, two fences, three
// barriers and the flags.
func (p Pipelined) idleCycles(n float64) float64 {
	return p.Turn + p.load(n) + 2*p.Fence + 3*p.Barrier + p.countCycles(n)
}

// scanCycles is the way of n requests of one variable through a scan: addresses,
// sums and variables are read, the sums added, old values and variables written,
// addresses cleared.
func (p Pipelined) scanCycles(n float64) float64 {
	combine := p.Compare + p.LocalFirst + (n-1)*p.LocalNext
	return 4*p.load(n) + 2*p.Fence + 3*p.Barrier + combine + p.Issue + p.Fast/2
}

// answerCycles is how long the last of many requesters takes from the clearing
// of its address to its old value: nearly a whole turn of its waiting loop, and
// two loads, the first of them half done when memory is read.
func (p Pipelined) answerCycles() float64 {
	return p.Fence + p.Turn + p.load(1) + p.Fast/2 + p.load(1)
}
