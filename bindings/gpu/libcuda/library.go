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

	"github.com/atomtune/atomtune/bindings/gpu/driver"
)

// The environment variables that name other libraries than the installed ones.
const (
	LibraryVariable    = "ATOMPROBE_LIBCUDA"
	ManagementVariable = "ATOMPROBE_LIBNVML"
)

// symbols are the functions of libcuda that this package calls. A suffix _v2 names the implementation with
// 64-bit sizes.
var symbols = strings.Fields(`
	cuDriverGetVersion cuInit cuGetErrorName cuGetErrorString cuDeviceGetCount cuDeviceGet
	cuDeviceGetName cuDeviceGetAttribute cuDeviceTotalMem_v2 cuDeviceGetPCIBusId
	cuDevicePrimaryCtxRetain cuDevicePrimaryCtxRelease_v2 cuCtxSetCurrent
	cuCtxSynchronize cuModuleLoadDataEx cuModuleGetFunction cuFuncSetAttribute
	cuOccupancyMaxActiveBlocksPerMultiprocessor cuMemGetInfo_v2 cuMemAlloc_v2 cuMemFree_v2
	cuMemcpyHtoD_v2 cuMemcpyDtoH_v2 cuMemsetD8Async cuLaunchKernel cuEventCreate
	cuEventRecord cuEventSynchronize cuEventElapsedTime`)

// Library is the driver's library, ready for use.
type Library struct {
	functions
	management functions // NVML's, of which nothing is called where one is absent
	cuda       int32     // supported version of CUDA: 1000*major + 10*minor
}

// functions are addresses by name.
type functions map[string]uintptr

// bind finds functions of a library, up to the first that it lacks.
func bind(handle uintptr, names []string) (all functions, missing string) {
	all = functions{}
	for _, name := range names {
		address, err := lookup(handle, name)
		if err != nil || address == 0 {
			return all, name
		}
		all[name] = address
	}
	return all, ""
}

// Open loads the driver. Errors wrap driver.ErrNoDriver, driver.ErrNoDevice,
// driver.ErrOldDriver or driver.ErrDriver.
func Open() (*Library, error) {
	path := cmp.Or(os.Getenv(LibraryVariable), "libcuda.so.1")
	handle, err := open(path)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, fmt.Errorf("%w: it works only on Linux, but this program runs on %s: run it on the machine "+
			"with the GPU, under Linux", driver.ErrNoDriver, runtime.GOOS)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s cannot be loaded (%v): install the driver of the GPU; a CUDA "+
			"toolkit is not needed", driver.ErrNoDriver, path, err)
	}
	l := &Library{management: openManagement()}
	missing := ""
	if l.functions, missing = bind(handle, symbols); missing != symbols[0] {
		// The version comes first, since it says how old a driver is that lacks another.
		if err := l.call(symbols[0], uintptr(unsafe.Pointer(&l.cuda))); err != nil {
			return nil, err
		}
	}
	if missing != "" {
		return nil, fmt.Errorf("%w: %s (CUDA %s) has no function %s: update the driver", driver.ErrOldDriver, path,
			l.CUDA(), missing)
	}
	const optional = "cuDeviceGetUuid"
	l.functions[optional], _ = lookup(handle, optional)
	return l, l.call("cuInit", 0)
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

// openManagement loads the driver's management library, NVML. It is read alone: what it does not know is
// empty or 0.
func openManagement() functions {
	handle, err := open(cmp.Or(os.Getenv(ManagementVariable), "libnvidia-ml.so.1"))
	if err != nil {
		return nil
	}
	m, missing := bind(handle, strings.Fields("nvmlInit_v2 nvmlSystemGetDriverVersion "+
		"nvmlDeviceGetHandleByPciBusId_v2 nvmlDeviceGetClockInfo"))
	if missing != "" || !m.succeeds("nvmlInit_v2") {
		return nil
	}
	return m
}

// succeeds calls a function, if it is there. What the arguments point to stays in its place during the call.
//
//go:uintptrescapes
func (m functions) succeeds(f string, args ...uintptr) bool {
	if m[f] == 0 {
		return false
	}
	code, _, _ := purego.SyscallN(m[f], args...)
	return int32(code) == 0
}

func (m functions) driverVersion() string {
	text := make([]byte, 96)
	if !m.succeeds("nvmlSystemGetDriverVersion", uintptr(unsafe.Pointer(&text[0])), uintptr(len(text))) {
		return ""
	}
	return cString(text)
}

func (m functions) clocks(bus string) (sm, memory int) {
	name, device := append([]byte(bus), 0), new(uintptr)
	if !m.succeeds("nvmlDeviceGetHandleByPciBusId_v2", uintptr(unsafe.Pointer(&name[0])),
		uintptr(unsafe.Pointer(device))) {
		return 0, 0
	}
	for clock, to := range map[uintptr]*int{1: &sm, 2: &memory} {
		mhz := new(uint32)
		if m.succeeds("nvmlDeviceGetClockInfo", *device, clock, uintptr(unsafe.Pointer(mhz))) {
			*to = int(*mhz)
		}
	}
	return sm, memory
}
