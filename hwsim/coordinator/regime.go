package coordinator

import "github.com/atomtune/atomtune/device"

// Regime says how long accesses take: Paths, or one of package experiment.
type Regime interface {
	// Check reports what the regime cannot compute with.
	Check(d *device.Profile) error
	// Start returns the regime's state for one run.
	Start(s *Simulation) Pace
}

// The state of a run, for a Pace.
type (
	Simulation = sim
	Front      = wavefront // a wavefront that runs
)

// Device is the device of the run.
func (s *sim) Device() *device.Profile { return s.device }

// Now is the simulated time, in ticks.
func (w *wavefront) Now() int64 { return w.e.now }

// Group is the number of the wavefront's workgroup; 0 is the coordinator's.
func (w *wavefront) Group() int32 { return w.group.number }

// Lanes is the number of lanes of a wavefront, Pace the run's.
func (w *wavefront) Lanes() int { return w.s.lanes }
func (w *wavefront) Pace() Pace { return w.s.pace }

// Until lets simulated time pass; Acts notes that this was no waiting.
func (w *wavefront) Until(at int64) { w.until(at) }
func (w *wavefront) Acts()          { w.acts() }

// Accesses are accesses of a wavefront that a package beside this one makes, by
// the run's Pace.
type Accesses interface {
	Check(lanes int) error
	Run(w *Front, p Path)
}

// Pace gives times to one run, in ticks.
type Pace interface {
	// Patience bounds how long anything under way may take, between two events
	// that are no waiting.
	Patience() int64
	// Load returns when memory is read for the wavefront, all words together,
	// and when the values are there.
	Load(w *Front, words []int) (sample, done int64)
	// Store sets when each word becomes visible to everyone, and returns how
	// long the wavefront is held.
	Store(w *Front, words []int, commits []int64) int64
	// Fence returns how long a fence on global memory holds the wavefront.
	Fence(w *Front) int64
	// LocalEffect returns when an operation on local memory that is issued
	// now takes effect.
	LocalEffect(now int64) int64
	// LocalAtomic returns when a wavefront has the results of an atomic
	// operation of so many lanes on one word of local memory.
	LocalAtomic(w *Front, lanes int) int64
	// Compare returns when so many turns of the coordinator's search are done.
	Compare(w *Front, turns int) int64
	// Turn returns when one turn of a waiting loop is done, its load excepted.
	Turn(w *Front) int64
	// Barrier returns when the wavefronts leave a barrier that is complete.
	Barrier(now int64) int64
	// Access makes so many accesses of a kernel, next to each other, and returns
	// when the wavefront goes on.
	Access(w *Front, k AccessKind, n int, p Path) int64
	// Compute returns when so many cycles of arithmetic are done.
	Compute(w *Front, cycles int) int64
	// System executes a system-provided atomic operation of so many lanes on
	// one variable and returns when the wavefront goes on.
	System(w *Front, variable, lanes int) int64
	// Clause is the largest number of independent loads that a wavefront has
	// under way at once.
	Clause() int
	// Begin returns when the workgroup that is dispatched as the n-th starts.
	Begin(n int, now int64) int64
	// Attentive reports that a wavefront that waits sees at once when what it
	// waits for becomes visible, without reading again and again.
	Attentive() bool
	// Around is the time of a launch beside its workgroups'.
	Around() int64
}

// AccessKind is a kind of access of a kernel.
type AccessKind uint8

const (
	loadAccess    AccessKind = iota // each lane its own word, side by side
	uniformAccess                   // all lanes load one word
	storeAccess                     // each lane its own word, side by side
)

// Path is one of the two ways from the compute units to global memory.
type Path uint8

const (
	FastPath     Path = iota // loads and stores of words
	CompletePath             // everything, in kernels with a system-provided atomic operation
)

// Fence is a set of the points at which the protocol orders its accesses. A
// fence on local memory waits for the wavefront's own operations; a fence on
// global memory orders the wavefront's accesses before and after it, and shows
// its writes to the workgroup; a barrier lets the wavefronts of the
// coordinator's workgroup wait for each other, too.
type Fence uint16

// The points, in the order in which a request passes them.
const (
	// FenceChoose stands between the lanes' votes for whose address is served
	// next and the reading of that vote. Only kernels whose wavefronts update
	// several addresses at once have it.
	FenceChoose Fence = 1 << iota
	// FenceClear stands between the clearing of the local sum and the
	// additions to it: Figure 6, line 15 (mem_fence, local).
	FenceClear
	// FenceSum stands between the additions to the local sum and its reading
	// by the dominant thread: Figure 6, line 18 (mem_fence, local).
	FenceSum
	// FencePublish stands between the writing of the sum and that of the
	// address. Figure 6 has no fence there.
	FencePublish
	// FencePoll stands before each reading of the address while the
	// wavefront waits: Figure 6, line 30 (mem_fence, global).
	FencePoll
	// FenceRead stands between the coordinator's reading of the addresses and
	// of the sums. Figure 7 has no fence there.
	FenceRead
	// BarrierLoad ends the first step of Figure 7 (barrier, local).
	BarrierLoad
	// BarrierCombine ends the second step of Figure 7 (barrier, local).
	BarrierCombine
	// FenceRelease is a barrier and a fence on global memory between the
	// writing of old values and variables and the releasing of the
	// wavefronts. Figure 7 has neither.
	FenceRelease
	// FenceUpdate ends the third step of Figure 7 (mem_fence, global). With
	// FenceRead and FenceRelease it has nothing left to do.
	FenceUpdate
)

// Mended are the fences that the protocol needs, each of them.
const Mended = FenceChoose | FenceClear | FenceSum | FencePublish | FencePoll |
	FenceRead | BarrierLoad | BarrierCombine | FenceRelease
