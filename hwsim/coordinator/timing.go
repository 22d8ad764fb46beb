package coordinator

import "github.com/atomtune/atomtune/device"

// Regime says how long accesses take: Paths, or one of package experiment.
type Regime interface {
	// Check reports what the regime cannot compute with.
	Check(d *device.Profile) error
	// Start returns the times of one run, and sets the overheads of the run.
	Start(s *Simulation) Timing
}

// Simulation is what a run and the times of its accesses tell each other. Times are in
// ticks.
type Simulation struct {
	Device                *device.Profile
	Lanes                 int // of a wavefront
	Wavefronts            int // of the launch, the coordinator's with them
	CoordinatorWavefronts int
	Complete              bool // all goes down the CompletePath: the device's atomic operations
	Timing                Timing

	// The overheads of the regime.
	Fence      int64        // on global memory, beside waiting for stores
	Barrier    int64        // leaving one that is complete
	Overhead   int64        // of a launch, beside its workgroups
	Clause     int          // independent loads of a wavefront under way at once, at most
	Timeout    int64        // nothing under way takes longer, but waiting
	LocalDelay func() int64 // until an operation on local memory takes effect; nil for 0
	// Wake: a wavefront that waits sees at once when what it waits for becomes visible,
	// without polling.
	Wake bool

	// What the regime counts.
	Instructions uint64 // of wavefronts, at issue or at local memory; Paths alone counts them
	Drained      int64  // when the last store or atomic operation is done
}

// Timing gives times to one run, in ticks.
type Timing interface {
	// Load returns when memory is read for the wavefront, all words together,
	// and when the values are there.
	Load(w *Front, words []LaneAccess) (sample, done int64)
	// Store sets when each word becomes visible to everyone. It and the methods below return
	// when the wavefront goes on.
	Store(w *Front, words []LaneAccess) int64
	// LocalAtomic is an atomic operation of so many lanes on one word of local memory.
	LocalAtomic(w *Front, lanes int) int64
	// Compare is so many steps of the coordinator's search.
	Compare(w *Front, steps int) int64
	// Poll is one iteration of a waiting loop, its load excepted.
	Poll(w *Front) int64
	// Access makes so many accesses of a kernel, next to each other.
	Access(w *Front, k AccessKind, n int) int64
	// Compute is so many cycles of arithmetic.
	Compute(w *Front, cycles int) int64
	// Dispatch returns when the workgroup that is dispatched as the n-th starts.
	Dispatch(n int, now int64) int64
}

type SystemAtomics interface {
	SystemAtomic(w *Front, updates []Update) int64
}

// LaneAccess is one lane's share of a load or a store.
type LaneAccess struct {
	Word   int
	Commit int64 // when a store becomes visible to everyone
	lane   int
	value  uint32  // that is stored
	result *uint32 // where a load puts the value
}

type AccessKind uint8

const (
	LoadAccess    AccessKind = iota // each lane its own word, side by side
	UniformAccess                   // all lanes load one word
	StoreAccess                     // each lane its own word, side by side
)

// Fence is a set of the points at which the protocol orders its accesses. A
// fence on local memory waits for the wavefront's own operations; a fence on
// global memory orders the wavefront's accesses before and after it, and shows
// its writes to the workgroup; a barrier lets the wavefronts of the
// coordinator's workgroup wait for each other, too.
type Fence uint16

// The points, in the order in which a request passes them, with their places in Figures 6
// and 7.
const (
	// FenceChoose stands between the lanes' votes for whose address is served next and the
	// reading of that vote, in kernels whose wavefronts update several addresses at once.
	FenceChoose    Fence = 1 << iota
	FenceClear           // before the additions to the local sum: Figure 6, line 15
	FenceSum             // before the dominant thread reads the sum: Figure 6, line 18
	FencePublish         // between the writing of the sum and of the address: in no figure
	FencePoll            // before a waiting wavefront reads the address: Figure 6, line 30
	FenceRead            // between the reading of the addresses and of the sums: in no figure
	BarrierLoad          // ends the first step of Figure 7
	BarrierCombine       // ends the second step of Figure 7
	FenceRelease         // a barrier and a fence before wavefronts are released: in no figure
	FenceUpdate          // ends the third step of Figure 7; after FenceRelease it does nothing
)

// Mended are the fences that the protocol needs, each of them.
const Mended = FenceChoose | FenceClear | FenceSum | FencePublish | FencePoll |
	FenceRead | BarrierLoad | BarrierCombine | FenceRelease
