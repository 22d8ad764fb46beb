package driver

import (
	"cmp"
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/atomtune/atomtune/probe/gpu"
)

// result is a CUresult of cuda.h.
type result int32

const (
	success               result = 0
	invalidValue          result = 1
	outOfMemory           result = 2
	stubLibrary           result = 34
	deviceUnavailable     result = 46
	noDevice              result = 100
	invalidDevice         result = 101
	invalidImage          result = 200
	noBinaryForGPU        result = 209
	invalidPTX            result = 218
	unsupportedPTXVersion result = 222
	notFound              result = 500
	illegalAddress        result = 700
	outOfResources        result = 701
	launchTimeout         result = 702
	deviceAssert          result = 710
	hardwareStackError    result = 714
	launchFailed          result = 719
)

// fatal reports whether nothing more runs on the device after the failure.
func (r result) fatal() bool {
	return r == illegalAddress || r == launchTimeout || r == deviceAssert || r >= hardwareStackError &&
		r <= launchFailed
}

// failure is what a function of the driver reported.
type failure struct {
	kind     error
	sentence string
	code     result
}

func (f *failure) Error() string { return f.kind.Error() + ": " + f.sentence }
func (f *failure) Unwrap() error { return f.kind }

// remedies are the error that a result wraps, and what to do.
var remedies = map[result]struct {
	kind error
	what string
}{
	stubLibrary: {gpu.ErrNoDriver,
		": this is the toolkit's stand-in for the driver: install the driver of the GPU"},
	noDevice: {gpu.ErrNoDevice,
		": see whether nvidia-smi lists one, and whether CUDA_VISIBLE_DEVICES hides it"},
	invalidDevice:         {gpu.ErrNoDevice, seeWhoHolds},
	deviceUnavailable:     {gpu.ErrNoDevice, seeWhoHolds},
	outOfMemory:           {gpu.ErrMemory, ": end other programs on the GPU"},
	unsupportedPTXVersion: {gpu.ErrModule, ""},
	invalidPTX:            {gpu.ErrModule, ""},
	invalidImage:          {gpu.ErrModule, ""},
	noBinaryForGPU:        {gpu.ErrModule, ""},
	notFound:              {gpu.ErrModule, ""},
	outOfResources:        {gpu.ErrLaunch, ""},
	launchTimeout: {gpu.ErrTimeout,
		": measure on a GPU that draws no screen, or raise the system's limit"},
}

const seeWhoHolds = ": see whether nvidia-smi lists it and whether another program holds it"

// failure makes an error of a result, in the driver's words, with what to do.
func (l *Library) failure(f function, code result) error {
	r, known := remedies[code]
	if !known && code.fatal() {
		r.kind, r.what = gpu.ErrLaunch, ": nothing more can run on the device in this process"
	} else if !known {
		r.kind = gpu.ErrDriver
	}
	name, words := cmp.Or(l.text(cuGetErrorName, code), "CUDA_ERROR"), l.text(cuGetErrorString, code)
	if words != "" {
		words = ", " + words
	}
	return &failure{r.kind, fmt.Sprintf("%s says %s (%d%s)%s", symbols[f], name, code, words, r.what),
		code}
}

// text is the driver's name or words for a result.
func (l *Library) text(f function, code result) string {
	if l.functions[f] == 0 {
		return ""
	}
	text := new(*byte)
	status, _, _ := purego.SyscallN(l.functions[f], uintptr(code), uintptr(unsafe.Pointer(text)))
	if result(status) != success || *text == nil {
		return ""
	}
	const longest = 200
	n := 0
	for n < longest && *(*byte)(unsafe.Add(unsafe.Pointer(*text), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(*text, n))
}
