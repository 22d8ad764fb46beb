package libcuda

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"strings"
	"unsafe"

	"github.com/atomtune/atomtune/bindings/cuda/ptx"
	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/device"
)

// load returns the handle of a module, which the driver compiles for its GPU if it is
// not loaded yet.
func (g *GPU) load(name string) (uintptr, error) {
	if m, ok := g.modules[name]; ok {
		return m, nil
	}
	text, err := ptx.Image(name)
	if err != nil {
		return 0, err
	}
	image := append(text[:len(text):len(text)], 0) // the driver reads up to a NUL
	handle, c := new(uintptr), g.log.reset()
	err = g.call("cuModuleLoadDataEx", uintptr(unsafe.Pointer(handle)),
		uintptr(unsafe.Pointer(&image[0])), uintptr(len(c.names)),
		uintptr(unsafe.Pointer(&c.names[0])), uintptr(unsafe.Pointer(&c.values[0])))
	if err != nil {
		return 0, g.refused(name, err)
	}
	g.modules[name] = *handle
	return *handle, nil
}

// refused says why the driver does not take a module: it is too old for the PTX,
// or what its compiler wrote.
func (g *GPU) refused(name string, err error) error {
	failed, ok := err.(*failure)
	m, broken := ptx.Load(name)
	if !ok || broken != nil {
		return fmt.Errorf("module %s: %w", name, cmp.Or(broken, err))
	}
	kind, advice := driver.ErrOldDriver, "update the driver"
	switch failed.code {
	case unsupportedPTXVersion:
	case invalidPTX, noBinaryForGPU:
		if !strings.Contains(g.log.quoted(), ".version") {
			kind, advice = driver.ErrModule, "update the driver, or report the fault"
		}
	default:
		return fmt.Errorf("module %s: %w%s", name, err, g.log.quoted())
	}
	d := g.description
	return fmt.Errorf("%w: driver %s (CUDA %s) refuses module %s, PTX %s for sm_%d, on %s of compute capability "+
		"%s (%s)%s: %s", kind, d.Driver, d.CUDA, name, m.Version, m.Target, d.Name, d.Capability(), failed.sentence,
		g.log.quoted(), advice)
}

// compileLog takes what the driver's compiler writes about errors. It is part of
// a GPU, which does not move, so that the driver can keep its address.
type compileLog struct {
	names  [2]uint32  // CUjit_option of cuda.h: buffer of the error log, and its size
	values [2]uintptr // of each option: a pointer, or a number in its place
	buffer [8192]byte
}

func (c *compileLog) reset() *compileLog {
	*c = compileLog{names: [2]uint32{5, 6}}
	c.values = [2]uintptr{uintptr(unsafe.Pointer(&c.buffer[0])), uintptr(len(c.buffer))}
	return c
}

func (c *compileLog) quoted() string {
	if words := strings.Fields(cString(c.buffer[:])); len(words) > 0 {
		return ", whose compiler says: " + strings.Join(words, " ")
	}
	return ""
}

type kernel struct {
	name, module string
	handle       uintptr
	parameters   []string // PTX types
	allowed      uint64   // bytes of shared memory that it may be launched with
}

func (k *kernel) Name() string   { return k.name }
func (k *kernel) Module() string { return k.module }

func (g *GPU) Kernel(module, name string) (driver.Kernel, error) {
	handle, err := g.load(module)
	if err != nil {
		return nil, err
	}
	key := module + "/" + name
	if k := g.kernels[key]; k != nil {
		return k, nil
	}
	k := &kernel{name: name, module: module}
	if k.parameters, err = ptx.Parameters(module, name); err != nil {
		return nil, err
	}
	text := append([]byte(name), 0)
	if err := g.call("cuModuleGetFunction", uintptr(unsafe.Pointer(&k.handle)), handle,
		uintptr(unsafe.Pointer(&text[0]))); err != nil {
		return nil, fmt.Errorf("kernel %s of module %s: %w", name, module, err)
	}
	g.kernels[key] = k
	return k, nil
}

