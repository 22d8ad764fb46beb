package gpu

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/bindings/gpu/kernels"
	"github.com/atomtune/atomtune/device"
)

// ScatterAdd adds values[u] to b[index[u]] for each update u, on the device. The first call with
// indices that were just written reads them back, to check that all are in range and to choose;
// later ones of the same kind do not. The context is looked at before the kernels start, which then
// run to their end. Errors are those of the function ScatterAdd, or wrap ErrBuffer.
func (b *Buffer[T]) ScatterAdd(ctx context.Context, index *Buffer[uint32], values *Buffer[T],
	o ...Options) error {
	return bufferCall[T]{out: b, index: index, values: values}.call(ctx,
		device.Call{Type: typeOf[T]()}, o)
}

// Histogram adds 1 to b[index[u]] for each update u, as Buffer.ScatterAdd does.
func (b *Buffer[T]) Histogram(ctx context.Context, index *Buffer[uint32], o ...Options) error {
	return bufferCall[T]{out: b, index: index}.call(ctx,
		device.Call{Type: typeOf[T](), Operand: device.One}, o)
}

// FetchAdd is Buffer.ScatterAdd with old values, as the function FetchAdd says.
func (b *Buffer[T]) FetchAdd(ctx context.Context, old *Buffer[T], index *Buffer[uint32],
	values *Buffer[T], o ...Options) error {
	return bufferCall[T]{b, old, index, values}.call(ctx,
		device.Call{Type: typeOf[T](), Returns: true}, o)
}

// bufferCall is a call on memory of a device. Without old values or values these are nil.
type bufferCall[T Number] struct {
	out, old *Buffer[T]
	index    *Buffer[uint32]
	values   *Buffer[T]
}

func (a bufferCall[T]) call(ctx context.Context, does device.Call, list []Options) error {
	o, err := single(list)
	d := a.out.device
	if err == nil && o.Device != nil && o.Device != d {
		err = fmt.Errorf("%w: Device: the buffers are of another one", ErrOptions)
	}
	if err != nil {
		return err
	}
	return d.do(ctx, func(s *driver.Session) { s.Fail(a.on(s, d, does, o)) })
}

// on performs the call on the device's thread.
func (a bufferCall[T]) on(s *driver.Session, d *Device, does device.Call, o Options) error {
	c := kernels.Call{Does: does, Bins: uint64(a.out.length), Updates: uint64(a.index.length),
		Target: a.out.memory, Index: a.index.memory}
	written, read, values, old := []*array{&a.out.array}, []*array{&a.index.array}, 0, 0
	if does.Returns {
		written, c.Old, old = append(written, &a.old.array), a.old.memory, a.old.length
	}
	if does.Operand == device.Loaded {
		read, c.Values, values = append(read, &a.values.array), a.values.memory, a.values.length
	}
	err := cmp.Or(usable(d, written, read), lengths(does, a.index.length, values, old))
	if err != nil || c.Updates == 0 {
		return err
	}
	choice, err := a.index.choose(s, does, c.Bins, o)
	if err != nil || !s.OK() {
		return err
	}
	for _, b := range written {
		b.chosen = nil
	}
	d.perform(s, &c, choice)
	return nil
}

// usable reports a buffer that is of another device or was freed, and one that is written and
// stands twice.
func usable(d *Device, written, read []*array) error {
	all := slices.Concat(written, read)
	for i, b := range all {
		switch {
		case b.device != d:
			return fmt.Errorf("%w: it is of another device", ErrBuffer)
		case b.memory.Address == 0:
			return fmt.Errorf("%w: it was freed", ErrBuffer)
		case slices.Contains(all[:min(i, len(written))], b):
			return fmt.Errorf("%w: it is given twice, and is written", ErrBuffer)
		}
	}
	return nil
}

// keptCalls is the number of calls for which a choice on a buffer is made, where none is given.
const keptCalls = 1000

// question is what a choice on a buffer of indices answers.
type question struct {
	does device.Call
	bins uint64
	o    Options // without pointers
}

// choose says how a call on the indices in the buffer runs. They are read back, checked and sampled
// for the first call of a kind.
func (b *array) choose(s *driver.Session, does device.Call, bins uint64, o Options) (*Choice,
	error) {
	q := question{does, bins, o}
	q.o.Device, q.o.Chosen = nil, nil
	q.o.Calls = cmp.Or(q.o.Calls, keptCalls)
	c := b.chosen[q]
	if c == nil {
		index := make([]uint32, b.length)
		if s.Read(driver.Bytes(index), b.memory); s.Err() != nil {
			return nil, s.Err()
		}
		err := inRange(index, bins)
		if err == nil {
			c, err = b.device.choose(&request{does, index, bins, q.o})
		}
		if err != nil {
			return nil, err
		}
		if b.chosen == nil {
			b.chosen = map[question]*Choice{}
		}
		b.chosen[q] = c
	}
	o.tell(c)
	return c, nil
}
