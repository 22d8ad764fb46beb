// Package device holds what is known of each GPU as data: profiles in which every quantity carries
// its value, unit, source and rationale. It holds no formula.
//
// A new device is a file in profiles; of an NVIDIA GPU, what "atomtune fit" writes. A new quantity is a
// field of the profile with its unit and range, its default in assumed.json where older profiles lack it,
// and an estimator in package fit. Where physics or its meaning puts it below or above another
// quantity, that is a row of relations.json, with the reason and no measured number. A new operation is a
// row of call.go and update.go, and its case in hwsim/internal/arith.
//
// References: the keys [gomezluna13], [elteir11] and [egielski14] that the
// profiles' sources name are those of the project's CITATION.cff.
package device

// Schema is the version of the profile format that this package reads.
const Schema = 1

// Quantity is one number about a device with its origin.
type Quantity struct {
	Value     float64 `json:"value"`
	Unit      string  `json:"unit"`
	Source    string  `json:"source"`    // paper and page, document, or data file
	Rationale string  `json:"rationale"` // how the value follows from the source
}

// Capability is one yes-or-no fact about a device with its origin.
type Capability struct {
	Value     bool   `json:"value"`
	Source    string `json:"source"`
	Rationale string `json:"rationale"`
}

// Profile describes one GPU. The unit of every quantity, and its range if that
// is not its unit's, are fixed by the tags of its field; a profile with another unit, a
// missing quantity, one out of range or an unknown field does not load.
type Profile struct {
	Schema       int    `json:"schema"`
	Name         string `json:"name"`  // the name that --device takes
	Title        string `json:"title"` // the name on the box
	Vendor       string `json:"vendor"`
	Architecture string `json:"architecture"`
	// Estimate is there where nothing was measured on the device.
	Estimate *Estimate `json:"estimate,omitempty"`

	Core     Core        `json:"core"`
	Shared   Shared      `json:"shared"`
	Exchange Exchange    `json:"exchange"`
	Global   Global      `json:"global"`
	Memory   Memory      `json:"memory"`
	Launch   LaunchTimes `json:"launch"`
	Host     Host        `json:"host"`
	Library  Library     `json:"library"`
	Rows     RowTimes    `json:"rows"`
	// Paths is there where a device has two ways to global memory.
	Paths *Paths `json:"paths,omitempty"`

	// SharedAtomics and GlobalAtomics are the ways in which the device adds
	// atomically; Types says which of them each element type uses.
	SharedAtomics map[string]SharedAtomic `json:"shared_atomics"`
	GlobalAtomics map[string]GlobalAtomic `json:"global_atomics"`
	Types         map[Type]TypeAtomics    `json:"types"`
}

// Core is the multiprocessor (AMD: compute unit).
type Core struct {
	Clock      Quantity `json:"clock" unit:"MHz" range:"1 1e5"`
	SMs        Quantity `json:"sms" unit:"1" range:"1 4096 whole"`
	WarpLanes  Quantity `json:"warp_lanes" unit:"1" range:"16 64 power"`
	Schedulers Quantity `json:"schedulers" unit:"1" range:"1 64 whole"` // per SM
	// IssueCycles: a scheduler is busy per warp instruction.
	IssueCycles        Quantity `json:"issue_cycles" unit:"cycle"`
	ALULatency         Quantity `json:"alu_latency" unit:"cycle"`
	MaxWarps           Quantity `json:"max_warps" unit:"1" range:"1 1024 whole"` // resident per SM
	MaxBlocks          Quantity `json:"max_blocks" unit:"1" range:"1 64 whole"`  // resident per SM
	MaxThreadsPerBlock Quantity `json:"max_threads_per_block" unit:"1" range:"256 4096 power"`
	Barrier            Quantity `json:"barrier" unit:"cycle"`
}

