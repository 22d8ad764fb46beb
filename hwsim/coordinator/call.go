package coordinator

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// MaxUpdates and MaxVariables bound what a simulated call holds in memory: about
// 200 bytes per update and 40 per variable.
const (
	MaxUpdates   = 1 << 22
	MaxVariables = 1 << 24
)

// Call is one call of the implementation `coordinator` on an index stream.
type Call struct {
	Device *device.Profile
	Call   device.Call
	Seed   uint64 // draws the values that are added
}

// KernelTime is the time of one launch: its name and its cycles.
type KernelTime struct {
	Name   string
	Cycles uint64
}

// CallResult is the outcome of a call. US is its time as two events around it see
// it: clearing the variables and the protocol's arrays, launches and kernels.
// Cycles is the same in clock cycles.
type CallResult struct {
	Cycles       uint64
	US           float64
	Updates      uint64
	Instructions uint64 // of wavefronts
	Events       uint64
	Kernels      []KernelTime
	Correct      bool // Final is that of a serial run
	Final        []uint32
}

// Run simulates the call on the indices, which lie below variables: a kernel that
// clears variables and protocol, or the protocol's arrays alone where the call keeps what
// the variables hold, then the protocol with as many workgroups of one wavefront as run at
// once with the coordinator, each of them persistent. Adding is modulo 2^32,
// whatever the sign of the type. The indices are not modified. Errors wrap
// device.ErrCannot, ErrKernel, ErrOccupancy or ErrStuck.
func (c Call) Run(indices []uint32, variables uint64) (CallResult, error) {
	if err := c.check(indices, variables); err != nil {
		return CallResult{}, err
	}
	values := c.values(len(indices))
	iterations := (len(indices) + c.lanes() - 1) / c.lanes()
	k, err := c.kernel(indices, values, int(variables), min(iterations, Resident(c.Device, 1)-1))
	if err != nil {
		return CallResult{}, err
	}
	before, l := c.before(k.Variables), newLayout(int(variables), len(k.Groups)+1)
	clears, free := l.words, int(variables)
	if c.Call.Keeps {
		clears -= l.addresses
		free = clears
	}
	cleared, err := Run(clearing(clears, c.lanes()), c.options(Leave))
	if err != nil {
		return CallResult{}, err
	}
	added, err := Run(k, c.options(Software))
	if err != nil {
		return CallResult{}, err
	}
	r := CallResult{
		Updates: uint64(len(indices)), Final: added.Final,
		Instructions: cleared.Instructions + added.Instructions,
		Events:       cleared.Events + added.Events,
	}
	around := float64(c.Device.Paths.Around.Value * c.Device.Core.Clock.Value) // which a launch's time holds
	if c.Device.Launch.ClearFree.Value < 4*float64(free) {
		r.Kernels = append(r.Kernels, KernelTime{"clear", uint64(cleared.Cycles - around + 0.5)})
	}
	r.Kernels = append(r.Kernels, KernelTime{"coordinator", uint64(added.Cycles - around + 0.5)})
	r.US = c.elapsed(r.Kernels)
	r.Cycles = uint64(float64(r.US*c.Device.Core.Clock.Value) + 0.5)
	for i, x := range indices { // a serial run
		before[x] += values[i]
	}
	r.Correct = slices.Equal(r.Final, before)
	return r, nil
}

func (c Call) check(indices []uint32, variables uint64) error {
	if c.Device == nil {
		return fmt.Errorf("%w: no device", ErrKernel)
	}
	err := c.Call.Validate()
	if err == nil {
		err = c.Device.CanCall(impl.Spec{Algorithm: impl.Coordinator}, c.Call, variables)
	}
	if err != nil {
		return err
	}
	if n := len(indices); n == 0 || n > MaxUpdates || variables > MaxVariables {
		return fmt.Errorf("%w: %d updates of %d variables, want 1 to %d of at most %d", ErrKernel, n,
			variables, MaxUpdates, MaxVariables)
	}
	return nil
}

func (c Call) lanes() int { return int(c.Device.Core.WarpLanes.Value) }

func (c Call) options(how Atomics) Options {
	return Options{Device: c.Device, Regime: Paths{}, Atomics: how, Persistent: true}
}

