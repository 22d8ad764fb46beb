// Package driver is a GPU as measurements need it, the errors of its driver, and the
// session in which one job uses it.
package driver

import (
	"errors"
	"fmt"

	"github.com/atomtune/atomtune/device"
)

// GPU is one device, for one goroutine. Everything enqueued on it runs in order, in one
// stream. Errors of its methods wrap one of the errors of this package.
type GPU interface {
	Describe() Description
	// Kernel returns a kernel of a module of package ptx, which it loads if need be.
	Kernel(module, name string) (Kernel, error)

	Alloc(bytes uint64) (Memory, error)
	Free(Memory)
	Upload(to Memory, from []byte) error
	Download(to []byte, from Memory) error
	// Clear enqueues the setting to zero of the first bytes.
	Clear(m Memory, bytes uint64) error

	// Launch enqueues a kernel. An argument is a Memory, uint32, int32,
	// uint64, int64, float32 or float64, in the order of the kernel's
	// parameters.
	Launch(k Kernel, l device.Shape, args ...any) error
	// Wait returns when all that was enqueued has run, with the error of what
	// did not.
	Wait() error
	// Time returns the microseconds between two events around what enqueue enqueues.
	Time(enqueue func() error) (us float64, err error)
	// Resident is the number of blocks of a launch that one SM holds at once.
	Resident(k Kernel, threads int, sharedBytes uint64) (int, error)
	// Clocks reads the SM and memory clocks in MHz; 0 where they are unknown.
	Clocks() (sm, memory int)
}

type Kernel interface {
	Name() string
	Module() string
}

type Memory struct{ Address, Bytes uint64 }

// Description is what the driver says of a device.
type Description struct {
	Index        int
	Name         string // as the driver calls it
	UUID         string // such as GPU-01234567-89ab-cdef-0123-456789abcdef; empty: unknown
	Major, Minor int    // compute capability
	Driver       string // version of the driver
	CUDA         string // version of CUDA that the driver supports
	Attributes   []Attribute
}

// Capability is the compute capability, such as "9.0".
func (d *Description) Capability() string { return fmt.Sprintf("%d.%d", d.Major, d.Minor) }

// Attribute is one number that the driver gives.
type Attribute struct {
	Name  string  `json:"name"` // as in the readings of suite device
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

// Attribute returns the named attribute, or 0.
func (d *Description) Attribute(name string) float64 {
	for _, a := range d.Attributes {
		if a.Name == name {
			return a.Value
		}
	}
	return 0
}

// What a driver can refuse. Each error that wraps one of these says in its own
// words what happened and what to do.
var (
	ErrNoDriver = errors.New("no NVIDIA driver") // its library is not there
	ErrNoDevice = errors.New("no NVIDIA GPU")    // of that number
	// ErrOldDriver: it lacks a function, or does not know the PTX version of a module.
	ErrOldDriver = errors.New("the driver is too old")
	// ErrModule: it refuses a module or does not find a kernel in it.
	ErrModule = errors.New("the driver refuses the kernels")
	ErrMemory = errors.New("out of device memory")
	// ErrLaunch: a kernel could not start or did not end as it should. After a
	// fault in a kernel nothing more runs on the device in this process.
	ErrLaunch  = errors.New("a kernel failed")
	ErrTimeout = errors.New("a kernel was ended for running too long") // by the system
	ErrDriver  = errors.New("the driver reports a failure")            // any other
)
