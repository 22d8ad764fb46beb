package elteir

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
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
type Pipelined struct {
	Fast       float64 // L: a load through the FastPath, there and back
	Segment    float64 // a channel is busy per line of the FastPath
	Line       float64 // words of a line
	Complete   float64 // an atomic operation through the CompletePath, there and back
	Lane       float64 // between two lanes' atomic operations on one word
	CopyLane   float64 // between two lanes' loads of one word through the CompletePath
	Fence      float64 // F: a fence on global memory, beside waiting for stores
	Turn       float64 // one turn of a waiting loop, beside its fence and its load
	Issue      float64 // one instruction of a wavefront
	Barrier    float64 // B
	Compare    float64 // one turn of the search in local memory
	LocalFirst float64 // a lane's atomic operation on local memory
	LocalNext  float64 // each further lane's on the same word
	Dispatch   float64 // between the starts of two workgroups
	Around     float64 // a kernel that does nothing
	Clause     float64 // independent loads of a wavefront under way at once
	Units      float64 // compute units
	Lanes      float64 // of a wavefront
	FastRate   float64 // of all channels together, in bytes per cycle
	SlowRate   float64 // the same of the CompletePath
}

// turnInstructions are those of a turn of a waiting loop: fence, address,
// fetch, comparison and branch.
const turnInstructions = 8

// NewPipelined takes the times from a device's profile. Errors wrap
// device.ErrCannot: the device has one way to memory only.
func NewPipelined(d *device.Profile) (Pipelined, error) {
	if d == nil || d.Paths == nil {
		return Pipelined{}, fmt.Errorf("%w: the device's profile has no paths", device.ErrCannot)
	}
	atomic, local := d.GlobalAtomic(device.U32), d.SharedAtomic(device.U32)
	perCycle := 1 / (d.Core.Clock.Value * 1e6)
	p := Pipelined{
		Fast: d.Global.LoadLatency.Value + d.Global.MissLatency.Value, Line: d.Paths.Segment.Value / 4,
		Complete: atomic.Latency.Value, Lane: atomic.SameAddress.Value, CopyLane: d.Paths.CopySame.Value,
		Fence: d.Paths.Fence.Value, Turn: d.Paths.Turn.Value + turnInstructions*d.Core.IssueCycles.Value,
		Issue: d.Core.IssueCycles.Value, Barrier: d.Core.Barrier.Value,
		Compare:    d.Shared.LoadLatency.Value + 2*d.Core.ALULatency.Value,
		LocalFirst: local.Base.Value, LocalNext: local.Round.Value,
		Dispatch: d.Paths.Dispatch.Value, Around: d.Paths.Around.Value * d.Core.Clock.Value,
		Clause: d.Paths.Clause.Value, Units: d.Core.SMs.Value, Lanes: d.Core.WarpLanes.Value,
		FastRate: d.Memory.DRAMRate.Value * perCycle, SlowRate: d.Memory.AtomicRate.Value * perCycle,
	}
	p.Segment = d.Paths.Segment.Value * d.Global.Slices.Value / p.FastRate
	return p, nil
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
		Request:  sides * p.requestCycles(c.Lanes/sides, n),
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
