package coordinator

import (
	"cmp"
	"fmt"

	"github.com/atomtune/atomtune/device"
)

// Atomics says how a launch performs its atomic operations.
type Atomics uint8

const (
	Software Atomics = iota // by a coordinator workgroup
	System                  // by the device; every access goes down the CompletePath
	Leave                   // not at all: the kernel without its atomic operations
)

// Options say how to launch a kernel.
type Options struct {
	Device  *device.Profile // with the times of Paths
	Regime  Regime
	Atomics Atomics
	// AsPrinted lets the coordinator read the variables in the second step and
	// the flags of finished wavefronts one after the other in each scan, as
	// Figure 7 does. Otherwise it reads the variables with the sums, and each
	// thread reads the flags of the wavefronts that it serves.
	AsPrinted bool
	// Persistent launches no more workgroups than run at once; each executes
	// several of the kernel's, one after the other.
	Persistent bool
	// Force launches more workgroups than run at once, and CoordinatorLast dispatches the
	// coordinator's last, so that one sees what comes of it. OpenCL promises no order.
	Force, CoordinatorLast bool
	// CoordinatorWavefronts are those of its workgroup; 0 means as many as the others have.
	CoordinatorWavefronts int
	fences                Fence // of the protocol; 0 means Mended
}

type Result struct {
	Final        []uint32 // values of the shared variables
	History      []Record // the atomic operations in the order in which they returned
	Cycles       float64  // of the launch
	Instructions uint64   // of Simulation
	Events       uint64   // how often a process went on in simulated time
}

type Record struct {
	Workgroup, Wavefront, Lane int
	Variable                   int
	Op                         Op `json:",omitempty"`
	Operand, Old               uint32
	Expected                   uint32 `json:",omitempty"`
	Begin, End                 int64  // ticks at which it was called and returned
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
	perUnit := min(int(d.Core.MaxBlocks.Value), int(d.Core.MaxWarps.Value)/wavefronts)
	return perUnit * int(d.Core.SMs.Value)
}

// Run launches the kernel. The kernel is not modified, and the same kernel and
// options give the same result. Errors wrap ErrKernel, ErrOccupancy before
// anything runs, or ErrStuck.
func Run(k *Kernel, o Options) (Result, error) {
	s, err := newSim(k, o)
	if err != nil {
		return Result{}, err
	}
	for s.dispatched < min(s.workgroups(), s.resident) {
		s.dispatch(s.dispatched % int(s.Device.Core.SMs.Value))
	}
	if !s.run() || s.ended < s.workgroups() {
		return Result{}, fmt.Errorf("%w: after %d cycles %d of %d workgroups have ended and %d run, of "+
			"%d that can", ErrStuck, s.progress/tick, s.ended, s.workgroups(), s.dispatched-s.ended,
			s.resident)
	}
	r := Result{
		History: s.history, Instructions: s.Instructions, Events: s.steps,
		Cycles: float64(max(s.now, s.Drained)+s.Overhead) / tick,
	}
	for v := range k.Variables {
		r.Final = append(r.Final, s.memory.load(-1, -1, v, 1<<63-1))
	}
	return r, nil
}

func newSim(k *Kernel, o Options) (*sim, error) {
	if k == nil || o.Device == nil || o.Regime == nil || o.Atomics > Leave || o.CoordinatorWavefronts < 0 {
		return nil, fmt.Errorf("%w: no kernel, no device, no regime, atomics %d or %d wavefronts of the coordinator",
			ErrKernel, o.Atomics, o.CoordinatorWavefronts)
	}
	lanes := int(o.Device.Core.WarpLanes.Value)
	found, err := k.validate(lanes)
	if err = cmp.Or(o.Regime.Check(o.Device), err); err != nil {
		return nil, err
	}
	s := &sim{
		Simulation: Simulation{Device: o.Device, Lanes: lanes, Complete: found.atomic && o.Atomics == System},
		kernel:     k, options: o, fences: cmp.Or(o.fences, Mended), uses: found,
		fronts: len(k.Groups[0]), waiting: map[int]*Front{},
	}
	if o.Atomics == Software {
		s.CoordinatorWavefronts = cmp.Or(o.CoordinatorWavefronts, s.fronts)
	}
	fronts := max(s.fronts, s.CoordinatorWavefronts)
	s.groups, s.resident = len(k.Groups), Resident(o.Device, fronts)
	room := s.resident - min(1, s.CoordinatorWavefronts)
	if o.Persistent {
		s.groups = min(s.groups, room)
	}
	// Workgroups that need no coordinator may wait for their turn.
	if s.groups < 1 || o.Atomics == Software && s.groups > room && !o.Force {
		return nil, fmt.Errorf("%w: %d with the coordinator's, of %d wavefronts each; %s runs %d",
			ErrOccupancy, len(k.Groups)+min(1, s.CoordinatorWavefronts), fronts, o.Device.Name, s.resident)
	}
	s.Wavefronts = s.CoordinatorWavefronts + s.groups*s.fronts
	s.layout = newLayout(len(k.Variables), s.Wavefronts)
	s.memory = newMemory(s.layout.words)
	for v, value := range k.Variables {
		s.memory.words[v].value = value
	}
	s.Timing = o.Regime.Start(&s.Simulation)
	if _, ok := s.Timing.(SystemAtomics); !ok && s.Complete {
		return nil, fmt.Errorf("%w: %T has no times of system-provided atomic operations", ErrKernel,
			o.Regime)
	}
	s.timeout = s.Timeout
	return s, nil
}
