// Package driver reaches NVIDIA's driver without a C compiler: it loads libcuda
// while the program runs and calls it. It reads what the driver says of its
// GPUs, and offers one of them as a gpu.GPU. It changes no clock and no setting
// of a device.
package driver

import (
	"bytes"
	"cmp"
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

// function is a function of libcuda: its place in symbols.
type function int

var symbols []string

func symbol(name string) function {
	symbols = append(symbols, name)
	return function(len(symbols) - 1)
}

// The functions of libcuda. A suffix _v2 names the form with 64-bit sizes.
var (
	cuDriverGetVersion         = symbol("cuDriverGetVersion") // first: see bind
	cuInit                     = symbol("cuInit")
	cuGetErrorName             = symbol("cuGetErrorName")
	cuGetErrorString           = symbol("cuGetErrorString")
	cuDeviceGetCount           = symbol("cuDeviceGetCount")
	cuDeviceGet                = symbol("cuDeviceGet")
	cuDeviceGetName            = symbol("cuDeviceGetName")
	cuDeviceGetAttribute       = symbol("cuDeviceGetAttribute")
	cuDeviceTotalMem           = symbol("cuDeviceTotalMem_v2")
	cuDeviceGetPCIBusID        = symbol("cuDeviceGetPCIBusId")
	cuDeviceGetUUID            = symbol("cuDeviceGetUuid") // a driver may lack it
	cuDevicePrimaryCtxRetain   = symbol("cuDevicePrimaryCtxRetain")
	cuDevicePrimaryCtxRelease  = symbol("cuDevicePrimaryCtxRelease_v2")
	cuCtxSetCurrent            = symbol("cuCtxSetCurrent")
	cuCtxSynchronize           = symbol("cuCtxSynchronize")
	cuModuleLoadDataEx         = symbol("cuModuleLoadDataEx")
	cuModuleGetFunction        = symbol("cuModuleGetFunction")
	cuFuncSetAttribute         = symbol("cuFuncSetAttribute")
	cuOccupancyMaxActiveBlocks = symbol("cuOccupancyMaxActiveBlocksPerMultiprocessor")
	cuMemGetInfo               = symbol("cuMemGetInfo_v2")
	cuMemAlloc                 = symbol("cuMemAlloc_v2")
	cuMemFree                  = symbol("cuMemFree_v2")
	cuMemcpyHtoD               = symbol("cuMemcpyHtoD_v2")
	cuMemcpyDtoH               = symbol("cuMemcpyDtoH_v2")
	cuMemsetD8Async            = symbol("cuMemsetD8Async")
	cuLaunchKernel             = symbol("cuLaunchKernel")
	cuEventCreate              = symbol("cuEventCreate")
	cuEventRecord              = symbol("cuEventRecord")
	cuEventSynchronize         = symbol("cuEventSynchronize")
	cuEventElapsedTime         = symbol("cuEventElapsedTime")
)

// Library is the driver's library, ready for use.
type Library struct {
	functions  []uintptr   // addresses, in the order of symbols
	management *management // nil where that library is absent
	cuda       int32       // supported version of CUDA: 1000*major + 10*minor
}

// Open loads the driver. Errors wrap gpu.ErrNoDriver, gpu.ErrNoDevice,
// gpu.ErrOldDriver or gpu.ErrDriver.
func Open() (*Library, error) {
	path := cmp.Or(os.Getenv(LibraryVariable), "libcuda.so.1")
	handle, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %s cannot be loaded (%v): install the driver of the GPU; a CUDA "+
			"toolkit is not needed", gpu.ErrNoDriver, path, err)
	}
	l := &Library{functions: make([]uintptr, len(symbols))}
	if err := l.bind(path, handle); err != nil {
		return nil, err
	}
	l.management = openManagement()
	return l, l.call(cuInit, 0)
}

// bind finds the functions. The version comes first, since it says how old a
// driver is that lacks another.
func (l *Library) bind(path string, handle uintptr) error {
	for i, name := range symbols {
		address, err := lookup(handle, name)
		if (err != nil || address == 0) && function(i) != cuDeviceGetUUID {
			return fmt.Errorf("%w: %s (CUDA %s) has no function %s: update the driver",
				gpu.ErrOldDriver, path, l.CUDA(), name)
		}
		l.functions[i] = address
		if function(i) == cuDriverGetVersion {
			if err := l.call(cuDriverGetVersion, uintptr(unsafe.Pointer(&l.cuda))); err != nil {
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
func (l *Library) call(f function, args ...uintptr) error {
	code, _, _ := purego.SyscallN(l.functions[f], args...)
	if code == 0 {
		return nil
	}
	return l.failure(f, result(code))
}

func cString(text []byte) string {
	text, _, _ = bytes.Cut(text, []byte{0})
	return string(text)
}
