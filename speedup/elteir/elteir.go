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
	"math"

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
	Turn       float64 // one iteration of a waiting loop, beside its fence and its load
	Issue      float64 // one instruction of a wavefront
	Barrier    float64 // B
	Compare    float64 // one iteration of the search in local memory
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

// turnInstructions are those of an iteration of a waiting loop: fence, address,
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
	local := 2 * lanes * p.LocalNext
	wait := max(0, n/p.Units-1) * max(0, local-p.Units*p.Dispatch)
	return local + wait + p.LocalFirst - p.LocalNext + p.Load(1) + p.Fence + p.Issue +
		p.Fast/2 + p.Segment
}

// CoordinatedStream is an index stream as persistent workgroups of one wavefront
// and a coordinator see it. A wavefront makes a request for each different target
// of its lanes, one after the other.
type CoordinatedStream struct {
	Workgroups float64 // n, without the coordinator's
	Iterations float64 // T, of the wavefront with most of them: rows of lanes that it adds
	Requests   float64 // q, of a mean turn
	Lanes      float64 // c, of a mean request
	Loads      float64 // of an iteration: indices, and values where there are some
	Targets    float64 // K, different ones in the stream
	Grouped    bool    // equal targets are in one stretch
}

// StreamTerms are the parts of such a launch, in cycles.
type StreamTerms struct {
	Start  float64 // until a scan begins that sees the first request of the last workgroup
	Serve  float64 // until the longest wavefront's last request is released
	Finish float64 // until the coordinator has seen that it has finished
}

// Cycles adds the terms up, without the time around a kernel.
func (t StreamTerms) Cycles() float64 { return t.Start + t.Serve + t.Finish }

// longest is the requests of the wavefront with most of them. A row of lanes has
// one at least, and each of the other targets that it can have, with the same
// chance, as if they were drawn apart; that lanes exclude each other halves the
// variance. The largest of n sums over T rows is about
//
//	T*q + sqrt(2 * ln n * T * (q-1)*(most-q)/(most-1) / 2), at most T*most
//
// The rows of a grouped stream differ by one boundary between its stretches or
// so: a variance of 1/4 at most.
func (s CoordinatedStream) longest() float64 {
	most := min(s.Lanes*s.Requests, s.Targets)
	if most <= 1 {
		return s.Iterations
	}
	variance := max(0, (s.Requests-1)*(most-s.Requests)/(most-1)) / 2
	if s.Grouped {
		variance = min(variance, 0.25)
	}
	mean := s.Iterations * s.Requests
	return max(mean, min(s.Iterations*most, mean+math.Sqrt(2*math.Log(s.Workgroups)*s.Iterations*variance)))
}

// streamScans is what scans of a stream take.
type streamScans struct {
	empty float64 // a scan that finds no request
	full  float64 // one that serves requests
	mean  float64 // one between two that serve the same wavefront
	more  float64 // k: how many lie between them
}

// Stream returns the terms of equation (2) of [elteir11] for a stream: a
// wavefront's requests follow each other, and each takes the scan that serves it
// and the k scans that pass while its wavefront makes the next one,
//
//	Serve = (longest - 1) * (full + k*mean) + full
func (p Pipelined) Stream(s CoordinatedStream) StreamTerms {
	v := p.streamScans(s)
	request := p.renewCycles(s.Lanes, s.Workgroups)
	return StreamTerms{
		Start:  (s.Workgroups-1)*p.Dispatch + p.turnLoads(s) + request + v.mean/2,
		Serve:  (s.longest()-1)*(v.full+v.more*v.mean) + v.full,
		Finish: p.noticeCycles() + p.pollCycles()/2 + p.Issue + p.Fast/2 + 1.5*v.empty,
	}
}

// streamScans solves for the number of scans that pass between two requests of a
// wavefront: those that begin before its next request can be seen, which comes
// after the gap and up to one poll. Beside a single wavefront's, the scans between
// are empty; the more wavefronts a compute unit holds, the more they part, and as
// many of the scans serve others. The more scans, the fewer requests each of them
// serves, and the shorter they are.
func (p Pipelined) streamScans(s CoordinatedStream) streamScans {
	n := s.Workgroups
	v := streamScans{empty: p.emptyScan(n), more: 1}
	gap := p.gapCycles(s)
	parted := 1 - math.Exp(-(n-1)/p.Units)
	for range 12 {
		cohorts := 1 + v.more
		v.full = p.fullScan(n, n/cohorts, p.searched(n, cohorts, s.Targets))
		v.mean = v.empty + parted*(v.full-v.empty)
		v.more = (v.more + scansBefore(gap, gap+p.pollCycles(), v.empty, v.full, parted)) / 2
	}
	return v
}

