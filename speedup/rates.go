package speedup

import (
	"math"

	"github.com/atomtune/atomtune/device"
)

// rates are the device's speeds for one kind of call, as microseconds per unit
// where the name says nothing else, and its latencies in cycles.
type rates struct {
	cycle float64 // microseconds per cycle
	perSM float64 // per cycle that is spread over all SMs
	issue float64 // per warp instruction

	// Per streamed byte, from L2 (near) and from DRAM (far), in kernels
	// without and with global atomics.
	near, far, nearAtomic, farAtomic float64
	l2Bytes                          float64

	first, next, gap, clearFree float64 // microseconds, the last in bytes

	request, pass, sameAddress float64
	roundTrip                  float64 // of a compare-and-swap loop
	miss                       float64 // of DRAM, per atomic miss
	storePass                  float64 // of a slice, per stored part of a sector
	answer, answerPass         float64 // of all slices, per sector that answers and further pass
	l2AtomicBytes, invL2Atomic float64
	sliceRequests              float64 // under way at once

	sms, lanes, banks                     float64
	round                                 float64 // cycles of a compare-and-swap loop's further iteration
	sectorBytes, sliceShare, regionSlices float64
	invChunksPerRegionSlice               float64
	smallArray                            float64 // bytes up to which an array begins within a region
	smallEdge                             float64 // chunks from there to the region's end

	// Cycles.
	alu, load, loadMiss, atomic, sharedLoad, passPort, barrier float64
	shuffle, shufflePort, ballot, ballotPort                   float64

	exchangeCost, ballotCost float64 // further instructions per shuffle, per vote
	casGlobal                bool
	size                     float64 // bytes of a target
	wide                     bool    // targets of 8 bytes: the statistics for those count
	words                    float64 // shared-memory banks that a target takes
	index, value             float64 // bytes of an index, and of an update's operands
	updateBytes              float64 // their sum, which one update reads
	loads                    float64 // index and operands, or 1 where the value is a constant
	returns                  float64 // bytes stored per update
	stored                   float64 // per such byte, to L2
	treeSteps                float64 // of a whole warp

	sectorsPerTarget, chunksPerTarget float64
}

// ratesOf turns the profile's quantities into microseconds per unit.
func ratesOf(d *device.Profile, c device.Call) rates {
	sms, cycle := d.Core.SMs.Value, 1/d.Core.Clock.Value
	g := d.GlobalUpdate(c)
	r := rates{
		cycle: cycle, perSM: cycle / sms, sms: sms,
		issue:   d.Core.IssueCycles.Value * cycle / (d.Core.Schedulers.Value * sms),
		near:    1e6 / d.Memory.L2Rate.Value,
		far:     1e6 / d.Memory.DRAMRate.Value,
		l2Bytes: d.Memory.L2Bytes.Value,
		first:   d.Launch.First.Value, next: d.Launch.Next.Value,
		gap: d.Launch.Gap.Value, clearFree: d.Launch.ClearFree.Value,

		request: d.Global.SMSector.Value * cycle / sms,
		pass:    g.Pass.Value * cycle, sameAddress: g.SameAddress.Value * cycle,
		miss:          d.Memory.MissBytes.Value * 1e6 / d.Memory.DRAMRate.Value,
		l2AtomicBytes: d.Memory.L2AtomicBytes.Value,
		invL2Atomic:   1 / d.Memory.L2AtomicBytes.Value,

		lanes: d.Core.WarpLanes.Value, banks: d.Shared.Banks.Value,
		sectorBytes: d.Global.SectorBytes.Value, sliceShare: 1 / d.Global.Slices.Value,
		regionSlices: d.Global.RegionSlices.Value,
		alu:          d.Core.ALULatency.Value, atomic: g.Latency.Value,
		load: d.Global.LoadLatency.Value, loadMiss: d.Global.MissLatency.Value,
		sharedLoad: d.Shared.LoadLatency.Value, passPort: d.Shared.PassPort.Value,
		barrier:   d.Core.Barrier.Value,
		casGlobal: g.Mechanism == device.CAS,
	}
	region := uint64(d.Global.RegionBytes.Value)
	if h := d.Global.Hash; h != nil && h.SmallBase%region != 0 {
		r.smallArray = float64(h.Page - h.SmallBase)
		r.smallEdge = float64(region-h.SmallBase%region) / d.Global.ChunkBytes.Value
	}
	atomic := 1e6 / d.Memory.AtomicRate.Value
	r.nearAtomic, r.farAtomic = max(r.near, atomic), max(r.far, atomic)
	r.invChunksPerRegionSlice = r.regionSlices * d.Global.ChunkBytes.Value / d.Global.RegionBytes.Value
	if r.casGlobal {
		r.round = g.Iteration()
		r.roundTrip = r.round * cycle
	}
	r.sliceRequests = d.Global.SliceRequests.Value
	r.storePass = d.Global.StorePass.Value * cycle
	r.first += d.Launch.LaterStart.Value
	r.setExchange(d)

	r.size, r.wide = float64(c.Type.Bytes()), c.Type.Bytes() == 8
	r.words = math.Ceil(r.size / d.Shared.BankBytes.Value)
	r.updateBytes, r.index, r.loads = float64(c.StreamBytes()), float64(c.Index()), 1
	if r.value = r.updateBytes - r.index; r.value > 0 {
		r.loads = 1 + float64(c.Op.Operands())
	}
	if c.Returns {
		r.returns, r.stored = r.size, r.nearAtomic
		r.setAnswers(d)
	}
	r.sectorsPerTarget = min(1, r.size/r.sectorBytes)
	r.chunksPerTarget = r.size / d.Global.ChunkBytes.Value
	r.treeSteps = halvings(r.lanes)
	return r
}

// setAnswers sets what old values take on their way back. A compare-and-swap loop waits for them
// whether the call wants them or not: its round trip holds their time.
func (r *rates) setAnswers(d *device.Profile) {
	a := d.Global.Answers
	if a == nil || r.casGlobal {
		return
	}
	r.answer, r.answerPass = a.Sector.Value*r.cycle*r.sliceShare, a.Pass.Value*r.cycle*r.sliceShare
	r.request = max(r.request, a.SM.Value*r.cycle/r.sms)
	r.stored = a.Store.Value * r.cycle * r.sliceShare / r.sectorBytes
}

// wordBytes is the size of what kernels keep of targets: counts, tags.
const wordBytes = 4

// setExchange fills in how lanes of a warp talk to each other. Without shuffles
// a lane stores its word in shared memory and loads another's: two accesses in a
// row, two passes of the port, one instruction more. Without a ballot the votes
// of a warp are combined in log2(lanes) such exchanges.
func (r *rates) setExchange(d *device.Profile) {
	e := d.Exchange
	r.shuffle, r.shufflePort = e.ShuffleLatency.Value, e.ShufflePort.Value
	if !e.HasShuffle.Value {
		r.shuffle, r.shufflePort, r.exchangeCost = 2*r.sharedLoad, 2*r.passPort, 1
	}
	r.ballot, r.ballotPort = e.BallotLatency.Value, e.BallotPort.Value
	if !e.HasBallot.Value {
		steps := math.Ceil(math.Log2(r.lanes))
		r.ballot, r.ballotPort = steps*(r.shuffle+r.alu), steps*r.shufflePort
		r.ballotCost = steps*(2+r.exchangeCost) - 1
	}
}
