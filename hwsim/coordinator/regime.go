package coordinator

import "github.com/atomtune/atomtune/device"

// Regime says how long accesses take: Serial or Paths.
type Regime interface {
	// check reports what the regime cannot compute with.
	check(d *device.Profile) error
	// start returns the regime's state for one run.
	start(s *sim) pace
}

// pace gives times to one run, in ticks.
type pace interface {
	// patience bounds how long anything under way may take, between two events
	// that are no waiting.
	patience() int64
	// load returns when memory is read for the wavefront, all words together,
	// and when the values are there.
	load(w *wavefront, words []int) (sample, done int64)
	// store sets when each word becomes visible to everyone, and returns how
	// long the wavefront is held.
	store(w *wavefront, words []int, commits []int64) int64
	// fence returns how long a fence on global memory holds the wavefront.
	fence(w *wavefront) int64
	// localEffect returns when an operation on local memory that is issued
	// now takes effect.
	localEffect(now int64) int64
	// localAtomic returns when a wavefront has the results of an atomic
	// operation of so many lanes on one word of local memory.
	localAtomic(w *wavefront, lanes int) int64
	// compare returns when so many turns of the coordinator's search are done.
	compare(w *wavefront, turns int) int64
	// turn returns when one turn of a waiting loop is done, its load excepted.
	turn(w *wavefront) int64
	// barrier returns when the wavefronts leave a barrier that is complete.
	barrier() int64
	// access makes so many accesses of a kernel, next to each other, and returns
	// when the wavefront goes on.
	access(w *wavefront, k accessKind, n int, p path) int64
	// read makes a load of known words, by lane, and returns when the wavefront can
	// make another one, and when the words have come.
	read(w *wavefront, words []int, p path) (issued, done int64)
	// compute returns when so many cycles of arithmetic are done.
	compute(w *wavefront, cycles int) int64
	// system executes a system-provided atomic operation of so many lanes on
	// one variable and returns when the wavefront goes on.
	system(w *wavefront, variable, lanes int) int64
	// clause is the largest number of independent loads that a wavefront has
	// under way at once.
	clause() int
	// begin returns when the workgroup that is dispatched as the n-th starts.
	begin(n int, now int64) int64
	// attentive reports that a wavefront that waits sees at once when what it
	// waits for becomes visible, without reading again and again.
	attentive() bool
	// around is the time of a launch beside its workgroups'.
	around() int64
}

// accessKind is a kind of access of a kernel.
type accessKind uint8

const (
	loadAccess    accessKind = iota // each lane its own word, side by side
	uniformAccess                   // all lanes load one word
	storeAccess                     // each lane its own word, side by side
)

// path is one of the two ways from the compute units to global memory.
type path uint8

const (
	fastPath     path = iota // loads and stores of words
	completePath             // everything, in kernels with a system-provided atomic operation
)
