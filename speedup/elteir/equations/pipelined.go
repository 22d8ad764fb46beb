package equations

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup/elteir"
)

// Pipelined is what equations (3) and (4) of [elteir11] become on a device
// whose atomic units work in a pipeline and whose wavefronts wait by reading
// again and again. Equation (4) charges t_comp for every thread, where a
// pipeline begins another thread's operation every few cycles. Equation (3)
// leaves out that requests wait for the next scan, that answers wait to be
// noticed, that a scan reads the flag of every wavefront, and that fences hold
// the wavefronts. The first makes the published speedup too large, by more than
// a hundred on an HD 5870, the others too.
//
// Times are in cycles. Workgroups have one wavefront.
type Pipelined struct{ elteir.Pipelined }

// NewPipelined takes the times from a device's profile. Errors wrap
// device.ErrCannot: the device has one way to memory only.
func NewPipelined(d *device.Profile) (Pipelined, error) {
	p, err := elteir.NewPipelined(d)
	return Pipelined{p}, err
}

// SystemCycles is equation (4) with a pipeline: the time of a launch in which
// every thread adds to one variable by the device's own atomic operation,
//
//	around + issue + t_comp + N_c*lane + (N_cwg-1) * max(dispatch, N_c*lane)
func (p Pipelined) SystemCycles(c Concurrency) float64 {
	front := c.Lanes * p.Lane
	return p.Around + p.Issue + p.Complete + front + (c.Workgroups-1)*max(p.Dispatch, front)
}

// PipelinedTerms are the parts of a launch with a coordinator, in cycles.
type PipelinedTerms struct {
	Around   float64 // the kernel that does nothing
	Dispatch float64 // until the last workgroup has started
	Request  float64 // t_RWGI: until the last request is visible
	Wait     float64 // until a scan begins that sees it
	Scan     float64 // t_CWG: from there until the answers are visible
	Return   float64 // t_RWGP: until the last wavefront has its old value
	Finish   float64 // until the coordinator has seen the last flag
}

// Cycles adds the terms up.
func (t PipelinedTerms) Cycles() float64 {
	return t.Around + t.Dispatch + t.Request + t.Wait + t.Scan + t.Return + t.Finish
}

// Software returns the terms of equation (2) with the waiting of the
// coordinator and of the requesters: the time of a launch in which the lanes of
// every workgroup's wavefront add to one variable. The lanes stand on so many
// sides of a branch, each of which makes a request of its own.
func (p Pipelined) Software(c Concurrency, sides float64) PipelinedTerms {
	n := c.Workgroups
	idle, answer := p.idleCycles(n), p.answerCycles()
	return PipelinedTerms{
		Around:   p.Around,
		Dispatch: (n - 1) * p.Dispatch,
		Request:  sides * p.RequestCycles(c.Lanes/sides, n),
		Wait:     sides * idle / 2,
		Scan:     sides * p.scanCycles(n),
		Return:   sides * answer,
		Finish:   max(0, idle-answer) + p.countCycles(n),
	}
}

// Speedup returns how many times as fast the coordinator is as the device's own
// atomic operation, launches of nothing else.
func (p Pipelined) Speedup(c Concurrency, sides float64) float64 {
	return p.SystemCycles(c) / p.Software(c, sides).Cycles()
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
	return p.Turn + p.Load(n) + 2*p.Fence + 3*p.Barrier + p.countCycles(n)
}

// scanCycles is the way of n requests of one variable through a scan: addresses,
// sums and variables are read, the sums added, old values and variables written,
// addresses cleared.
func (p Pipelined) scanCycles(n float64) float64 {
	combine := p.Compare + p.LocalFirst + (n-1)*p.LocalNext
	return 4*p.Load(n) + 2*p.Fence + 3*p.Barrier + combine + p.Issue + p.Fast/2
}

// answerCycles is how long the last of many requesters takes from the clearing
// of its address to its old value: nearly a whole iteration of its waiting loop, and
// two loads, the first of them half done when memory is read.
func (p Pipelined) answerCycles() float64 {
	return p.Fence + p.Turn + p.Load(1) + p.Fast/2 + p.Load(1)
}