// kernel adds values[i] to variable indices[i]. A wavefront loads its indices, and the values
// but for ones, adds, and stores the old values where the call asks for them; workgroup g of G,
// of one wavefront, has the updates of turn t from (t*G + g)*lanes on.
func (c Call) kernel(indices, values []uint32, variables, groups int) (*Kernel, error) {
	k := &Kernel{Variables: make([]uint32, variables), Groups: make([]Workgroup, groups)}
	for g := range k.Groups {
		k.Groups[g] = make(Workgroup, 1)
	}
	s := Statement{Before: Work{Loads: 1}}
	if c.Call.Operand != device.One {
		s.Before.Loads = 2
	}
	if c.Call.Returns {
		s.After.Stores = 1
	}
	for i, variable := range indices {
		if uint64(variable) >= uint64(variables) {
			return nil, fmt.Errorf("%w: update %d: index %d is not below %d variables", ErrKernel, i,
				variable, variables)
		}
		u := Update{Lane: i % c.lanes(), Variable: int(variable), Operand: values[i]}
		w := &k.Groups[i/c.lanes()%groups][0]
		if u.Lane == 0 {
			*w = append(*w, s)
		}
		updates := &(*w)[len(*w)-1].Updates
		*updates = append(*updates, u)
	}
	return k, nil
}

// clearing is a kernel that stores so many words, a wavefront's lanes side by
// side, with workgroups enough to fill the device.
func clearing(words, lanes int) *Kernel {
	rows := (words + lanes - 1) / lanes
	k := &Kernel{Groups: make([]Workgroup, min(rows, 128))}
	for g := range k.Groups {
		stores := (rows + len(k.Groups) - 1 - g) / len(k.Groups)
		k.Groups[g] = Workgroup{Wavefront{{After: Work{Stores: stores}}}}
	}
	return k
}

func (c Call) values(n int) []uint32 {
	rng, values := rand.New(rand.NewPCG(c.Seed, 0)), make([]uint32, n)
	for i := range values {
		if values[i] = 1; c.Call.Operand != device.One {
			values[i] = rng.Uint32()
		}
	}
	return values
}

func (c Call) before(variables []uint32) []uint32 {
	if c.Call.Keeps {
		rng := rand.New(rand.NewPCG(c.Seed, 1))
		for i := range variables {
			variables[i] = rng.Uint32()
		}
	}
	return slices.Clone(variables)
}

// elapsed puts the launches in line: the host enqueues one after the other without
// waiting, and the device runs them one after the other.
func (c Call) elapsed(kernels []KernelTime) float64 {
	host := c.Device.Launch
	enqueued, end := host.First.Value, 0.0
	for _, l := range kernels {
		begin := enqueued
		if end > 0 {
			begin = max(begin, end+host.Gap.Value)
		}
		end = begin + float64(l.Cycles)/c.Device.Core.Clock.Value
		enqueued += host.Next.Value
	}
	return end
}

// Estimate returns the time of the call in microseconds: of a short stream that
// of Run, and of a longer one, of n updates, what two samples of m and m/2 of them
// say, four iterations and two of all workgroups at equal distances,
//
//	t(n) = t(m) + (n - m)*(t(m) - t(m/2))/(m/2)
//
// Streams of any length can be estimated. Errors are those of Run, and one for a simulation
// whose sums are wrong.
func (c Call) Estimate(indices []uint32, variables uint64) (us float64, err error) {
	if err := c.check(indices[:min(len(indices), MaxUpdates)], variables); err != nil {
		return 0, err
	}
	iteration, short := (Resident(c.Device, 1)-1)*c.lanes(), 0.0
	all := len(indices) / iteration
	for iterations := 2; ; iterations += 2 {
		part := indices
		if len(indices) > 6*iteration {
			part = nil
			for i := range iterations {
				first := i * all / iterations * iteration
				part = append(part, indices[first:first+iteration]...)
			}
		}
		r, err := c.Run(part, variables)
		switch {
		case err == nil && !r.Correct:
			return 0, errors.New("wrong sums")
		case err != nil || len(part) == len(indices):
			return r.US, err
		case iterations == 4:
			slope := max(0, r.US-short) / float64(2*iteration)
			return r.US + float64(slope*float64(len(indices)-4*iteration)), nil
		}
		short = r.US
	}
}
