// Package hwsim simulates an atomic update stream on a GPU at the level of events: warps issue
// instructions, banks and locks serialise, ports, slices and DRAM queue. Every implementation is a
// kernel program that the simulator executes on the real indices and values, so it yields the final
// array as well as the time. It shares no formula with the closed forms of this project; of one
// warp on shared memory both count the same passes, and take their lengths from one profile.
//
// Run simulates a whole call; Estimate extrapolates from two samples of a long stream. The kernels are in
// internal/kernel. The device is in internal/machine, whose package comment lists what is coarse. The workgroups of a
// coordinator are processes and no kernel programs: package coordinator simulates them.
//
// References:
//
//	[egielski14]  I. Egielski, J. Huang, E. Z. Zhang. Massive Atomics for
//	              Massive Parallelism on GPUs. ISMM 2014.
//	[elteir11]    M. Elteir, H. Lin, W. Feng. Performance Characterization and
//	              Optimization of Atomic Operations on AMD GPUs. IEEE CLUSTER
//	              2011.
//	[gomezluna13] J. Gómez-Luna, J. M. González-Linares, J. I. Benavides,
//	              N. Guil. Performance Modeling of Atomic Additions on GPU
//	              Scratchpad Memory. IEEE TPDS 24(11), 2013.
//	[westphal15]  E. Westphal. Voting and Shuffling to Optimize Atomic
//	              Operations. NVIDIA developer blog, 2015.
package hwsim

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

var (
	ErrStream     = machine.ErrStream
	ErrSimulation = machine.ErrSimulation
)

// MaxUpdates and MaxBins bound what a simulation holds in memory: about 40 bytes
// per target, and 16 per update, or 56 of a sort.
const (
	MaxUpdates = kernel.MaxUpdates
	MaxBins    = kernel.MaxBins
)

// MaxBlocks bounds a grid that is fixed: each block takes events, though it has no update.
const MaxBlocks = 1 << 17

// KernelTime is the time of one launch: its name and its cycles.
type KernelTime = kernel.LaunchTime

// Config says what to simulate.
type Config struct {
	Device         *device.Profile
	Call           device.Call
	Implementation impl.Spec
	// Launch fixes what it holds of the main kernel's launch; zero fields follow the rule of
	// device.Limits.Shape. Profile.CanLaunch says what has no such launch.
	Launch device.Launch
	// Seed draws the values that are added and the start of the random sequence of `vr`.
	Seed uint64
	// Relaid leaves out the host's time for re-laying the updates of `ss`:
	// the stream counts as re-laid beforehand.
	Relaid bool

	// Coarse lets Estimate simulate kernels with private copies on a part of a
	// large device, several times as fast.
	Coarse bool

	// Sorted are the launches of SortRows on the stream, where they are known and rows are sorted.
	Sorted []KernelTime

	of     *device.Profile // the device of which Device is a part; nil: it is whole
	stream []uint32        // of which a sample is simulated
	slow   int             // an atomic update takes its slice so many times as long; 0 means once
}

// Result is the outcome of a simulation. US is the time of one call as two
// events around it see it: clearing the targets, launches, kernels and flush,
// and for `ss` the host's re-layout. Cycles is the same in SM clock cycles.
type Result struct {
	Cycles           uint64
	US               float64
	HostUS           float64 // part of US
	Updates          uint64
	WarpInstructions uint64
	Events           uint64
	Kernels          []KernelTime
	// Issued and Completed count the atomic operations of single lanes, in shared
	// and in global memory, that the kernels asked for and that memory made.
	Issued, Completed uint64
	Correct           bool     // Final equals the serial reference
	Final             []uint64 // bit patterns of the targets; nil of rows
	Returned          []uint64 // bit patterns of the old values, if the call returns them
}

// Run simulates one call on the indices, which lie below bins, and checks the final
// array against a serial reference: integers exactly; floats exactly too, because the
// values are multiples of 1/8 of at most 1, as long as no target receives more than
// 2^21 (f32) of them, and to within the error of summing in any order otherwise. The
// indices are not modified. Errors wrap device.ErrCannot, device.ErrLaunch, ErrStream or
// ErrSimulation, and of a coordinator those of package coordinator.
func Run(cfg Config, indices []uint32, bins uint64) (Result, error) {
	if cfg.Call.Wide() {
		return cfg.runRows(indices, bins)
	}
	if cfg.coordinated() {
		return cfg.runCoordinated(indices, bins)
	}
	s, order, err := cfg.open(indices, bins)
	if err != nil {
		return Result{}, err
	}
	if err := s.Run(); err != nil {
		return Result{}, err
	}
	r := outcome(s, s.HostUS+s.Elapsed(), len(indices), s.Times)
	r.HostUS, r.Final = s.HostUS, s.Output(kernel.BufTarget)
	r.Correct = arith.Correct(cfg.Call, cfg.Seed, indices, bins, r.Final)
	if s.Call.Returns {
		r.Returned = kernel.Restore(s.Output(kernel.BufReturn), order)
	}
	return r, nil
}

// outcome is that of a call of so many updates.
func outcome(s *kernel.Session, us float64, updates int, launches []KernelTime) Result {
	return Result{US: us, Cycles: cyclesOf(s.Device, us), Updates: uint64(updates), Kernels: launches,
		WarpInstructions: s.Machine.Instrs, Events: s.Machine.Events,
		Issued: s.Machine.Issued, Completed: s.Machine.Completed}
}

func cyclesOf(d *device.Profile, us float64) uint64 {
	return uint64(us*d.Core.Clock.Value + 0.5)
}

// open returns a session with everything in memory, and the order in which the updates lie there.
func (cfg Config) open(indices []uint32, bins uint64) (s *kernel.Session, order []uint32, err error) {
	if err := cfg.check(indices, bins); err != nil {
		return nil, nil, err
	}
	order = kernel.OrderOf(cfg.Device, cfg.Implementation, indices, bins)
	s = cfg.session(kernel.Permute(indices, order), bins)
	s.HostUS = cfg.hostTime(len(indices))
	s.SetValues(order)
	return s, order, nil
}

// check reports what cannot be simulated.
func (cfg Config) check(indices []uint32, bins uint64) error {
	if err := kernel.Check(cfg.Device, cfg.Call, cfg.Implementation, indices, bins); err != nil {
		return err
	}
	if n := cfg.Launch.Blocks; n > MaxBlocks {
		return fmt.Errorf("%w: %d blocks, at most %d", ErrStream, n, MaxBlocks)
	}
	return cfg.Device.CanLaunch(cfg.Implementation, cfg.Call.Type, bins, cfg.Launch)
}

// session lays out memory for a call on a stream as the device reads it.
func (cfg Config) session(indices []uint32, bins uint64) *kernel.Session {
	s := kernel.NewSession(cfg.Device, cfg.Call, cfg.Implementation, cfg.Seed)
	s.Fixed = cfg.Launch
	s.Place(indices, bins)
	return s
}

func (cfg Config) hostTime(n int) float64 {
	if cfg.Relaid {
		return 0
	}
	return kernel.HostTime(cfg.Device, cfg.Implementation, n)
}

// Scratchpad simulates one operation on the shared memory of one multiprocessor.
type Scratchpad = machine.Scratchpad

// NewScratchpad returns the shared memory of a multiprocessor on which warps perform the
// operation on elements of type t. Errors wrap device.ErrCannot.
func NewScratchpad(d *device.Profile, op device.Operation, t device.Type) (*Scratchpad, error) {
	return machine.NewScratchpad(d, op, t)
}