// allow lets the kernel have that much shared memory, with the SM's memory split in favour of it.
func (g *GPU) allow(k *kernel, sharedBytes uint64) error {
	if sharedBytes <= k.allowed {
		return nil
	}
	const maxDynamicSharedBytes, sharedCarveoutPercent = 8, 9
	err := g.call("cuFuncSetAttribute", k.handle, maxDynamicSharedBytes, uintptr(sharedBytes))
	if err == nil {
		err = g.call("cuFuncSetAttribute", k.handle, sharedCarveoutPercent, 100)
	}
	if err != nil {
		return fmt.Errorf("%d bytes of shared memory for kernel %s: %w", sharedBytes, k.name, err)
	}
	k.allowed = sharedBytes
	return nil
}

func (g *GPU) Resident(of driver.Kernel, threads int, sharedBytes uint64) (int, error) {
	k, err := own(of)
	if err == nil {
		err = g.allow(k, sharedBytes)
	}
	if err != nil {
		return 0, err
	}
	blocks := new(int32)
	if err := g.call("cuOccupancyMaxActiveBlocksPerMultiprocessor",
		uintptr(unsafe.Pointer(blocks)), k.handle, uintptr(threads), uintptr(sharedBytes)); err != nil {
		return 0, fmt.Errorf("blocks of %d threads of kernel %s: %w", threads, k.name, err)
	}
	return int(*blocks), nil
}

func (g *GPU) Launch(of driver.Kernel, l device.Shape, args ...any) error {
	k, err := own(of)
	if err == nil {
		err = g.arguments.set(k, args)
	}
	if err == nil {
		err = g.allow(k, l.SharedBytes)
	}
	if err != nil {
		return err
	}
	g.last = k.name
	err = g.call("cuLaunchKernel", k.handle, uintptr(l.Blocks), 1, 1, uintptr(l.Threads), 1, 1,
		uintptr(l.SharedBytes), 0, uintptr(unsafe.Pointer(&g.arguments.places[0])), 0)
	runtime.KeepAlive(g)
	if err != nil && g.dead == nil {
		return fmt.Errorf("kernel %s, %d blocks of %d threads and %d bytes of shared memory: %w",
			k.name, l.Blocks, l.Threads, l.SharedBytes, err)
	}
	return err
}

func own(k driver.Kernel) (*kernel, error) {
	if mine, ok := k.(*kernel); ok && mine != nil {
		return mine, nil
	}
	return nil, fmt.Errorf("%w: a kernel of another device", driver.ErrLaunch)
}

// arguments holds the values of a launch, of more than any kernel has, and a pointer to
// each, as the driver reads them. It is part of a GPU, which does not move.
type arguments struct {
	values [32]uint64
	places [32]unsafe.Pointer
}

// set takes the arguments of a launch. One that is not of its parameter's size
// and kind is refused: the driver could not tell.
func (a *arguments) set(k *kernel, args []any) error {
	if len(args) != len(k.parameters) || len(args) > len(a.values) {
		return fmt.Errorf("%w: kernel %s has %d parameters, but got %d arguments", driver.ErrLaunch,
			k.name, len(k.parameters), len(args))
	}
	for i, arg := range args {
		bits, types := encode(arg)
		if !strings.Contains(types, k.parameters[i]) {
			return fmt.Errorf("%w: parameter %d of kernel %s is %s, but got a %T", driver.ErrLaunch, i,
				k.name, k.parameters[i], arg)
		}
		a.values[i] = bits
		a.places[i] = unsafe.Pointer(&a.values[i])
	}
	return nil
}

// encode returns the bits of an argument, least byte first, and the PTX types that a parameter for
// it can have: sign and letter of an integer say nothing of how it is passed.
func encode(arg any) (bits uint64, types string) {
	const words, doubleWords = "u32 s32 b32", "u64 s64 b64"
	switch v := arg.(type) {
	case driver.Memory:
		return v.Address, doubleWords
	case uint64:
		return v, doubleWords
	case int64:
		return uint64(v), doubleWords
	case uint32:
		return uint64(v), words
	case int32:
		return uint64(uint32(v)), words
	case float32:
		return uint64(math.Float32bits(v)), "f32"
	case float64:
		return math.Float64bits(v), "f64"
	}
	return 0, ""
}
