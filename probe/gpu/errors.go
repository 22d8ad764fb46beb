package gpu

import "errors"

// What a driver can refuse. Each error that wraps one of these says in its own
// words what happened and what to do.
var (
	// ErrNoDriver: the driver's library is not there.
	ErrNoDriver = errors.New("no NVIDIA driver")
	// ErrNoDevice: the driver is there and knows no such GPU.
	ErrNoDevice = errors.New("no NVIDIA GPU")
	// ErrOldDriver: the driver lacks a function, or does not know the PTX
	// version of a module.
	ErrOldDriver = errors.New("the driver is too old")
	// ErrModule: the driver refuses a module or does not find a kernel in it.
	ErrModule = errors.New("the driver refuses the kernels")
	// ErrMemory: no piece of device memory of that size is free.
	ErrMemory = errors.New("out of device memory")
	// ErrLaunch: a kernel could not start or did not end as it should. After a
	// fault in a kernel nothing more runs on the device in this process.
	ErrLaunch = errors.New("a kernel failed")
	// ErrTimeout: the operating system ended a kernel that ran too long.
	ErrTimeout = errors.New("a kernel was ended for running too long")
	// ErrDriver: any other failure that the driver reports.
	ErrDriver = errors.New("the driver reports a failure")
)
