package machine

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
)

// Time within a cycle is counted in ticks, so that rates need no fractions.
const (
	tickBits = 12
	tick     = 1 << tickBits
)

func ticks(q device.Quantity) int64 { return inTicks(q.Value) }

func cycles(q device.Quantity) int64 { return int64(q.Value + 0.5) }

func inTicks(cycles float64) int64 { return int64(cycles*tick + 0.5) }

type server struct{ free int64 } // ticks

func (s *server) take(at, cost int64) int64 {
	start := max(at, s.free)
	s.free = start + cost
	return start
}

// arrive reserves the server for a request issued now that arrives at that tick, and returns
// when it is done. It queues from now on, so that no hole opens before it.
func (s *server) arrive(now, at, cost int64) int64 { return max(at, s.take(now, cost)) + cost }

type timing struct {
	Lanes, SMs, schedulers     int
	full                       uint64 // mask of all lanes
	issue, alu, barrier        int64  // cycles
	loadShared, passShared     int64  // cycles
	passPort                   int64  // ticks
	banks                      int64
	shuffle, ballot, match     exchangeTiming
	matchKey                   exchangeTiming // for each key
	loadGlobal, missGlobal     int64          // cycles
	sectorBytes, chunkBytes    uint64
	sectorBits                 int // sectors are of 2^sectorBits bytes; 0: of no power of two
	regionBytes, regionSlices  uint64
	slices                     uint64
	smSector                   int64 // ticks
	dramByte, l2Byte, slowByte int64 // ticks per 1,024 bytes
	missCost                   int64 // ticks of DRAM per atomic miss
	nextCost                   int64 // and where the sector before it misses too, of two
	loadSector                 int64 // ticks of a slice for a sector that is loaded
	L2Bytes, l2AtomicBytes     uint64
	// Two paths to memory, where loads beside atomics have a first phase: splitLatency is 0
	// where there is one path.
	splitLatency int64 // cycles
	copySame     int64 // ticks, between two lanes on one word
}

func (t *timing) sectorOf(addr uint64) uint64 {
	if t.sectorBits > 0 {
		return addr >> t.sectorBits
	}
	return addr / t.sectorBytes
}

// exchangeTiming is what an exchange between the lanes of a warp takes.
type exchangeTiming struct {
	latency int64 // cycles
	port    int64 // ticks
	native  bool  // or through shared memory
}

func newTiming(d *device.Profile) timing {
	lanes := int(d.Core.WarpLanes.Value)
	perKiB := func(rate device.Quantity) int64 {
		return inTicks(1024 * d.Core.Clock.Value * 1e6 / rate.Value)
	}
	x := &d.Exchange
	t := timing{
		Lanes: lanes, SMs: int(d.Core.SMs.Value), schedulers: int(d.Core.Schedulers.Value),
		full:  ^uint64(0) >> (64 - lanes),
		issue: max(1, cycles(d.Core.IssueCycles)), alu: cycles(d.Core.ALULatency),
		barrier:    cycles(d.Core.Barrier),
		loadShared: cycles(d.Shared.LoadLatency), passShared: cycles(d.Shared.PassLatency),
		passPort: ticks(d.Shared.PassPort), banks: int64(d.Shared.Banks.Value),
		shuffle:    exchangeTiming{cycles(x.ShuffleLatency), ticks(x.ShufflePort), x.HasShuffle.Value},
		ballot:     exchangeTiming{cycles(x.BallotLatency), ticks(x.BallotPort), x.HasBallot.Value},
		match:      exchangeTiming{cycles(x.MatchLatency), ticks(x.MatchPort), true},
		matchKey:   exchangeTiming{cycles(x.MatchKey), ticks(x.MatchKeyPort), true},
		loadGlobal: cycles(d.Global.LoadLatency), missGlobal: cycles(d.Global.MissLatency),
		sectorBytes: uint64(d.Global.SectorBytes.Value), slices: uint64(d.Global.Slices.Value),
		chunkBytes: uint64(d.Global.ChunkBytes.Value), smSector: ticks(d.Global.SMSector),
		regionBytes:  uint64(d.Global.RegionBytes.Value),
		regionSlices: uint64(d.Global.RegionSlices.Value),
		dramByte:     perKiB(d.Memory.DRAMRate), l2Byte: perKiB(d.Memory.L2Rate),
		slowByte: perKiB(d.Memory.AtomicRate), L2Bytes: uint64(d.Memory.L2Bytes.Value),
		l2AtomicBytes: uint64(d.Memory.L2AtomicBytes.Value),
	}
	if d.Paths != nil {
		t.splitLatency = cycles(d.GlobalAtomic(device.U32).Latency)
		t.copySame = ticks(d.Paths.CopySame)
	}
	if t.sectorBytes&(t.sectorBytes-1) == 0 {
		t.sectorBits = bits.TrailingZeros64(t.sectorBytes)
	}
	t.missCost = int64(d.Memory.MissBytes.Value) * t.dramByte / 1024
	t.nextCost = int64(d.Memory.FillBytes.Value) * t.dramByte / 1024
	t.loadSector = int64(t.sectorBytes*t.slices) * t.l2Byte / 1024
	return t
}

