package calls

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/bindings/cuda/ptx"
	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/device"
)

// callsGPU performs the kernels of suite calls one after the other on host
// memory, without sharing code with what it tests.
type callsGPU struct {
	description driver.Description
	memory      map[uint64][]byte // by address
	next        uint64
	allocated   int // pieces that are not freed
	left        uint64
	launches    []callsLaunch
	residents   int // blocks per SM that Resident answers; 0: all that shared memory allows
	clockUS     float64
	wrongTags   int // in tables of hot targets
	clears      int
	// fault, if there is one, may change what an updating kernel leaves.
	fault func(kernel string, target []byte, old []byte)
}

type callsLaunch struct {
	module, kernel string
	shape          device.Shape
	args           []any
}

type callsKernel struct{ module, name string }

func (k callsKernel) Name() string   { return k.name }
func (k callsKernel) Module() string { return k.module }

// h200 is what a driver says of an H200, as far as launches ask.
func h200Description() driver.Description {
	return driver.Description{Name: "NVIDIA H200", Major: 9, Attributes: []driver.Attribute{
		{Name: "sm_count", Value: 132, Unit: "1"}, {Name: "warp_lanes", Value: 32, Unit: "1"},
		{Name: "max_threads_per_sm", Value: 2048, Unit: "1"},
		{Name: "max_blocks_per_sm", Value: 32, Unit: "1"}, {Name: "max_threads_per_block", Value: 1024,
			Unit: "1"},
		{Name: "shared_bytes_per_sm", Value: 233472, Unit: "byte"},
		{Name: "shared_bytes_per_block", Value: 232448, Unit: "byte"},
		{Name: "shared_bytes_reserved", Value: 1024, Unit: "byte"},
	}}
}

func newCallsGPU() *callsGPU {
	return &callsGPU{description: h200Description(), memory: map[uint64][]byte{}, next: 1 << 40,
		left: 4 << 30}
}

func (g *callsGPU) Describe() driver.Description { return g.description }
func (g *callsGPU) Wait() error                  { return nil }
func (g *callsGPU) Clocks() (int, int)           { return 0, 0 }

func (g *callsGPU) Kernel(module, name string) (driver.Kernel, error) {
	return callsKernel{module, name}, nil
}

func (g *callsGPU) Alloc(bytes uint64) (driver.Memory, error) {
	if bytes > g.left {
		return driver.Memory{}, fmt.Errorf("%w: %d bytes", driver.ErrMemory, bytes)
	}
	m := driver.Memory{Address: g.next, Bytes: bytes}
	g.memory[m.Address] = make([]byte, bytes)
	for i := range min(bytes, 1<<20) {
		g.memory[m.Address][i] = 0xa5 // what nobody has written shows
	}
	g.next += bytes + 1<<20
	g.left -= bytes
	g.allocated++
	return m, nil
}

func (g *callsGPU) Free(m driver.Memory) {
	if g.memory[m.Address] == nil {
		panic(fmt.Sprintf("freed twice or never allocated: %+v", m))
	}
	delete(g.memory, m.Address)
	g.left += m.Bytes
	g.allocated--
}

func (g *callsGPU) at(m driver.Memory) []byte {
	b := g.memory[m.Address]
	if b == nil {
		panic(fmt.Sprintf("no memory at %+v", m))
	}
	return b
}

func (g *callsGPU) Upload(to driver.Memory, from []byte) error {
	if copy(g.at(to), from) != len(from) {
		return fmt.Errorf("%w: %d bytes into %d", driver.ErrDriver, len(from), to.Bytes)
	}
	return nil
}

func (g *callsGPU) Download(to []byte, from driver.Memory) error {
	copy(to, g.at(from))
	return nil
}

func (g *callsGPU) Clear(m driver.Memory, bytes uint64) error {
	g.clockUS += float64(bytes) / 4e6
	g.clears++
	clear(g.at(m)[:bytes])
	return nil
}

// Launch runs the kernel at once.
func (g *callsGPU) Launch(k driver.Kernel, l device.Shape, args ...any) error {
	kernel := k.(callsKernel)
	if err := checkArguments(kernel, args); err != nil {
		return err
	}
	launch := callsLaunch{kernel.module, kernel.name, l, args}
	g.launches = append(g.launches, launch)
	g.clockUS += 2
	return g.perform(launch)
}

func (g *callsGPU) Time(enqueue func() error) (float64, error) {
	before := g.clockUS
	err := enqueue()
	return g.clockUS - before, err
}

func (g *callsGPU) Resident(k driver.Kernel, threads int, sharedBytes uint64) (int, error) {
	if g.residents > 0 {
		return g.residents, nil
	}
	return min(2048/threads, int(233472/(sharedBytes+1024))), nil
}

// checkArguments compares what a launch passes with what the PTX of the kernel
// takes.
func checkArguments(k callsKernel, args []any) error {
	parameters, err := ptx.Parameters(k.module, k.name)
	if err != nil {
		return err
	}
	var passed []string
	for _, a := range args {
		switch a.(type) {
		case driver.Memory, uint64:
			passed = append(passed, "u64")
		case uint32:
			passed = append(passed, "u32")
		default:
			passed = append(passed, fmt.Sprintf("%T", a))
		}
	}
	if !slices.Equal(passed, parameters) {
		return fmt.Errorf("%w: %s takes %v, the launch passes %v", driver.ErrModule, k.name, parameters,
			passed)
	}
	return nil
}
