package libcuda

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
)

type result int32

const (
	noDevice              result = 100
	noBinaryForGPU        result = 209
	eccUncorrectable      result = 214
	invalidPTX            result = 218
	unsupportedPTXVersion result = 222
	illegalAddress        result = 700
	launchTimeout         result = 702
	deviceAssert          result = 710
	hardwareStackError    result = 714
	launchFailed          result = 719
)

// harmless are failures after which the device is as it was: a wrong or unknown argument, memory or
// resources that are short, a module that is refused, what is not found, ready, allowed or supported.
var harmless = []result{1, 2, 200, noBinaryForGPU, invalidPTX, 221, unsupportedPTXVersion, 400, 500, 600,
	701, 720, 800, 801}

// fatal reports whether nothing more is run on the device after the failure: a kernel has died, the
// device is gone, its memory has failed, or nobody knows.
func (r result) fatal() bool { return !slices.Contains(harmless, r) }

// ofKernel reports whether the failure is of a kernel that has died.
func (r result) ofKernel() bool {
	return r == illegalAddress || r == deviceAssert || r >= hardwareStackError && r <= launchFailed
}

type failure struct {
	kind     error
	sentence string
	code     result
}

func (f *failure) Error() string { return f.kind.Error() + ": " + f.sentence }
func (f *failure) Unwrap() error { return f.kind }

var remedies = map[result]struct {
	kind error
	what string
}{
	2: {driver.ErrMemory, ": end other programs on the GPU"},
	34: {driver.ErrNoDriver, // the stub library
		": this is the toolkit's stub of the driver: install the GPU's driver"},
	46: {driver.ErrNoDevice, seeWhoHolds}, // it is unavailable
	noDevice: {driver.ErrNoDevice,
		": check whether nvidia-smi lists one, and whether CUDA_VISIBLE_DEVICES hides it"},
	101:                   {driver.ErrNoDevice, seeWhoHolds}, // an invalid device
	200:                   {driver.ErrModule, ""},            // an invalid image
	unsupportedPTXVersion: {driver.ErrModule, ""},
	invalidPTX:            {driver.ErrModule, ""},
	noBinaryForGPU:        {driver.ErrModule, ""},
	eccUncorrectable: {driver.ErrDriver,
		": its memory has failed, and results may be wrong: `nvidia-smi -q -d ECC` says more"},
	500: {driver.ErrModule, ""}, // not found
	701: {driver.ErrLaunch, ""}, // out of resources
	launchTimeout: {driver.ErrTimeout,
		": measure on a GPU that draws no screen, or raise the system's limit"},
}

const seeWhoHolds = ": check whether nvidia-smi lists it and whether another program uses it"

func (l *Library) failure(f string, code result) error {
	r, known := remedies[code]
	if !known && code.ofKernel() {
		r.kind = driver.ErrLaunch
	} else if !known {
		r.kind = driver.ErrDriver
	}
	if !known && code.fatal() {
		r.what = ": nothing else can run on the device in this process"
	}
	name := cmp.Or(l.text("cuGetErrorName", code), "CUDA_ERROR")
	words := l.text("cuGetErrorString", code)
	if words != "" {
		words = ", " + words
	}
	return &failure{r.kind, fmt.Sprintf("%s says %s (%d%s)%s", f, name, code, words, r.what), code}
}

func (l *Library) text(f string, code result) string {
	text := new(*byte)
	if !l.succeeds(f, uintptr(code), uintptr(unsafe.Pointer(text))) || *text == nil {
		return ""
	}
	n := 0
	for n < 200 && *(*byte)(unsafe.Add(unsafe.Pointer(*text), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(*text, n))
}
