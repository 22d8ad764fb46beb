package coordinator

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
)

// Atomics says how a launch performs its atomic operations.
type Atomics uint8

// How.
const (
	Software Atomics = iota // by a coordinator workgroup
	System                  // by the device; every access goes down the CompletePath
	Leave                   // not at all: the kernel without its atomic operations
)

// Options say how to launch a kernel.
type Options struct {
	// Device says how many workgroups run at once, and how many lanes a
	// wavefront has. Of Paths it also gives the times.
	Device  *device.Profile
	Regime  Regime
	Atomics Atomics
	// Fences are those of the protocol; 0 means Mended.
	Fences Fence
	// AsPrinted lets the coordinator read the variables in the second step and
	// the flags of finished wavefronts one after the other in each scan, as
	// Figure 7 does. Otherwise it reads the variables with the sums, and each
	// thread reads the flags of the wavefronts that it serves.
	AsPrinted bool
	// Persistent launches no more workgroups than run at once; each executes
	// several of the kernel's, one after the other.
	Persistent bool
	// Force launches more workgroups than run at once, so that one sees why
	// that is an error.
	Force bool
	// Order is the order in which workgroups are dispatched; 0 is the
	// coordinator, g+1 the g-th of the others. nil means 0, 1, 2 and so on.
	// OpenCL promises no order.
	Order []int
	// CoordinatorWavefronts is the number of wavefronts of the coordinator's
	// workgroup; 0 means as many as the others have.
	CoordinatorWavefronts int
}

// Counts are how often the wavefronts did something.
type Counts struct {
	Scans  int // of wavefronts of the coordinator
	Polls  int // of waiting wavefronts
	Loads  int // from global memory, of the protocol
	Stores int // to global memory, of the protocol
	// Instructions are those of wavefronts that take a turn at issue or at local
	// memory; Paths alone counts them.
	Instructions uint64
	// Events is how often a process went on in simulated time.
	Events uint64
}

// Result is the outcome of a launch.
type Result struct {
	// Final are the values of the shared variables.
	Final []uint32
	// History are the atomic operations in the order in which they returned.
	History []Record
	// Cycles is the time of the launch, AtomicCycles the time until the last
	// atomic operation has returned.
	Cycles, AtomicCycles float64
	Counts               Counts
	// Workgroups is how many were launched, the coordinator's with them.
	Workgroups int
}

// Resident returns the largest number of workgroups of so many wavefronts that
// the device runs at once, for a kernel that is limited by nothing else:
//
//	min(max_blocks, floor(max_warps / wavefronts)) * sms
//
// [elteir11] section IV-A has 7 * 20 = 140 for a simple kernel.
func Resident(d *device.Profile, wavefronts int) int {
	if wavefronts < 1 {
		return 0
	}
	return min(int(d.Core.MaxBlocks.Value), int(d.Core.MaxWarps.Value)/wavefronts) * int(
		d.Core.SMs.Value)
}

// Run launches the kernel. The kernel is not modified, and the same kernel and
// options give the same result. Errors wrap ErrKernel, ErrOccupancy before
// anything runs, or ErrStuck.
func Run(k *Kernel, o Options) (Result, error) {
	s, resident, err := newSim(k, o)
	if err != nil {
		return Result{}, err
	}
	s.dispatchReady(resident)
	if !s.run() || s.dispatch.ended < len(s.dispatch.order) {
		return Result{}, s.stuck(resident)
	}
	r := Result{
		History: s.history, Counts: s.counts(), Workgroups: len(s.dispatch.order),
		Cycles:       float64(max(s.now, s.drained)+s.pace.Around()) / tick,
		AtomicCycles: float64(s.answered) / tick,
	}
	for v := range k.Variables {
		r.Final = append(r.Final, s.memory.final(v))
	}
	return r, nil
}

func (s *sim) counts() Counts {
	c := s.count
	c.Events = s.steps
	return c
}

