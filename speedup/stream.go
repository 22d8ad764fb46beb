package speedup

import (
	"math"

	"github.com/atomtune/atomtune/collision"
)

// The ways in which updates reach the targets: the warp reductions of package
// variant in their order, the host's scattered layout, and reductions with
// parameters.
const (
	byScatter    = uint8(countOfReductions)
	byParameters = byScatter + 1 // a reduction with parameters, of one implementation alone
	ways         = 8             // a power of two
)

// stream is what the formulas read of a stream, computed once for all
// implementations.
type stream struct {
	*collision.Stats
	updates, bins, unique, runs float64
	turns, full                 float64 // warps of the stream, updates of a mean warp
	issue, perSM                float64 // microseconds per warp instruction, per port cycle of a warp
	invFull                     float64 // 1 / full
	highest, tree               float64 // updates of a mean warp's most frequent target; steps of their reduction
	maxFrequency                float64
	hotWarps, hotSegments       float64 // warps that hold the hottest target, its stretches; 0 where not known
	sectors                     float64 // of the targets of a warp
	oneChunk                    float64 // share of a warp's sectors that one chunk can hold
	chunkFrequency, chunkShare  float64 // updates of the busiest chunk, and their share
	hotSectors                  float64 // of that chunk's targets, if they are as frequent as the hottest
	chunkSectors, elsewhere     float64 // of a warp: sectors in that chunk, lanes not in it
	rows                        float64 // warps that hold one target per lane
	adds                        [ways]adds
	efforts                     [ways]effort // those of scattered updates and of no reduction stay 0
	known, spent                [ways]bool   // the adds and the efforts that are filled in

	sound bool // a bank has one target at least, and a lane for each

	binsOverBanks uint32 // bins modulo the number of banks

	// Shares of other warps that have the target of an update: of any, of any where it is
	// the hottest, and of the `near` others of its block at the same time.
	meet, meetHot, meetNear, near float64

	crowd float64 // of the chunks as busy as the busiest, the most on one slice

	ramp float64 // how far neighbouring updates have neighbouring targets, 0 to 1

	lead    float64 // microseconds before the first kernel starts
	cleared float64 // 1 if clearing the targets takes a launch
	clearUS float64

	stream, streamAtomic float64 // microseconds of streaming index and value
	head, headAtomic     float64 // cycles from a turn's start to its update

	invSectors  float64 // 1 / sectors of the targets that occur
	sliceShare  float64 // of the fullest slice
	edge        float64 // see edgeOf
	power       float64 // see growth, negative until it is worked out
	coldShare   float64 // of the first requests to a sector that miss in L2
	missShare   float64 // of its later requests that do, if the target is not hot
	firsts      float64 // sectors that the stream touches
	hotTargets  float64 // as frequent as the most frequent
	again       float64 // requests of the hot targets but for their first
	turnsDirect float64 // turns of a warp of the kernel without private copies
	leastDirect float64 // microseconds of its targets that one add for each sector of a warp takes
}

// read fills in st from the statistics.
func (b *Bundle) read(s *collision.Stats, st *stream) {
	st.Stats = s
	st.updates, st.bins = real(s.Updates), real(s.Bins)
	st.unique, st.runs = real(s.Unique), real(s.Runs)
	st.maxFrequency = real(s.MaxFrequency)
	st.hotWarps, st.hotSegments = s.HotWarps, s.HotSegments
	st.turns = whole(st.updates * b.perLane)
	st.hotWarps, st.hotSegments = st.hotWarps*st.turns, st.hotSegments*st.turns
	st.full, st.invFull = st.updates/st.turns, st.turns/st.updates
	st.highest = larger(1, s.WarpLevel*st.full)
	st.tree = steps(st.highest)
	st.issue, st.perSM = st.turns*b.issue, st.turns*b.perSM
	st.binsOverBanks = uint32(s.Bins) & b.bankMask // banks are a power of two
	st.rows = whole(st.bins * b.perLane)
	st.sound = s.BankDegree >= 1 && s.BankLanes >= s.BankDegree
	st.sectors, st.chunkFrequency = s.Sectors4, real(s.MaxChunkFrequency4)
	if b.wide {
		st.sectors, st.chunkFrequency = s.Sectors8, real(s.MaxChunkFrequency8)
	}
	st.oneChunk = b.sectorsPerChunk / st.sectors
	st.chunkShare = smaller(1, st.chunkFrequency/st.updates)
	b.setChunk(st)
	st.ramp, st.power = 0, -1
	if b.stepped {
		st.ramp = b.ramp(st)
	}
	b.readLaunch(st)
	b.readMemory(st)
	b.setMisses(st)
	if b.needsGlobal {
		b.readTargets(st)
	}
	if b.contended {
		b.setMeeting(st)
	}
}