// emptyScan is a scan of n wavefronts that finds no request: addresses and flags,
// two fences, three barriers,
//
//	turn + load(n) + issue + 2*F + 3*B
func (p Pipelined) emptyScan(n float64) float64 {
	return p.Turn + p.Load(n) + p.Issue + 2*p.Fence + 3*p.Barrier
}

// fullScan is one that serves m requests and compares so many addresses: sums and
// variables are read, added up, and old values and variables written,
//
//	empty + load(m) + issue + searched*compare + first + (m-1)*next + load(m) + 2*issue
func (p Pipelined) fullScan(n, m, searched float64) float64 {
	return p.emptyScan(n) + 2*p.Load(m) + 3*p.Issue + searched*p.Compare +
		p.LocalFirst + max(0, m-1)*p.LocalNext
}

// searched is how far the search for the first request of an address goes: to
// the place of the last request whose address is new. Of so many cohorts of
// neighbouring wavefronts the mean one begins at n*(cohorts-1)/(2*cohorts). Of
// addresses drawn from K, all have come after K*(1 + ln K) on average, nearly,
// as a collector's coupons do.
func (p Pipelined) searched(n, cohorts, targets float64) float64 {
	return n*(cohorts-1)/(2*cohorts) + min(n/cohorts, targets*(1+math.Log(targets)))
}

// pollCycles is one iteration of a waiting wavefront: fence, turn, load.
func (p Pipelined) pollCycles() float64 { return p.Fence + p.Turn + p.Load(1) }

// noticeCycles is from the release of a request to its old value, if it is looked
// for as soon as it is visible: half a load each way, and the load of the value.
func (p Pipelined) noticeCycles() float64 {
	return p.Fast/2 + p.Segment + p.Fast/2 + p.Load(1)
}

// renewCycles is a request from the choice of its address until that is visible:
// RequestCycles of so many lanes, and in the mean half of the wait for the other
// wavefronts of the compute unit.
func (p Pipelined) renewCycles(lanes, n float64) float64 {
	shared := max(0, n/p.Units-1) / 2 * 2 * lanes * p.LocalNext
	return p.Compare + p.RequestCycles(lanes, 1) + shared
}

// turnLoads is how long a wavefront waits for the indices and values of an iteration.
func (p Pipelined) turnLoads(s CoordinatedStream) float64 {
	return p.Fast + s.Loads*(p.Issue+p.Segment*p.Lanes/p.Line)
}

// gapCycles is the least time from the end of a scan that releases a wavefront
// until a scan can begin that sees its next request: the answer, the iteration's loads
// and the request, less the iteration and the half load with which a scan begins.
func (p Pipelined) gapCycles(s CoordinatedStream) float64 {
	return p.noticeCycles() + p.turnLoads(s)/s.Requests + p.renewCycles(s.Lanes, s.Workgroups) -
		p.Turn - p.Issue - p.Fast/2
}

// scansBefore is how many scans begin before x in the mean, for x spread evenly
// from low to high, when each scan that begins at the end of the last is a full one
// with that chance and else an empty one,
//
//	sum over k of P(the first k scans take less than x)
//
// By Wald's identity, so many mean scans take as long as those that pass.
func scansBefore(low, high, empty, full, chance float64) float64 {
	count := 0.0
	for k := 0; ; k++ {
		begun, ways := 0.0, 1.0
		for f := 0; f <= k; f++ {
			e := k - f
			odds := ways * math.Pow(chance, float64(f)) * math.Pow(1-chance, float64(e))
			past := (high - float64(f)*full - float64(e)*empty) / (high - low)
			begun += odds * max(0, min(1, past))
			ways *= float64(e) / float64(f+1)
		}
		if !(begun > 0) {
			return count
		}
		count += begun
	}
}