// Shared is the scratchpad memory of an SM.
type Shared struct {
	BytesPerSM    Quantity `json:"bytes_per_sm" unit:"byte" range:"16384 4194304 whole"`
	BytesPerBlock Quantity `json:"bytes_per_block" unit:"byte" range:"16384 4194304 whole"`
	Banks         Quantity `json:"banks" unit:"1" range:"1 1024 power"`
	BankBytes     Quantity `json:"bank_bytes" unit:"byte" range:"4 16 whole"`
	LoadLatency   Quantity `json:"load_latency" unit:"cycle"`
	// PassLatency: added per further pass of a bank conflict.
	PassLatency Quantity `json:"pass_latency" unit:"cycle"`
	PassPort    Quantity `json:"pass_port" unit:"cycle"` // the SM's port is busy per pass
	// ContendedAdds are the adds to a word that come through in an iteration of a loop in
	// hardware, whatever the number of warps that try.
	ContendedAdds Quantity `json:"contended_adds" unit:"1" range:"0.1 64"`
	// InStep is the share of the adds that wait for others as if a block's warps kept step.
	InStep Quantity `json:"in_step" unit:"1" range:"0 1"`
	// BlockLocality is the part of its targets that a block's warps keep in common, beyond
	// what any warps have in common, once they are at different parts of the stream.
	BlockLocality Quantity `json:"block_locality" unit:"1" range:"0 1"`
}

// Exchange is communication within a warp. Where the device has no shuffle or
// no ballot, kernels go through shared memory.
type Exchange struct {
	HasShuffle     Capability `json:"has_shuffle"`
	HasBallot      Capability `json:"has_ballot"`
	HasMatch       Capability `json:"has_match"`
	ShuffleLatency Quantity   `json:"shuffle_latency" unit:"cycle"`
	ShufflePort    Quantity   `json:"shuffle_port" unit:"cycle"`
	BallotLatency  Quantity   `json:"ballot_latency" unit:"cycle"`
	BallotPort     Quantity   `json:"ballot_port" unit:"cycle"`
	MatchLatency   Quantity   `json:"match_latency" unit:"cycle"` // plus MatchKey per distinct key
	// MatchKey: per distinct key of the warp.
	MatchKey     Quantity `json:"match_key_latency" unit:"cycle/key"`
	MatchPort    Quantity `json:"match_port" unit:"cycle"` // plus MatchKeyPort per distinct key
	MatchKeyPort Quantity `json:"match_key_port" unit:"cycle/key"`
}

// Global is the path from an SM to the L2 cache.
type Global struct {
	LoadLatency Quantity `json:"load_latency" unit:"cycle"` // hit in L2
	MissLatency Quantity `json:"miss_latency" unit:"cycle"` // added when L2 misses
	SectorBytes Quantity `json:"sector_bytes" unit:"byte" range:"8 4096 whole"`
	// SMSector: between two passes of atomic requests of one SM.
	SMSector Quantity `json:"sm_sector" unit:"cycle"`
	Slices   Quantity `json:"slices" unit:"1" range:"1 4096 whole"`
	// ChunkBytes: consecutive bytes on one slice
	ChunkBytes Quantity `json:"chunk_bytes" unit:"byte" range:"1 1048576 whole"`
	// The chunks of an aligned region take turns on RegionSlices slices;
	// which ones, an address hash of the region's number says.
	RegionBytes  Quantity `json:"region_bytes" unit:"byte" range:"1 16777216 whole"`
	RegionSlices Quantity `json:"region_slices" unit:"1" range:"1 4096 whole"`
	// Hash is there where it was found; it says more than regions and chunks do.
	Hash *SliceHash `json:"hash,omitempty"`
	// InOrder is set where a slice takes as long as if it completed its requests in
	// their order, so that one that misses holds up those behind it.
	InOrder Capability `json:"in_order"`
	// SliceRequests: of a slice, under way at once
	SliceRequests Quantity `json:"slice_requests" unit:"1" range:"1 4096"`
	// StorePass: a slice is busy per stored part of a sector.
	StorePass Quantity `json:"store_pass" unit:"cycle"`
	// Answers is there where slices were measured; elsewhere old values cost nothing.
	Answers *AnswerTiming `json:"answers,omitempty"`
}

