package libcuda

import (
	"cmp"
	"fmt"
	"unsafe"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
)

// attributes are numbers that the driver gives of a device: CUdevice_attribute of cuda.h,
// under the name and in the unit of the readings, of which per are the driver's.
var attributes = []struct {
	name string
	code uintptr
	per  float64
	unit string
}{
	{"sm_count", 16, 1, "1"},
	{"warp_lanes", 10, 1, "1"},
	{"max_threads_per_sm", 39, 1, "1"},
	{"max_blocks_per_sm", 106, 1, "1"},
	{"max_threads_per_block", 1, 1, "1"},
	{"registers_per_sm", 82, 1, "1"},
	{"shared_bytes_per_sm", 81, 1, "byte"},
	{"shared_bytes_per_block", 97, 1, "byte"}, // what a kernel can opt in to
	{"shared_bytes_reserved", 111, 1, "byte"},
	{"l2_bytes", 38, 1, "byte"},
	{"sm_clock_max", 13, 1000, "MHz"},
	{"memory_clock_max", 36, 1000, "MHz"},
	{"memory_bus", 37, 1, "bit"},
	{"compute_capability_major", 75, 1, "1"},
	{"compute_capability_minor", 76, 1, "1"},
}

func (l *Library) Count() (int, error) {
	count := new(int32)
	err := l.call("cuDeviceGetCount", uintptr(unsafe.Pointer(count)))
	return int(*count), err
}

// handle returns the driver's handle of a device. A number that no device has
// wraps driver.ErrNoDevice.
func (l *Library) handle(index int) (int32, error) {
	count, err := l.Count()
	switch {
	case err != nil:
		return 0, err
	case count == 0:
		return 0, fmt.Errorf("%w: the driver (CUDA %s) finds none%s",
			driver.ErrNoDevice, l.CUDA(), remedies[noDevice].what)
	case index < 0 || index >= count:
		return 0, fmt.Errorf("%w with the number %d: there are %d, numbered from 0; `atomprobe devices` "+
			"lists them", driver.ErrNoDevice, index, count)
	}
	device := new(int32)
	err = l.call("cuDeviceGet", uintptr(unsafe.Pointer(device)), uintptr(index))
	return *device, err
}

// Describe returns what the driver says of the device with that number.
func (l *Library) Describe(index int) (driver.Description, error) {
	device, err := l.handle(index)
	if err != nil {
		return driver.Description{}, err
	}
	// The driver's version is that which its management library says.
	version := cmp.Or(l.management.driverVersion(), "CUDA "+l.CUDA())
	d := driver.Description{Index: index, Driver: version, CUDA: l.CUDA()}
	name, id := make([]byte, 256), new([16]byte)
	err = l.call("cuDeviceGetName", uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)),
		uintptr(device))
	d.Name = cString(name)
	if err == nil && l.functions["cuDeviceGetUuid"] != 0 {
		err = l.call("cuDeviceGetUuid", uintptr(unsafe.Pointer(id)), uintptr(device))
		d.UUID = fmt.Sprintf("GPU-%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	}
	if err != nil {
		return d, err
	}
	for _, a := range attributes {
		value := new(int32)
		if err := l.call("cuDeviceGetAttribute", uintptr(unsafe.Pointer(value)), a.code,
			uintptr(device)); err != nil {
			return d, fmt.Errorf("attribute %s: %w", a.name, err)
		}
		d.Attributes = append(d.Attributes,
			driver.Attribute{Name: a.name, Value: float64(*value) / a.per, Unit: a.unit})
	}
	bytes := new(uint64)
	err = l.call("cuDeviceTotalMem_v2", uintptr(unsafe.Pointer(bytes)), uintptr(device))
	d.Attributes = append(d.Attributes,
		driver.Attribute{Name: "global_bytes", Value: float64(*bytes), Unit: "byte"})
	d.Major = int(d.Attribute("compute_capability_major"))
	d.Minor = int(d.Attribute("compute_capability_minor"))
	return d, err
}

// Clocks reads the SM and memory clocks of a device in MHz; 0 where they are unknown.
func (l *Library) Clocks(index int) (sm, memory int) {
	device, err := l.handle(index)
	if err != nil {
		return 0, 0
	}
	bus := make([]byte, 32)
	if !l.succeeds("cuDeviceGetPCIBusId", uintptr(unsafe.Pointer(&bus[0])), uintptr(len(bus)), uintptr(device)) {
		return 0, 0
	}
	return l.management.clocks(cString(bus))
}