func newSim(k *Kernel, o Options) (*sim, int, error) {
	if k == nil || o.Device == nil || o.Regime == nil {
		return nil, 0, fmt.Errorf("%w: no kernel, no device or no regime", ErrKernel)
	}
	if o.Atomics > Leave || o.CoordinatorWavefronts < 0 {
		return nil, 0, fmt.Errorf("%w: atomics %d, %d wavefronts of the coordinator", ErrKernel,
			o.Atomics, o.CoordinatorWavefronts)
	}
	lanes := int(o.Device.Core.WarpLanes.Value)
	if lanes < 1 || lanes > WavefrontLanes {
		return nil, 0, fmt.Errorf("%w: %s has wavefronts of %d lanes, at most %d", ErrKernel,
			o.Device.Name, lanes, WavefrontLanes)
	}
	if err := o.Regime.Check(o.Device); err != nil {
		return nil, 0, err
	}
	if err := k.validate(lanes); err != nil {
		return nil, 0, err
	}
	s := &sim{
		kernel: k, shape: k.shape(), options: o, fences: o.Fences, device: o.Device, lanes: lanes,
		fronts: len(k.Groups[0]), waiting: map[int]*wavefront{},
	}
	if s.fences == 0 {
		s.fences = Mended
	}
	if o.Atomics == Software {
		s.helpers = s.fronts
		if o.CoordinatorWavefronts > 0 {
			s.helpers = o.CoordinatorWavefronts
		}
	}
	resident := Resident(o.Device, max(s.fronts, s.helpers))
	groups, err := s.workgroups(resident)
	if err != nil {
		return nil, 0, err
	}
	if s.dispatch.order, err = s.order(groups); err != nil {
		return nil, 0, err
	}
	s.slots = s.helpers + groups*s.fronts
	s.layout = newLayout(len(k.Variables), s.slots)
	s.memory = newMemory(s.layout.words)
	for v, value := range k.Variables {
		s.memory.words[v].value = value
	}
	s.pace = o.Regime.Start(s)
	s.patient = s.pace.Patience()
	return s, resident, nil
}

// coordinators is the number of coordinator workgroups.
func (s *sim) coordinators() int { return min(1, s.helpers) }

// workgroups returns how many workgroups the launch has beside the coordinator's.
func (s *sim) workgroups(resident int) (int, error) {
	groups, room := len(s.kernel.Groups), resident-s.coordinators()
	if s.options.Persistent {
		groups = min(groups, room)
	}
	// Workgroups that need no coordinator may wait for their turn.
	overfull := s.options.Atomics == Software && groups > room && !s.options.Force
	if groups < 1 || resident < 1 || overfull {
		return 0, fmt.Errorf("%w: %d with the coordinator's, of %d wavefronts each; %s runs %d",
			ErrOccupancy, len(s.kernel.Groups)+s.coordinators(), max(s.fronts, s.helpers), s.device.Name,
			resident)
	}
	return groups, nil
}

func (s *sim) order(groups int) ([]int, error) {
	n := groups + s.coordinators()
	first := 1 - s.coordinators()
	if s.options.Order == nil {
		order := make([]int, n)
		for i := range order {
			order[i] = first + i
		}
		return order, nil
	}
	seen := make([]bool, n+1)
	for i, g := range s.options.Order {
		if g < first || g >= first+n || seen[g] {
			return nil, fmt.Errorf("%w: order: place %d: workgroup %d stands twice or is none of %d to %d",
				ErrKernel, i, g, first, first+n-1)
		}
		seen[g] = true
	}
	if len(s.options.Order) != n {
		return nil, fmt.Errorf("%w: order: %d workgroups, want %d", ErrKernel, len(s.options.Order), n)
	}
	return s.options.Order, nil
}

// stuck describes a launch in which nothing can happen any more.
func (s *sim) stuck(resident int) error {
	waiting := ""
	for _, g := range s.dispatch.order[s.dispatch.next:] {
		if g == 0 && s.helpers > 0 {
			waiting = ", the coordinator's among those that wait for room"
		}
	}
	return fmt.Errorf("%w: after %d cycles %d of %d workgroups have ended and %d run, of %d that "+
		"can%s",
		ErrStuck, s.moved/tick, s.dispatch.ended, len(s.dispatch.order), s.dispatch.running, resident,
		waiting)
}

// path is the way of the kernel's accesses: [elteir11] section II-B, one
// system-provided atomic operation sends all of them down the CompletePath.
func (s *sim) path() Path {
	if s.options.Atomics == System && s.shape.atomic {
		return CompletePath
	}
	return FastPath
}
