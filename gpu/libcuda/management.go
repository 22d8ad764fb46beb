package libcuda

import (
	"cmp"
	"os"
	"unsafe"

	"github.com/ebitengine/purego"
)

// management is the driver's management library, NVML. It is read alone: what it
// does not know is empty or 0.
type management struct{ start, version, byBus, clock uintptr }

func openManagement() *management {
	handle, err := open(cmp.Or(os.Getenv(ManagementVariable), "libnvidia-ml.so.1"))
	if err != nil {
		return nil
	}
	m := &management{}
	for name, to := range map[string]*uintptr{
		"nvmlInit_v2": &m.start, "nvmlSystemGetDriverVersion": &m.version,
		"nvmlDeviceGetHandleByPciBusId_v2": &m.byBus, "nvmlDeviceGetClockInfo": &m.clock,
	} {
		if *to, err = lookup(handle, name); err != nil || *to == 0 {
			return nil
		}
	}
	if !succeeds(m.start) {
		return nil
	}
	return m
}

// succeeds calls a function of the library. What the arguments point to stays in its
// place during the call.
//
//go:uintptrescapes
func succeeds(function uintptr, args ...uintptr) bool {
	code, _, _ := purego.SyscallN(function, args...)
	return int32(code) == 0
}

func (m *management) driverVersion() string {
	text := make([]byte, 96)
	if m == nil || !succeeds(m.version, uintptr(unsafe.Pointer(&text[0])), uintptr(len(text))) {
		return ""
	}
	return cString(text)
}

func (m *management) clocks(bus string) (sm, memory int) {
	name, device := append([]byte(bus), 0), new(uintptr)
	if m == nil || bus == "" ||
		!succeeds(m.byBus, uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(device))) {
		return 0, 0
	}
	for clock, to := range map[uintptr]*int{1: &sm, 2: &memory} {
		mhz := new(uint32)
		if succeeds(m.clock, *device, clock, uintptr(unsafe.Pointer(mhz))) {
			*to = int(*mhz)
		}
	}
	return sm, memory
}
