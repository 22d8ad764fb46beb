package driver

import (
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"github.com/atomtune/atomtune/probe/gpu"
)

// Settings say how a device is opened.
type Settings struct {
	// Image returns the PTX of a module.
	Image func(module string) ([]byte, error)
	// Parameters returns the PTX types of a kernel's parameters.
	Parameters func(module, kernel string) ([]string, error)
	// Loaded is called after each load of a module; nil for nobody.
	Loaded func(module string) error
}

// GPU is one device. It implements gpu.GPU, on the thread that opened it.
type GPU struct {
	library     *Library
	settings    Settings
	description gpu.Description
	device      int32
	modules     map[string]*module
	start, stop uintptr // events
	last        string  // kernel that was launched last
	dead        error   // the fault after which nothing more runs
	arguments   arguments
	log         compileLog
}

var _ gpu.GPU = (*GPU)(nil)

// Open makes a device ready. The calling goroutine keeps its thread until Close.
func (l *Library) Open(index int, s Settings) (*GPU, error) {
	d, err := l.Describe(index)
	if err != nil {
		return nil, err
	}
	g := &GPU{library: l, settings: s, description: d, modules: map[string]*module{}}
	if g.device, err = l.handle(index); err != nil {
		return nil, err
	}
	runtime.LockOSThread()
	if err := g.begin(); err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	return g, nil
}

// begin takes the device's primary context and makes two events.
func (g *GPU) begin() error {
	context := new(uintptr)
	if err := g.library.call(cuDevicePrimaryCtxRetain, uintptr(unsafe.Pointer(context)),
		uintptr(g.device)); err != nil {
		return err
	}
	if err := g.library.call(cuCtxSetCurrent, *context); err != nil {
		return err
	}
	for _, e := range []*uintptr{&g.start, &g.stop} {
		if err := g.library.call(cuEventCreate, uintptr(unsafe.Pointer(e)), 0); err != nil {
			return err
		}
	}
	return nil
}

// Close gives the device back. What was allocated is freed with it.
func (g *GPU) Close() error {
	defer runtime.UnlockOSThread()
	return g.library.call(cuDevicePrimaryCtxRelease, uintptr(g.device))
}

// Describe implements gpu.GPU.
func (g *GPU) Describe() gpu.Description { return g.description }

// Clocks implements gpu.GPU.
func (g *GPU) Clocks() (sm, memory int) { return g.library.Clocks(g.description.Index) }

// Wait implements gpu.GPU.
func (g *GPU) Wait() error { return g.call(cuCtxSynchronize) }

// Time implements gpu.GPU.
func (g *GPU) Time(enqueue func() error) (us float64, err error) {
	if err := g.call(cuEventRecord, g.start, 0); err != nil {
		return 0, err
	}
	if err := enqueue(); err != nil {
		return 0, err
	}
	if err := g.call(cuEventRecord, g.stop, 0); err != nil {
		return 0, err
	}
	if err := g.call(cuEventSynchronize, g.stop); err != nil {
		return 0, err
	}
	ms := new(float32)
	if err := g.call(cuEventElapsedTime, uintptr(unsafe.Pointer(ms)), g.start, g.stop); err != nil {
		return 0, err
	}
	return math.Round(1e6*float64(*ms)) / 1e3, nil // the device counts whole nanoseconds
}

// call calls a function of the driver, and nothing any more once a kernel has
// died. A fault shows at some later call, so the error names the kernel that was
// launched last.
//
//go:uintptrescapes
func (g *GPU) call(f function, args ...uintptr) error {
	if g.dead != nil {
		return g.dead
	}
	err := g.library.call(f, args...)
	if err == nil {
		return nil
	}
	if failed, ok := err.(*failure); ok && failed.code.fatal() {
		g.dead = fmt.Errorf("after the launch of %s: %w", g.last, err)
		return g.dead
	}
	return err
}
