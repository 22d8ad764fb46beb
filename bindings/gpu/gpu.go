// Package gpu adds to arrays at many places at once, on an NVIDIA GPU, from Go:
//
//	out[index[u]] += values[u]    for each update u
//
// It needs the GPU's driver and nothing else: no CUDA toolkit, no C compiler. The kernels are PTX
// inside the program, which the driver compiles when a call needs them first.
//
// Which implementation runs, and in which launch, package tuner chooses from a sample of the
// indices and the profile of the GPU, or Options say it. Integers wrap. Sums of floats are added in
// no fixed order, so that their last bits may differ from call to call.
//
// ScatterAdd, Histogram and FetchAdd take slices: what they need goes to the GPU and the result
// comes back. A Buffer stays on the GPU, for calls that follow each other.
//
// Without a GPU or its driver every call fails, and nothing is added: errors.Is(err, ErrNoDriver)
// tells a program that it is to add by itself.
package gpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/bindings/gpu/kernels"
	"github.com/atomtune/atomtune/device"
)

var (
	ErrNoDriver  = driver.ErrNoDriver  // the library of NVIDIA's driver is not there
	ErrNoDevice  = driver.ErrNoDevice  // there is no GPU of that number
	ErrOldDriver = driver.ErrOldDriver // the driver lacks a function, or does not know the PTX
	ErrMemory    = driver.ErrMemory    // the GPU has not so much memory

	ErrClosed  = errors.New("the device is closed")
	ErrIndex   = errors.New("index out of range")
	ErrLength  = errors.New("unequal lengths")
	ErrBuffer  = errors.New("not a buffer for this call") // freed, of another device, or twice
	ErrOptions = errors.New("bad option")
)

// Number is an element of a target or a value.
type Number = driver.Number

// typeOf returns the element type of the kernels.
func typeOf[T Number]() device.Type {
	return map[reflect.Kind]device.Type{
		reflect.Uint32: device.U32, reflect.Int32: device.I32, reflect.Float32: device.F32,
		reflect.Uint64: device.U64, reflect.Int64: device.I64, reflect.Float64: device.F64,
	}[reflect.TypeFor[T]().Kind()]
}

// ScatterAdd adds values[u] to out[index[u]] for each update u. An error leaves out as it was,
// unless the driver fails while the result comes back. Errors wrap ErrLength, ErrIndex, ErrOptions,
// ErrNoDriver and others of this package, the context's error, or say what the driver refuses; at
// most one Options is taken.
func ScatterAdd[T Number](ctx context.Context, out []T, index []uint32, values []T,
	o ...Options) error {
	return sliceCall[T]{out: out, index: index, values: values}.call(ctx,
		device.Call{Type: typeOf[T]()}, o)
}

// Histogram adds 1 to out[index[u]] for each update u. Errors are those of ScatterAdd.
func Histogram[T Number](ctx context.Context, out []T, index []uint32, o ...Options) error {
	return sliceCall[T]{out: out, index: index}.call(ctx,
		device.Call{Type: typeOf[T](), Operand: device.One}, o)
}

// FetchAdd is ScatterAdd that leaves in old[u] what out[index[u]] held before update u, in some
// order of the updates. Sums of floats of one target may be rounded in another order than that.
// Errors are those of ScatterAdd.
func FetchAdd[T Number](ctx context.Context, out, old []T, index []uint32, values []T,
	o ...Options) error {
	return sliceCall[T]{out, old, index, values}.call(ctx,
		device.Call{Type: typeOf[T](), Returns: true}, o)
}

// sliceCall is a call on memory of the host. Without old values or values these are nil.
type sliceCall[T Number] struct {
	out, old []T
	index    []uint32
	values   []T
}

func (a sliceCall[T]) call(ctx context.Context, does device.Call, list []Options) error {
	o, err := single(list)
	err = cmp.Or(err, lengths(does, len(a.index), len(a.values), len(a.old)),
		inRange(a.index, uint64(len(a.out))), ctx.Err())
	if err != nil || len(a.index) == 0 {
		return err
	}
	d := o.Device
	if d == nil {
		if d, err = first(); err != nil {
			return err
		}
	}
	return d.do(ctx, func(s *driver.Session) { a.on(s, d, does, o) })
}

// on performs the call on a device, on its thread.
func (a sliceCall[T]) on(s *driver.Session, d *Device, does device.Call, o Options) {
	choice, err := d.choose(&request{does, a.index, uint64(len(a.out)), o})
	if s.Fail(err); !s.OK() {
		return
	}
	o.tell(choice)
	defer s.Scope()()
	c := kernels.Call{Does: does, Bins: uint64(len(a.out)), Updates: uint64(len(a.index)),
		Target: s.Upload(driver.Bytes(a.out)), Index: s.Upload(driver.Bytes(a.index))}
	if does.Operand == device.Loaded {
		c.Values = s.Upload(driver.Bytes(a.values))
	}
	if does.Returns {
		c.Old = s.Alloc(uint64(len(driver.Bytes(a.old))))
	}
	if d.perform(s, &c, choice); !s.OK() {
		return
	}
	s.Read(driver.Bytes(a.out), c.Target)
	s.Read(driver.Bytes(a.old), c.Old)
}

// lengths reports values or old values of another number than the updates.
func lengths(does device.Call, updates, values, old int) error {
	switch {
	case does.Operand == device.Loaded && values != updates:
		return fmt.Errorf("%w: %d indices and %d values", ErrLength, updates, values)
	case does.Returns && old != updates:
		return fmt.Errorf("%w: %d indices and %d old values", ErrLength, updates, old)
	}
	return nil
}

// inRange reports the first index that no target has.
func inRange(index []uint32, bins uint64) error {
	for u, i := range index {
		if uint64(i) >= bins {
			return fmt.Errorf("%w: update %d is for target %d of %d, numbered from 0", ErrIndex, u, i,
				bins)
		}
	}
	return nil
}
