package libcuda

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
)

// GPU is one device. It implements driver.GPU, on the thread that opened it.
type GPU struct {
	library     *Library
	description driver.Description
	device      int32
	modules     map[string]uintptr
	kernels     map[string]*kernel // by MODULE/NAME
	start, stop uintptr            // events
	last        string             // kernel that was launched last
	dead        error              // the fault after which nothing more runs
	arguments   arguments
	log         compileLog
}

var _ driver.GPU = (*GPU)(nil)

// Open makes a device ready. The calling goroutine keeps its thread until Close.
func (l *Library) Open(index int) (*GPU, error) {
	d, err := l.Describe(index)
	if err != nil {
		return nil, err
	}
	g := &GPU{library: l, description: d, modules: map[string]uintptr{}, kernels: map[string]*kernel{}}
	if g.device, err = l.handle(index); err != nil {
		return nil, err
	}
	runtime.LockOSThread()
	context := new(uintptr)
	err = g.call("cuDevicePrimaryCtxRetain", uintptr(unsafe.Pointer(context)), uintptr(g.device))
	if err == nil {
		err = g.call("cuCtxSetCurrent", *context)
	}
	for _, e := range []*uintptr{&g.start, &g.stop} {
		if err == nil {
			err = g.call("cuEventCreate", uintptr(unsafe.Pointer(e)), 0)
		}
	}
	if err != nil {
		_ = g.Close() // what the driver said before counts
		return nil, err
	}
	return g, nil
}

// Close gives the device back. What was allocated is freed with it.
func (g *GPU) Close() error {
	defer runtime.UnlockOSThread()
	return g.library.call("cuDevicePrimaryCtxRelease_v2", uintptr(g.device))
}

func (g *GPU) Describe() driver.Description { return g.description }
func (g *GPU) Wait() error                  { return g.call("cuCtxSynchronize") }

func (g *GPU) Clocks() (sm, memory int) {
	if g.dead != nil {
		return 0, 0
	}
	return g.library.Clocks(g.description.Index)
}

func (g *GPU) Time(enqueue func() error) (us float64, err error) {
	if err = g.call("cuEventRecord", g.start, 0); err == nil {
		err = enqueue()
	}
	if err == nil {
		err = g.call("cuEventRecord", g.stop, 0)
	}
	if err == nil {
		err = g.call("cuEventSynchronize", g.stop)
	}
	if err != nil {
		return 0, err
	}
	ms := new(float32)
	err = g.call("cuEventElapsedTime", uintptr(unsafe.Pointer(ms)), g.start, g.stop)
	return math.Round(1e6*float64(*ms)) / 1e3, err // the device counts whole nanoseconds
}

// call calls a function of the driver, and nothing any more after a fatal failure. A fault shows
// at some later call, so the error names the kernel that was launched last.
//
//go:uintptrescapes
func (g *GPU) call(f string, args ...uintptr) error {
	if g.dead != nil {
		return g.dead
	}
	err := g.library.call(f, args...)
	failed, ok := err.(*failure)
	switch {
	case !ok || !failed.code.fatal():
		return err
	case g.last == "":
		g.dead = err
	default:
		g.dead = fmt.Errorf("after the launch of %s: %w", g.last, err)
	}
	return g.dead
}

func (g *GPU) Alloc(bytes uint64) (driver.Memory, error) {
	if bytes == 0 {
		return driver.Memory{}, nil
	}
	address := new(uint64)
	err := g.call("cuMemAlloc_v2", uintptr(unsafe.Pointer(address)), uintptr(bytes))
	if errors.Is(err, driver.ErrMemory) {
		const gib = 1 << 30
		free := new([2]uint64) // and all; where the driver does not say it, 0
		_ = g.call("cuMemGetInfo_v2", uintptr(unsafe.Pointer(&free[0])),
			uintptr(unsafe.Pointer(&free[1])))
		return driver.Memory{}, fmt.Errorf("%w (%.3f GiB were wanted, %.3f of %.3f GiB are free)",
			err, float64(bytes)/gib, float64(free[0])/gib, float64(free[1])/gib)
	}
	return driver.Memory{Address: *address, Bytes: bytes}, err
}

// Free implements driver.GPU. A failure shows at the next call.
func (g *GPU) Free(m driver.Memory) {
	if m.Address != 0 {
		_ = g.call("cuMemFree_v2", uintptr(m.Address))
	}
}

func (g *GPU) Upload(to driver.Memory, from []byte) error {
	bytes := uintptr(len(from))
	if err := inside(to, uint64(bytes)); err != nil || bytes == 0 {
		return err
	}
	return g.call("cuMemcpyHtoD_v2", uintptr(to.Address), uintptr(unsafe.Pointer(&from[0])), bytes)
}

func (g *GPU) Download(to []byte, from driver.Memory) error {
	bytes := uintptr(len(to))
	if err := inside(from, uint64(bytes)); err != nil || bytes == 0 {
		return err
	}
	return g.call("cuMemcpyDtoH_v2", uintptr(unsafe.Pointer(&to[0])), uintptr(from.Address), bytes)
}

func (g *GPU) Clear(m driver.Memory, bytes uint64) error {
	if err := inside(m, bytes); err != nil || bytes == 0 {
		return err
	}
	return g.call("cuMemsetD8Async", uintptr(m.Address), 0, uintptr(bytes), 0)
}

func inside(m driver.Memory, bytes uint64) error {
	if bytes > m.Bytes {
		return fmt.Errorf("%w: %d bytes of a piece of memory of %d", driver.ErrDriver, bytes, m.Bytes)
	}
	return nil
}