// Memory is the L2 cache and the DRAM behind it.
type Memory struct {
	DRAMRate Quantity `json:"dram_rate" unit:"byte/s" range:"1e6 1e15"`
	L2Rate   Quantity `json:"l2_rate" unit:"byte/s" range:"1e6 1e16"`
	// AtomicRate: of loads and stores in a kernel with global atomics.
	AtomicRate Quantity `json:"atomic_kernel_rate" unit:"byte/s" range:"1e6 1e16"`
	L2Bytes    Quantity `json:"l2_bytes" unit:"byte"`
	// L2AtomicBytes: target footprint that stays in L2 under atomics.
	L2AtomicBytes Quantity `json:"l2_atomic_bytes" unit:"byte"`
	// MissBytes: DRAM traffic charged for one atomic miss.
	MissBytes Quantity `json:"miss_bytes" unit:"byte"`
	L2Ways    Quantity `json:"l2_ways" unit:"1" range:"1 1024 whole"` // of a set
	// L2Copies: parts of L2 that hold a sector that is not under atomics.
	L2Copies Quantity `json:"l2_copies" unit:"1"`
	// FillBytes: DRAM traffic of a stored part of a sector that misses.
	FillBytes Quantity `json:"fill_bytes" unit:"byte"`
	HotWarps  Quantity `json:"hot_warps" unit:"1"` // that hold a target, from which on L2 keeps it
}

// LaunchTimes are what a call costs before its kernels do anything.
type LaunchTimes struct {
	First Quantity `json:"first" unit:"us"` // a call with one kernel, between two events
	// Next: each further kernel, while the device waits for the host
	Next Quantity `json:"next" unit:"us"`
	// Gap: between dependent kernels, while the host waits for the device.
	Gap Quantity `json:"gap" unit:"us"`
	// ClearFree is the largest clear that costs no launch of its own.
	ClearFree Quantity `json:"clear_free" unit:"byte"`
	// LaterStart is by how much a kernel of updates begins later than an empty one.
	LaterStart Quantity `json:"later_start" unit:"us"`
}

// Library is the vendor's library that sorts and reduces segments. Its kernels keep
// a tile of keys in registers, so that few of their warps are resident.
type Library struct {
	// SortWarps: resident per SM, of a pass of the sort
	SortWarps Quantity `json:"sort_warps" unit:"1" range:"1 1024"`
	SortKeys  Quantity `json:"sort_keys" unit:"1" range:"1 1024"` // of a thread in a tile of a pass
	// SegmentWarps: resident per SM, of a segmented reduction
	SegmentWarps Quantity `json:"segment_warps" unit:"1" range:"1 1024"`
	// SegmentKeys: of a thread in a tile of a segmented reduction.
	SegmentKeys Quantity `json:"segment_keys" unit:"1" range:"1 1024"`
	// FirstWords and FurtherWords are the parts of the wait for a key that each further
	// word of its value adds: in the first tile, and in those behind it.
	FirstWords   Quantity `json:"first_words" unit:"1"`
	FurtherWords Quantity `json:"further_words" unit:"1"`
}

// RowTimes are what row scatters take (package speedup), and how the device adds them. Cycles are
// of a slice of L2, but for those of an SM.
type RowTimes struct {
	Launch   Quantity `json:"launch" unit:"us"`                 // a kernel of updates, behind another
	Table    Quantity `json:"table" unit:"us"`                  // with a table: finding the hot rows
	TableKiB Quantity `json:"table_kib" unit:"us"`              // for each KiB of a warp's sums: clearing and adding them
	Sort     Quantity `json:"sort" unit:"us"`                   // the kernels of a sort
	SortKey  Quantity `json:"sort_key" unit:"cycle"`            // of an SM for an index and 8 bits of its row
	Turn     Quantity `json:"turn" unit:"cycle"`                // of an SM for a warp's turn
	Hit      Quantity `json:"hit" unit:"cycle"`                 // and for each different hot row in it
	First    Quantity `json:"first" unit:"cycle"`               // for the first sector of a row
	Alone    Quantity `json:"alone" unit:"1" range:"0 1"`       // of that, where one lane holds the row
	Further  Quantity `json:"further" unit:"cycle"`             // and for each further sector
	Chunk    Quantity `json:"chunk" unit:"cycle"`               // between two rows in the same 256 bytes, with a sector each
	Sector   Quantity `json:"sector" unit:"cycle"`              // and for each further sector there
	Halves   Quantity `json:"halves" unit:"1"`                  // times as long where lanes add half words
	Rate     Quantity `json:"rate" unit:"1" range:"0.001 1000"` // of the rate of kernels with atomics
	// Together is the exponent with which parts that overlap add up.
	Together Quantity `json:"together" unit:"1" range:"1 64"`
	// Vectors says that one request adds a piece of a row.
	Vectors Capability `json:"vectors"`
}

