package driver

import (
	"os"
	"unsafe"

	"github.com/ebitengine/purego"
)

// management is the driver's management library, NVML. It is read alone: what it
// does not know is empty or 0.
type management struct {
	version, byBus, clock uintptr
}

// The clocks of NVML.
const (
	smClock     = 1
	memoryClock = 2
)

// openManagement returns nil where the library is absent.
func openManagement() *management {
	path := "libnvidia-ml.so.1"
	if other := os.Getenv(ManagementVariable); other != "" {
		path = other
	}
	handle, err := open(path)
	if err != nil {
		return nil
	}
	m := &management{}
	var start uintptr
	for name, to := range map[string]*uintptr{
		"nvmlInit_v2": &start, "nvmlSystemGetDriverVersion": &m.version,
		"nvmlDeviceGetHandleByPciBusId_v2": &m.byBus, "nvmlDeviceGetClockInfo": &m.clock,
	} {
		if *to, err = lookup(handle, name); err != nil || *to == 0 {
			return nil
		}
	}
	if code, _, _ := purego.SyscallN(start); code != 0 {
		return nil
	}
	return m
}

func (m *management) driverVersion() string {
	if m == nil {
		return ""
	}
	text := make([]byte, 96)
	if code, _, _ := purego.SyscallN(m.version, uintptr(unsafe.Pointer(&text[0])),
		uintptr(len(text))); int32(code) != 0 {
		return ""
	}
	return cString(text)
}

// clocks reads the clocks of the device on a PCI bus, in MHz.
func (m *management) clocks(bus string) (sm, memory int) {
	if m == nil || bus == "" {
		return 0, 0
	}
	name := append([]byte(bus), 0)
	device := new(uintptr)
	if code, _, _ := purego.SyscallN(m.byBus, uintptr(unsafe.Pointer(&name[0])),
		uintptr(unsafe.Pointer(device))); int32(code) != 0 {
		return 0, 0
	}
	read := func(kind uintptr) int {
		mhz := new(uint32)
		if code, _, _ := purego.SyscallN(m.clock, *device, kind,
			uintptr(unsafe.Pointer(mhz))); int32(code) != 0 {
			return 0
		}
		return int(*mhz)
	}
	return read(smClock), read(memoryClock)
}
