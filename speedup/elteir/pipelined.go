// Package elteir is the closed form of a stream of updates by a coordinator workgroup
// in place of the device's atomic operations:
//
//	[elteir11]    M. Elteir, H. Lin, W. Feng. Performance Characterization and
//	              Optimization of Atomic Operations on AMD GPUs. IEEE CLUSTER
//	              2011.
//
// It is equation (2) with what the device's queues make of it. Package speedup prices
// the implementation `coordinator` with it.
package elteir

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
)

// Pipelined are the times of a device with two paths to memory, in cycles, on which
// workgroups of one wavefront wait for a coordinator by reading again and again.
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
		Fence: d.Paths.Fence.Value, Turn: d.Paths.Turn.Value + float64(turnInstructions*d.Core.IssueCycles.Value),
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

// Load is a wavefront's load of so many words side by side:
//
//	issue + L + segment * words/line
func (p Pipelined) Load(words float64) float64 {
	return p.Issue + p.Fast + p.Segment*words/p.Line
}

// RequestCycles is t_RWGI with a fence: the local additions, the sum, a fence
// that waits for it, the address on its way.
//
//	2*N_c*next + wait + first - next + load + F + issue + L/2 + segment
//
// Wavefronts of one compute unit share its local memory. They start
// units*dispatch apart, so that the last of k = n/units waits for
//
//	(k-1) * max(0, 2*N_c*next - units*dispatch)
func (p Pipelined) RequestCycles(lanes, n float64) float64 {
	local := float64(2 * lanes * p.LocalNext)
	wait := float64(max(0, n/p.Units-1) * max(0, local-float64(p.Units*p.Dispatch)))
	return local + wait + p.LocalFirst - p.LocalNext + p.Load(1) + p.Fence + p.Issue +
		float64(p.Fast/2) + p.Segment
}
