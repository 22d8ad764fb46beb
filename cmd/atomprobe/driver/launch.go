package driver

import (
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"github.com/atomtune/atomtune/probe/gpu"
)

// kernel is a loaded kernel.
type kernel struct {
	name       string
	module     string
	handle     uintptr
	parameters []string // PTX types
	allowed    uint64   // bytes of shared memory that it may be launched with
}

// Name implements gpu.Kernel.
func (k *kernel) Name() string { return k.name }

// Module implements gpu.Kernel.
func (k *kernel) Module() string { return k.module }

// Kernel implements gpu.GPU.
func (g *GPU) Kernel(moduleName, name string) (gpu.Kernel, error) {
	m, err := g.load(moduleName)
	if err != nil {
		return nil, err
	}
	if k := m.kernels[name]; k != nil {
		return k, nil
	}
	k := &kernel{name: name, module: moduleName}
	if k.parameters, err = g.settings.Parameters(moduleName, name); err != nil {
		return nil, err
	}
	text := append([]byte(name), 0)
	if err := g.call(cuModuleGetFunction, uintptr(unsafe.Pointer(&k.handle)), m.handle,
		uintptr(unsafe.Pointer(&text[0]))); err != nil {
		return nil, fmt.Errorf("kernel %s of module %s: %w", name, moduleName, err)
	}
	m.kernels[name] = k
	return k, nil
}

// Attributes of a kernel.
const (
	maxDynamicSharedBytes = 8
	sharedCarveout        = 9
	allShared             = 100 // per cent of the SM's memory, as far as it goes
)

// allow lets the kernel have that much shared memory, with the SM's memory split
// in favour of it.
func (g *GPU) allow(k *kernel, sharedBytes uint64) error {
	if sharedBytes <= k.allowed {
		return nil
	}
	err := g.call(cuFuncSetAttribute, k.handle, maxDynamicSharedBytes, uintptr(sharedBytes))
	if err == nil {
		err = g.call(cuFuncSetAttribute, k.handle, sharedCarveout, allShared)
	}
	if err != nil {
		return fmt.Errorf("%d bytes of shared memory for kernel %s: %w", sharedBytes, k.name, err)
	}
	k.allowed = sharedBytes
	return nil
}

// Resident implements gpu.GPU.
func (g *GPU) Resident(of gpu.Kernel, threads int, sharedBytes uint64) (int, error) {
	k, err := own(of)
	if err != nil {
		return 0, err
	}
	if err := g.allow(k, sharedBytes); err != nil {
		return 0, err
	}
	blocks := new(int32)
	err = g.call(cuOccupancyMaxActiveBlocks, uintptr(unsafe.Pointer(blocks)), k.handle,
		uintptr(threads), uintptr(sharedBytes))
	if err != nil {
		return 0, fmt.Errorf("blocks of %d threads of kernel %s: %w", threads, k.name, err)
	}
	return int(*blocks), nil
}

// Launch implements gpu.GPU.
func (g *GPU) Launch(of gpu.Kernel, l gpu.Launch, args ...any) error {
	k, err := own(of)
	if err != nil {
		return err
	}
	if err := g.arguments.set(k, args); err != nil {
		return err
	}
	if err := g.allow(k, l.SharedBytes); err != nil {
		return err
	}
	g.last = k.name
	err = g.call(cuLaunchKernel, k.handle, uintptr(l.Blocks), 1, 1, uintptr(l.Threads), 1, 1,
		uintptr(l.SharedBytes), 0, uintptr(unsafe.Pointer(&g.arguments.places[0])), 0)
	runtime.KeepAlive(g)
	if err != nil && g.dead == nil {
		return fmt.Errorf("kernel %s, %d blocks of %d threads and %d bytes of shared memory: %w",
			k.name, l.Blocks, l.Threads, l.SharedBytes, err)
	}
	return err
}

func own(k gpu.Kernel) (*kernel, error) {
	if mine, ok := k.(*kernel); ok && mine != nil {
		return mine, nil
	}
	return nil, fmt.Errorf("%w: a kernel of another device", gpu.ErrLaunch)
}

// mostArguments is more than any kernel has.
const mostArguments = 32

// arguments holds the values of a launch and a pointer to each, as the driver
// reads them. It is part of a GPU, which does not move.
type arguments struct {
	values [mostArguments]uint64
	places [mostArguments]unsafe.Pointer
}

// set takes the arguments of a launch. One that is not of its parameter's size
// and kind is refused: the driver could not tell.
func (a *arguments) set(k *kernel, args []any) error {
	if len(args) != len(k.parameters) || len(args) > mostArguments {
		return fmt.Errorf("%w: kernel %s has %d parameters, but got %d arguments", gpu.ErrLaunch, k.name,
			len(k.parameters), len(args))
	}
	for i, arg := range args {
		bits, kind := encode(arg)
		if want := class(k.parameters[i]); kind != want {
			return fmt.Errorf("%w: parameter %d of kernel %s is %s, but got a %T", gpu.ErrLaunch, i, k.name,
				k.parameters[i], arg)
		}
		a.values[i] = bits
		a.places[i] = unsafe.Pointer(&a.values[i])
	}
	return nil
}

// encode returns the bits of an argument, least byte first, and its class.
func encode(arg any) (bits uint64, kind string) {
	switch v := arg.(type) {
	case gpu.Memory:
		return v.Address, "64"
	case uint64:
		return v, "64"
	case int64:
		return uint64(v), "64"
	case uint32:
		return uint64(v), "32"
	case int32:
		return uint64(uint32(v)), "32"
	case float32:
		return uint64(math.Float32bits(v)), "f32"
	case float64:
		return math.Float64bits(v), "f64"
	}
	return 0, "none"
}

// class tells integers of either size from floats: the sign and the letter of a
// PTX integer say nothing of how it is passed.
func class(parameter string) string {
	switch parameter {
	case "u64", "s64", "b64":
		return "64"
	case "u32", "s32", "b32":
		return "32"
	}
	return parameter
}
