package hwsim

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
)

// MaxCoordinated and MaxVariables bound what a call by a coordinator holds in memory: about 200 bytes per update
// and 40 per target.
const (
	MaxCoordinated = 1 << 22
	MaxVariables   = 1 << 24
)

// coordinated reports whether workgroups of the call are processes and no kernel programs: package
// coordinator simulates them.
func (cfg Config) coordinated() bool {
	return cfg.Device != nil && cfg.Implementation.Validate() == nil && cfg.Implementation.Coordinated()
}

// runCoordinated is Run of the implementation `coordinator`: a kernel that clears targets and protocol, or the
// protocol's arrays alone where the call keeps what the targets hold, then the protocol with as many workgroups of
// one wavefront as run at once with the coordinator, each of them persistent. Adding is modulo 2^32, of any values.
func (cfg Config) runCoordinated(indices []uint32, bins uint64) (Result, error) {
	if err := cfg.check(indices, bins); err != nil {
		return Result{}, err
	}
	if len(indices) > MaxCoordinated || bins > MaxVariables {
		return Result{}, fmt.Errorf("%w: %d updates of %d targets, a coordinator has at most %d of %d", ErrStream,
			len(indices), bins, MaxCoordinated, MaxVariables)
	}
	draw := func(sequence uint64, n int, drawn bool, otherwise uint32) []uint32 {
		rng, list := rand.New(rand.NewPCG(cfg.Seed, sequence)), slices.Repeat([]uint32{otherwise}, n)
		for i := range list {
			if drawn {
				list[i] = rng.Uint32()
			}
		}
		return list
	}
	values := draw(0, len(indices), cfg.Call.Operand != device.One, 1)
	k := cfg.coordinatedKernel(indices, values, draw(1, int(bins), cfg.Call.Keeps, 0))
	all, protocol := coordinator.Words(int(bins), len(k.Groups)+1)
	clears, free := all, int(bins)
	if cfg.Call.Keeps {
		clears, free = protocol, protocol
	}
	r := Result{Updates: uint64(len(indices))}
	run := func(name string, k *coordinator.Kernel, how coordinator.Atomics, costs bool) ([]uint32, error) {
		of, err := coordinator.Run(k, coordinator.Options{Device: cfg.Device, Regime: coordinator.Paths{}, Atomics: how,
			Persistent: true})
		r.WarpInstructions, r.Events = r.WarpInstructions+of.Instructions, r.Events+of.Events
		if costs { // a launch's time holds that around a kernel
			around := cfg.Device.Paths.Around.Value * cfg.Device.Core.Clock.Value
			r.Kernels = append(r.Kernels, KernelTime{Name: name, Cycles: uint64(of.Cycles - around + 0.5)})
		}
		return of.Final, err
	}
	_, err := run("clear", clearing(clears, cfg.lanes()), coordinator.Leave,
		cfg.Device.Launch.ClearFree.Value < 4*float64(free))
	if err != nil {
		return Result{}, err
	}
	final, err := run("coordinator", k, coordinator.Software, true)
	if err != nil {
		return Result{}, err
	}
	for _, v := range final {
		r.Final = append(r.Final, uint64(v))
	}
	r.US = kernel.InLine(cfg.Device, r.Kernels)
	r.Cycles = cyclesOf(cfg.Device, r.US)
	for i, x := range indices { // a serial run
		k.Variables[x] += values[i]
	}
	r.Correct = slices.Equal(final, k.Variables)
	return r, nil
}

func (cfg Config) lanes() int { return int(cfg.Device.Core.WarpLanes.Value) }

// coordinatedKernel adds to the targets. A wavefront loads its indices, and the values but for ones, adds, and
// stores the old values where the call asks for them; workgroup g of G, of one wavefront, has the updates of turn
// t from (t*G + g)*lanes on.
func (cfg Config) coordinatedKernel(indices, values, targets []uint32) *coordinator.Kernel {
	lanes := cfg.lanes()
	groups := min((len(indices)+lanes-1)/lanes, coordinator.Resident(cfg.Device, 1)-1)
	k := &coordinator.Kernel{Variables: targets, Groups: make([]coordinator.Workgroup, groups)}
	for g := range k.Groups {
		k.Groups[g] = make(coordinator.Workgroup, 1)
	}
	s := coordinator.Statement{Before: coordinator.Work{Loads: 1}}
	if cfg.Call.Operand != device.One {
		s.Before.Loads = 2
	}
	if cfg.Call.Returns {
		s.After.Stores = 1
	}
	for i, target := range indices {
		u := coordinator.Update{Lane: i % lanes, Variable: int(target), Operand: values[i]}
		w := &k.Groups[i/lanes%groups][0]
		if u.Lane == 0 {
			*w = append(*w, s)
		}
		updates := &(*w)[len(*w)-1].Updates
		*updates = append(*updates, u)
	}
	return k
}

// clearing is a kernel that stores so many words, a wavefront's lanes side by
// side, with workgroups enough to fill the device.
func clearing(words, lanes int) *coordinator.Kernel {
	rows := (words + lanes - 1) / lanes
	k := &coordinator.Kernel{Groups: make([]coordinator.Workgroup, min(rows, 128))}
	for g := range k.Groups {
		stores := (rows + len(k.Groups) - 1 - g) / len(k.Groups)
		k.Groups[g] = coordinator.Workgroup{{{After: coordinator.Work{Stores: stores}}}}
	}
	return k
}

// estimateCoordinated is Estimate of the implementation `coordinator`, of samples at equal distances.
func (cfg Config) estimateCoordinated(indices []uint32, bins uint64) (us float64, err error) {
	some := sampling{whole: 6, long: 4, level: true}
	iteration := (coordinator.Resident(cfg.Device, 1) - 1) * cfg.lanes()
	if len(indices) <= some.whole*iteration {
		return cfg.whole(indices, bins)
	}
	return some.extrapolate(len(indices), func(iterations int) (float64, int, error) {
		var part []uint32
		for i := range iterations {
			first := i * (len(indices) / iteration) / iterations * iteration
			part = append(part, indices[first:first+iteration]...)
		}
		us, err := cfg.whole(part, bins)
		return us, len(part), err
	})
}
