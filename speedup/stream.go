package speedup

import (
	"math"
	"math/bits"

	"github.com/atomtune/atomtune/collision"
)

// stream is what the formulas read of a stream, computed once for all implementations. An iteration is
// one pass of a warp through its loop: an update for each lane.
type stream struct {
	*collision.Stats
	updates, bins, unique, runs float64
	positions                   float64 // updates and padding
	iterations                  float64 // of all warps
	active, invActive           float64 // lanes of a mean turn with an update, and 1 / them
	issue, perSM                float64 // us per warp instruction, per port cycle of an iteration
	highest                     float64 // updates of a mean warp's most frequent target
	treeSteps                   float64 // of their reduction
	maxFrequency                float64
	hotWarps, hotSegments       float64 // of the hottest target, in all; 0: not known
	targetRows                  float64 // warps that hold one target per lane
	plain                       adds    // without a reduction
	ramp                        float64 // how far the stream counts up, see Bundle.ramp

	// Lanes and sectors on the busiest chunk, see setChunk.
	sectors                    float64 // of the targets of a warp
	chunkCapacity              float64 // share of a warp's sectors that one chunk can hold
	chunkFrequency, chunkShare float64 // updates of the busiest chunk, and their share
	hotSectors                 float64 // of its targets, if they are as frequent as the hottest
	chunkSectors               float64 // of a warp's sectors in that chunk
	lanesElsewhere             float64 // of a warp

	growth float64 // the power with which updates touch different targets

	// Shares of other warps that hold the target of an update, see setHolders: of any
	// warps, of any where it is the hottest, and of the neighbours in its block.
	heldAny, heldHot, heldNear, neighbours float64

	start                    float64 // of the first kernel after the clearing
	clears, clearUS          float64 // launches that clear the targets, 0 or 1
	streamUS, streamAtomicUS float64 // microseconds of streaming index and value
	head, headAtomic         float64 // cycles from an iteration's start to its update

	direct     launch  // of the kernel without private copies
	invSectors float64 // 1 / sectors of the targets that occur
	sliceShare float64 // of the requests, on the fullest slice
	edge       float64 // chunks before the end of the region in which the array begins
	hotChunks  float64 // of the chunks as busy as the busiest, the most on one slice

	coldShare      float64 // of the first requests to a sector that miss in L2
	missShare      float64 // of its later requests that do, if the target is not hot
	touchedSectors float64 // of all targets that occur, where requests miss
	hotTargets     float64 // as frequent as the most frequent
	hotRepeats     float64 // requests of the hot targets but for their first
}

// read fills in st, which is empty, from the statistics.
func (b *Bundle) read(s *collision.Stats, st *stream) {
	st.Stats = s
	st.updates, st.bins = float64(s.Updates), float64(s.Bins)
	st.positions = float64(s.Positions())
	st.unique, st.runs = float64(s.Unique), float64(s.Runs)
	st.maxFrequency = float64(s.MaxFrequency)
	st.iterations = ceil(st.positions / b.lanes)
	st.hotWarps, st.hotSegments = s.HotWarps*st.iterations, s.HotSegments*st.iterations
	st.active, st.invActive = st.updates/st.iterations, st.iterations/st.updates
	st.highest = max(1, s.WarpLevel*(st.positions/st.iterations))
	st.treeSteps = halvings(st.highest)
	st.issue, st.perSM = st.iterations*b.issue, st.iterations*b.perSM
	st.targetRows = ceil(st.bins / b.lanes)
	b.setChunk(st)
	st.ramp = b.ramp(st)
	b.setStart(st)
	b.setLoads(st)
	b.setMisses(st)
	b.setTargets(st)
	b.setHolders(st)
	st.setGrowth()
	b.setPlain(st)
}

// setStart sets when the first kernel starts: with the call, or where the
// clearing of the targets takes a launch, after it. What L2 keeps of targets that
// are not cleared counts as after a clearing: calls before have touched them.
func (b *Bundle) setStart(st *stream) {
	st.start = b.first
	if bytes := st.bins * b.size; bytes > b.clearFree && !b.c.Keeps {
		st.clears, st.clearUS = 1, b.clearUS(bytes)
		st.start += max(b.next, st.clearUS+b.gap)
	}
}

// clearUS is the time of clearing so many bytes. L2 keeps as much of what is written as a whole as
// of targets under atomics.
func (b *Bundle) clearUS(bytes float64) float64 {
	return bytes * b.byteUS(bytes, b.l2AtomicBytes)
}

// after is when a kernel ends that takes so long: it starts no earlier than the host has enqueued
// it as the call's launch of that number, counted from 0, and no earlier than Gap after the end of
// the one before.
//
//	max(First + number·Next, end + Gap) + us
func (r *rates) after(end, number, us float64) float64 {
	return max(r.first+number*r.next, end+r.gap) + us
}

// byteUS is the time per byte of a kernel without global atomics that touches so many bytes, of
// which L2 keeps so many.
func (b *Bundle) byteUS(footprint, kept float64) float64 {
	if footprint > kept {
		return b.far
	}
	return b.near
}

// setLoads sets the time to stream index and value, those of padding too, from L2, or from DRAM
// where they, with the targets of global atomics and the old values that are stored, take more than
// L2Bytes; and the latency of the head of an iteration: the loads of index and value, made together, and
// the loop's arithmetic.
func (b *Bundle) setLoads(st *stream) {
	bytes := st.positions * b.updateBytes
	st.streamUS, st.head = bytes*b.byteUS(bytes, b.l2Bytes), b.load+loopInstructions*b.alu
	if bytes > b.l2AtomicBytes {
		st.head += b.loadMiss
	}
	stored, targets := st.updates*b.returns, st.bins*b.size // old values are stored
	st.streamAtomicUS = bytes*b.nearAtomic + stored*b.stored
	bytes, st.headAtomic = bytes+stored, b.load+loopInstructions*b.alu
	if bytes+targets > b.l2Bytes {
		st.streamAtomicUS = bytes * b.farAtomic
	}
	if bytes+targets > b.l2AtomicBytes {
		st.headAtomic += b.loadMiss
	}
}

// setTargets sets what adds to the targets in global memory share.
func (b *Bundle) setTargets(st *stream) {
	st.invSectors = 1 / b.sectorsOf(st)
	b.setLaunch(&b.small, st, &st.direct)
	st.edge = b.edgeOf(st.bins * b.size)
	st.sliceShare = b.fullestSlice(b.chunks(st, b.updatesInFlight(st)), st.edge)
	targets := st.HotTargets(st.active)
	b.setHotChunks(st, targets)
	b.setHotRepeats(st, targets)
}

// updatesInFlight is the number of updates that go straight to the targets and are under way at
// once: the threads of the rule's launch. Warps of a smaller grid run ahead of adds for which they
// do not wait; a compare-and-swap loop waits.
func (b *Bundle) updatesInFlight(st *stream) float64 {
	if b.casGlobal {
		return st.direct.inFlight()
	}
	return min(b.wholeSM*b.sms, ceil(st.positions/directThreads)) * directThreads
}

// ceil rounds a number below 2^62 up, and down where it exceeds a whole number by
// no more than the rounding of a product.
func ceil(x float64) float64 { return math.Floor(x + (1 - 1e-9)) }

// halvings is the number of halvings that bring a group of so many lanes, 1 to 64, to one.
func halvings(lanes float64) float64 {
	return float64(bits.Len(uint(min(max(ceil(lanes), 1), 64)) - 1))
}
