// Package libcuda reaches NVIDIA's driver without a C compiler: it loads libcuda while the program
// runs and calls it. It reads what the driver says of its GPUs, and offers one of them as a
// driver.GPU. It changes no clock and no setting of a device.
package libcuda

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/atomtune/atomtune/gpu/driver"
)

// The environment variables that name other libraries than the installed ones.
const (
	LibraryVariable    = "ATOMPROBE_LIBCUDA"
	ManagementVariable = "ATOMPROBE_LIBNVML"
)

// symbols are the functions of libcuda that this package calls. A suffix _v2 names the form with
// 64-bit sizes.
var symbols = strings.Fields(`
	cuDriverGetVersion cuInit cuGetErrorName cuGetErrorString cuDeviceGetCount cuDeviceGet
	cuDeviceGetName cuDeviceGetAttribute cuDeviceTotalMem_v2 cuDeviceGetPCIBusId
	cuDeviceGetUuid cuDevicePrimaryCtxRetain cuDevicePrimaryCtxRelease_v2 cuCtxSetCurrent
	cuCtxSynchronize cuModuleLoadDataEx cuModuleGetFunction cuFuncSetAttribute
	cuOccupancyMaxActiveBlocksPerMultiprocessor cuMemGetInfo_v2 cuMemAlloc_v2 cuMemFree_v2
	cuMemcpyHtoD_v2 cuMemcpyDtoH_v2 cuMemsetD8Async cuLaunchKernel cuEventCreate
	cuEventRecord cuEventSynchronize cuEventElapsedTime`)

// Library is the driver's library, ready for use.
type Library struct {
	functions  map[string]uintptr // addresses of the symbols
	management *management        // nil where that library is absent
	cuda       int32              // supported version of CUDA: 1000*major + 10*minor
}

// Open loads the driver. Errors wrap driver.ErrNoDriver, driver.ErrNoDevice,
// driver.ErrOldDriver or driver.ErrDriver.
func Open() (*Library, error) {
	path := cmp.Or(os.Getenv(LibraryVariable), "libcuda.so.1")
	handle, err := open(path)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, fmt.Errorf("%w: it is reached on Linux alone, and this program runs on %s: run it on "+
			"the machine with the GPU, under Linux", driver.ErrNoDriver, runtime.GOOS)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s cannot be loaded (%v): install the driver of the GPU; a CUDA "+
			"toolkit is not needed", driver.ErrNoDriver, path, err)
	}
	l := &Library{functions: map[string]uintptr{}}
	if err := l.bind(path, handle); err != nil {
		return nil, err
	}
	l.management = openManagement()
	return l, l.call("cuInit", 0)
}

// bind finds the functions. The version comes first, since it says how old a
// driver is that lacks another.
func (l *Library) bind(path string, handle uintptr) error {
	for _, name := range symbols {
		address, err := lookup(handle, name)
		if (err != nil || address == 0) && name != "cuDeviceGetUuid" {
			return fmt.Errorf("%w: %s (CUDA %s) has no function %s: update the driver",
				driver.ErrOldDriver, path, l.CUDA(), name)
		}
		l.functions[name] = address
		if name == "cuDriverGetVersion" {
			if err := l.call("cuDriverGetVersion", uintptr(unsafe.Pointer(&l.cuda))); err != nil {
				return err
			}
		}
	}
	return nil
}

// CUDA is the version of CUDA that the driver supports, such as "13.0".
func (l *Library) CUDA() string { return fmt.Sprintf("%d.%d", l.cuda/1000, l.cuda%1000/10) }

// call calls a function of the library. What the arguments point to stays in
// its place during the call.
//
//go:uintptrescapes
func (l *Library) call(f string, args ...uintptr) error {
	code, _, _ := purego.SyscallN(l.functions[f], args...)
	if code != 0 {
		return l.failure(f, result(code))
	}
	return nil
}

func cString(text []byte) string {
	text, _, _ = bytes.Cut(text, []byte{0})
	return string(text)
}