// readLaunch sets when the first kernel starts: with the call, or where the
// clearing of the targets takes a launch, after it. The host enqueues a launch
// Next after the one before, the device starts it Gap after the end of the one
// before.
func (b *Bundle) readLaunch(st *stream) {
	bytes := st.bins * b.size
	st.lead, st.cleared, st.clearUS = b.first, 0, 0
	if bytes > b.clearFree {
		st.cleared, st.clearUS = 1, bytes*b.storedUS(bytes)
		st.lead += larger(b.next, st.clearUS+b.gap)
	}
}

// byteUS is the time per byte of a kernel without global atomics that touches
// so many bytes.
func (b *Bundle) byteUS(footprint float64) float64 {
	if footprint > b.l2Bytes {
		return b.far
	}
	return b.near
}

// readMemory sets the time to stream index and value from L2, or from DRAM where
// they, with the targets of global atomics, take more than L2Bytes; and the
// latency of the head of a turn: the loads of index and value, made together,
// and the loop's arithmetic.
func (b *Bundle) readMemory(st *stream) {
	bytes := st.updates * b.updateBytes
	st.stream, st.head = bytes*b.near, b.load+loopInstructions*b.alu
	if bytes > b.l2Bytes {
		st.stream = bytes * b.far
	}
	if bytes > b.l2AtomicBytes {
		st.head += b.loadMiss
	}
	bytes += st.updates * b.returns // the old values are stored
	st.streamAtomic, st.headAtomic = bytes*b.nearAtomic, b.load+loopInstructions*b.alu
	bytes += st.bins * b.size
	if bytes > b.l2Bytes {
		st.streamAtomic = (bytes - st.bins*b.size) * b.farAtomic
	}
	if bytes > b.l2AtomicBytes {
		st.headAtomic += b.loadMiss
	}
}

// readTargets sets what adds to the targets in global memory share.
func (b *Bundle) readTargets(st *stream) {
	st.invSectors = 1 / b.sectorsOf(st)
	blocks := larger(1, smaller(b.directBlocks, whole(st.updates*(1.0/directThreads))))
	st.turnsDirect = whole(st.turns / (blocks * b.directWarps))
	st.edge = b.edgeOf(st.bins * b.size)
	st.sliceShare = b.fullestSlice(b.chunks(st, blocks*directThreads), st.edge)
	targets := st.HotTargets(st.full)
	b.setCrowd(st, targets)
	b.setAgain(st, targets)
	st.leastDirect = b.targetsUS(st, st.turns*st.sectors)
}

// real converts a count below 2^63, more cheaply than from an unsigned number.
func real(n uint64) float64 { return float64(int64(n)) }

// whole rounds a number between 0 and 2^62 up, more cheaply than math.Ceil, and
// down where it exceeds a whole number by no more than the rounding of a product.
func whole(x float64) float64 { return float64(int64(x + (1 - 1e-9))) }

// steps is the number of halvings that bring a group of so many lanes to one:
// the base-2 logarithm, rounded up.
func steps(lanes float64) float64 {
	return halvings[int(smaller(whole(lanes), float64(len(halvings)-1)))]
}

// halvings[n] is the base-2 logarithm of n, rounded up.
var halvings = func() (table [65]float64) {
	for n := 2; n < len(table); n++ {
		table[n] = math.Ceil(math.Log2(float64(n)))
	}
	return table
}()