// Paths is a device with two ways from its compute units to global memory: the FastPath for loads
// and stores of words, at dram_rate, and the CompletePath for everything, at atomic_kernel_rate. A
// kernel with one atomic operation sends all its accesses down the CompletePath. There a load has
// two phases: an atomic unit copies the old value into a buffer, lane by lane where lanes want the
// same word, and a normal load reads the buffer.
type Paths struct {
	CopySame Quantity `json:"copy_same" unit:"cycle"` // between two lanes whose loads copy one word
	// Segment: moved by one access of the FastPath at least
	Segment Quantity `json:"segment" unit:"byte" range:"4 1048576"`
	// Clause: independent loads of a wavefront under way at once.
	Clause Quantity `json:"clause" unit:"1" range:"1 1048576"`
	Fence  Quantity `json:"fence" unit:"cycle"` // on global memory, beside waiting for stores
	// Turn: of a waiting loop, beside its load: clauses change.
	Turn     Quantity `json:"turn" unit:"cycle"`
	Dispatch Quantity `json:"dispatch" unit:"cycle"` // between the starts of two workgroups
	// Around: a kernel that does nothing, as its own times show it.
	Around Quantity `json:"around_kernel" unit:"us"`
}

// Host is the processor that prepares a call.
type Host struct {
	Relayout Quantity `json:"relayout" unit:"ns/update"` // grouping and re-laying updates for ss
}

// Mechanism is the way in which a memory adds atomically.
type Mechanism string

// The mechanisms.
const (
	Native Mechanism = "native" // a unit beside the memory adds
	Merge  Mechanism = "merge"  // a unit beside the memory counts: lanes on one address are one pass
	Lock   Mechanism = "lock"   // the warp loops over read-and-lock, add, write-and-unlock
	// A loop over read, add and hardware compare-and-swap, one lane per lock and turn.
	Spin   Mechanism = "spin"
	CAS    Mechanism = "cas"    // a software loop over load, add, compare-and-swap
	Access Mechanism = "access" // a plain load or store: nothing is added
	Absent Mechanism = "none"   // there is no such atomic on the device
)

// SharedAtomic is one way of working on words of shared memory: of adding
// atomically, mostly. Latencies are those of one warp alone.
type SharedAtomic struct {
	Mechanism   Mechanism `json:"mechanism"`
	Instruction string    `json:"instruction"`
	Base        Quantity  `json:"base" unit:"cycle"` // no conflict
	// Round: each further iteration of the loop; native: each further lane on one bank.
	Round Quantity `json:"round" unit:"cycle"`
	// Bank: each further pass of a bank conflict; of a loop, when it reads.
	Bank  Quantity `json:"bank" unit:"cycle"`
	Write Quantity `json:"write" unit:"cycle"` // of a loop: each further pass when it writes
	// Port: the SM's port is busy per pass, of a loop per reading pass.
	Port      Quantity `json:"port" unit:"cycle"`
	WritePort Quantity `json:"write_port" unit:"cycle"` // of a loop per writing pass
	// Hold: of a loop: how long an address (lock: a lock bit) keeps other warps out.
	Hold  Quantity `json:"hold" unit:"cycle"`
	Locks Quantity `json:"locks" unit:"1"` // lock bits; 0 if there are none
	// Warp is there where single warps were measured pattern by pattern.
	Warp *WarpTiming `json:"warp,omitempty"`
}