// atomicTiming is how targets in global memory are updated atomically, in integers.
type atomicTiming struct {
	swaps      bool  // in a software loop
	latency    int64 // cycles
	round      int64 // cycles: a further iteration of a loop
	pass, same int64 // ticks
	// The first pass over a sector with one word, and with all, in ticks; the
	// requests on which a slice works at once, 0 if that is not known.
	word, sector int64
	requests     int
	cached       bool // the sectors are in L2
}

type Machine struct {
	timing
	typ     device.Type
	op      device.Op
	shared  stages       // for the element type
	Ones    stages       // for the element type, where the constant 1 is added
	Integer stages       // for counters of 4 bytes
	swap    stages       // for compare-and-swap of 4 bytes
	global  atomicTiming // for the element type
	counter atomicTiming // for counters of 4 bytes
	*Queue
	Buffers  []*Buffer
	slice    []slice
	hash     *device.SliceHash
	found    paged[uint16]   // slices of the first sectors, each as its number plus 1 once it is found
	same     paged[underway] // addresses of which updates wait for each other
	resident []cacheSet      // of the part of L2 that holds targets
	missed   uint64          // the last sector of targets that missed
	dram     server
	l2       server
	busy     paged[underway] // compare-and-swap loops: until when a swap is under way
	sm       []sm
	room     room
	requests []*request // idle
	run      *launch
	sums     bool    // partial results are sums of words
	Share    float64 // length of the whole stream over that of the sample; 0 or 1: there is none
	Stream   bool    // the call's footprint exceeds L2: loads and stores go to DRAM
	// Rows says that what is loaded and updated are rows of neighbouring sectors. Then loads take time
	// of the slices that serve atomics, since they are as many sectors as these, and memory moves two
	// neighbouring sectors at once.
	Rows   bool
	slow   bool // the kernel has global atomics: AtomicRate holds
	Instrs uint64
	Events uint64
	// Atomic operations of single lanes that warps asked for, and that memory made.
	Issued, Completed uint64
	end               int64 // cycles: when the last access of the kernel is done
	scratch           scratch
	// Watch, if there is one, is called after each instruction, which is an event then: with its
	// place in the program, the lanes that were active, and the cycle.
	Watch func(w *Warp, at int32, mask uint64, now int64)
}

type sm struct {
	sharedUnit         // its port serves exchange between lanes as well
	issue      []int64 // cycles: when each scheduler is free
	sector     server  // requests to L2
	slots      uint64  // places of resident blocks in shared memory
	warps      int
}

type scratch struct {
	a, b, out [64]uint64
	address   grouper
	sectors   grouper
	passes    [64]int64 // over each sector
	sorter    sorter
	groups    laneGroups
}

type block struct {
	sm      int
	slot    int      // place in the SM's shared memory
	shared  []uint32 // words
	base    uint64   // word address in the SM, for the locks
	live    int
	waiting []*Warp
}

func NewMachine(d *device.Profile, call device.Call) *Machine {
	typ := call.Type
	m := &Machine{timing: newTiming(d), typ: typ, op: call.Op, Queue: new(Queue)}
	m.sums = call.Op == device.Add && (typ == device.U32 || typ == device.I32)
	m.shared = newStages(d, d.SharedUpdate(device.Call{Type: typ, Op: call.Op}), typ)
	m.Ones = newStages(d, d.SharedUpdate(call), typ)
	m.Integer = newStages(d, d.SharedAdd(device.Call{Type: device.U32, Operand: device.One}),
		device.U32)
	swap, err := d.SharedOperation(device.OpExchange, device.U32)
	if err != nil { // not measured: through the same unit as it adds, or under the same locks
		swap = d.SharedAtomic(device.U32)
	}
	m.swap = newStages(d, swap, device.U32)
	m.scratch.sorter = newSorter(d)
	m.global = globalTiming(d.GlobalUpdate(call))
	m.counter = globalTiming(d.GlobalAtomic(device.U32))
	m.slice = make([]slice, m.slices)
	m.found, m.same = newPaged[uint16](foundSlices), newPaged[underway](sameAddresses)
	m.busy = newPaged[underway](busyAddresses)
	m.hash = d.Global.Hash
	m.sm = make([]sm, m.SMs)
	for i := range m.sm {
		m.sm[i].issue = make([]int64, m.schedulers)
	}
	return m
}

func globalTiming(a device.GlobalAtomic) atomicTiming {
	t := atomicTiming{
		swaps: a.Mechanism == device.CAS, latency: cycles(a.Latency), round: int64(a.Iteration() + 0.5),
		pass: ticks(a.Pass), same: ticks(a.SameAddress),
	}
	t.word, t.sector = t.pass, t.pass
	if a.Slice != nil {
		t.word, t.sector = ticks(a.Slice.Word), ticks(a.Slice.Sector)
		t.pass, t.requests = t.word, int(a.Slice.Requests.Value)
	}
	return t
}
