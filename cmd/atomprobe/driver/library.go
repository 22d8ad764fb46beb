// Package driver reaches NVIDIA's driver without a C compiler: it loads libcuda
// while the program runs and calls it. It reads what the driver says of its
// GPUs, and offers one of them as a gpu.GPU. It changes no clock and no setting
// of a device.
package driver

import (
	"fmt"
	"os"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/atomtune/atomtune/probe/gpu"
)

// The environment variables that name other libraries than the installed ones.
const (
	LibraryVariable    = "ATOMPROBE_LIBCUDA"
	ManagementVariable = "ATOMPROBE_LIBNVML"
)

// Library is the driver's library, ready for use.
type Library struct {
	functions  [functionCount]uintptr
	management *management // nil where that library is absent
	cuda       int         // supported version of CUDA: 1000*major + 10*minor
}

// Open loads the driver. Errors wrap gpu.ErrNoDriver, gpu.ErrNoDevice,
// gpu.ErrOldDriver or gpu.ErrDriver.
func Open() (*Library, error) {
	path := "libcuda.so.1"
	if other := os.Getenv(LibraryVariable); other != "" {
		path = other
	}
	handle, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %s cannot be loaded (%v): install the driver of the GPU; a CUDA "+
			"toolkit is not needed",
			gpu.ErrNoDriver, path, err)
	}
	l := &Library{}
	if err := l.bind(path, handle); err != nil {
		return nil, err
	}
	if err := l.call(cuInit, 0); err != nil {
		return nil, err
	}
	l.management = openManagement()
	return l, nil
}

// bind finds the functions. The version comes first, since it says how old a
// driver is that lacks another.
func (l *Library) bind(path string, handle uintptr) error {
	for f := range functionCount {
		address, err := lookup(handle, functionNames[f])
		if (err != nil || address == 0) && f.optional() {
			continue
		}
		if err != nil || address == 0 {
			return fmt.Errorf("%w: %s (CUDA %s) has no function %s: update the driver",
				gpu.ErrOldDriver, path, l.CUDA(), functionNames[f])
		}
		l.functions[f] = address
		if f == cuDriverGetVersion {
			if err := l.readVersion(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *Library) readVersion() error {
	var version int32
	err := l.call(cuDriverGetVersion, uintptr(unsafe.Pointer(&version)))
	l.cuda = int(version)
	return err
}

// CUDA is the version of CUDA that the driver supports, such as "13.0".
func (l *Library) CUDA() string { return fmt.Sprintf("%d.%d", l.cuda/1000, l.cuda%1000/10) }

// Version is the driver's version as its management library says, or the
// version of CUDA that it supports where that library is absent.
func (l *Library) Version() string {
	if v := l.management.driverVersion(); v != "" {
		return v
	}
	return "CUDA " + l.CUDA()
}

// call calls a function of the library. What the arguments point to stays in
// its place during the call.
//
//go:uintptrescapes
func (l *Library) call(f function, args ...uintptr) error {
	code, _, _ := purego.SyscallN(l.functions[f], args...)
	if result(code) == success {
		return nil
	}
	return l.failure(f, result(code))
}