// WarpTiming is what measured patterns of single warps show beside base, rounds and banks.
type WarpTiming struct {
	// At the branch of a loop the warp splits into lanes that are done and lanes that go round
	// again. Where the done ones are more, they leave first and wait: Park. If the others split
	// again after that, the parked lanes cost Merge the first time in an operation and save
	// MergeSaved each further time.
	Park       Quantity `json:"park" unit:"cycle"`
	Merge      Quantity `json:"merge" unit:"cycle"`
	MergeSaved Quantity `json:"merge_saved" unit:"cycle"`
	// In a loop of software whose lanes are free to run apart: Split is added where a whole warp
	// splits. If the lanes that are done are the more then, Ahead is saved; if they are again at
	// the second branch, AheadAgain besides, and if there is no second one, AheadLast.
	Split      Quantity `json:"split" unit:"cycle"`
	Ahead      Quantity `json:"ahead" unit:"cycle"`
	AheadAgain Quantity `json:"ahead_again" unit:"cycle"`
	AheadLast  Quantity `json:"ahead_last" unit:"cycle"`
	Step       Quantity `json:"step" unit:"cycle"` // added once from StepTurn turns on
	StepTurn   Quantity `json:"step_turn" unit:"1"`
	Partial    Quantity `json:"partial" unit:"cycle"` // added where lanes of the warp take no part
	// Hidden is how much of the first read's conflict passes beneath other work.
	Hidden Quantity `json:"hidden" unit:"cycle"`
	// Elements of 8 bytes are served in two halves of the warp. Half is saved in an iteration in which a
	// half has no lane left. Where neighbouring lanes, or lanes two apart, want the same words,
	// both halves are read at once, and Paired is saved besides.
	Half   Quantity `json:"half" unit:"cycle"`
	Paired Quantity `json:"paired" unit:"cycle"`
}

// GlobalAtomic is one way of adding atomically in global memory.
type GlobalAtomic struct {
	Mechanism   Mechanism `json:"mechanism"`
	Instruction string    `json:"instruction"`
	Latency     Quantity  `json:"latency" unit:"cycle"` // one update, old value returned
	Pass        Quantity  `json:"pass" unit:"cycle"`    // a slice is busy per pass over one sector
	// SameAddress: between two updates of one address; of one sector, where Slice is there.
	SameAddress Quantity `json:"same_address" unit:"cycle"`
	// Slice is there where requests of different shapes were measured.
	Slice *SliceTiming `json:"slice,omitempty"`
	// Round is each further iteration of a compare-and-swap loop; without it they take
	// as long as the first.
	Round *Quantity `json:"round,omitempty" unit:"cycle"`
}

// Iteration returns the cycles of each further iteration of a compare-and-swap loop.
func (a GlobalAtomic) Iteration() float64 {
	if a.Round != nil {
		return a.Round.Value
	}
	return a.Latency.Value
}

// TypeAtomics names the atomics that an element type uses.
type TypeAtomics struct {
	Shared    string `json:"shared"`     // key of SharedAtomics
	SharedOne string `json:"shared_one"` // the key of the way to add the constant 1
	Global    string `json:"global"`     // key of GlobalAtomics
	// GlobalExtreme is the key of the way to take the smaller or larger integer
	// where that is not the way to add.
	GlobalExtreme string `json:"global_extreme,omitempty"`
	// SharedOperations are the keys of further operations on shared memory that were measured.
	SharedOperations map[Operation]string `json:"shared_operations,omitempty"`
}

// SharedAtomic returns how the device adds values of type t in shared memory.
func (p *Profile) SharedAtomic(t Type) SharedAtomic { return p.SharedAtomics[p.Types[t].Shared] }

// SharedAdd returns how the call adds in shared memory.
func (p *Profile) SharedAdd(c Call) SharedAtomic {
	if c.Operand == One {
		return p.SharedAtomics[p.Types[c.Type].SharedOne]
	}
	return p.SharedAtomic(c.Type)
}

// GlobalAtomic returns how the device adds values of type t in global memory.
func (p *Profile) GlobalAtomic(t Type) GlobalAtomic { return p.GlobalAtomics[p.Types[t].Global] }
