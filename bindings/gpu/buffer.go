package gpu

import (
	"context"
	"fmt"
	"math"
	"unsafe"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
)

// Buffer is an array in the memory of a device. Its methods return when all is done; an error of
// any wraps ErrBuffer for a buffer that was freed, and ErrClosed where its device was closed.
type Buffer[T Number] struct{ array }

// array is a buffer of elements of any type.
type array struct {
	device *Device
	memory driver.Memory // none: it was freed
	length int
	chosen map[question]*Choice // for calls on these indices, which were in range
}

// Zeros returns a buffer of n elements that are 0. Errors wrap ErrMemory, or ErrLength for an n that
// is negative or whose bytes no int can count.
func Zeros[T Number](ctx context.Context, d *Device, n int) (*Buffer[T], error) {
	size := int(unsafe.Sizeof(*new(T)))
	if n < 0 || n > math.MaxInt/size {
		return nil, fmt.Errorf("%w: a buffer of %d elements", ErrLength, n)
	}
	b := &Buffer[T]{array{device: d, length: n}}
	bytes := uint64(n * size)
	err := d.do(ctx, func(s *driver.Session) {
		end := s.Scope()
		if b.memory = s.Zeros(bytes); s.Err() != nil {
			end()
		}
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Upload returns a buffer that holds the elements of a slice. Errors wrap ErrMemory.
func Upload[T Number](ctx context.Context, d *Device, from []T) (*Buffer[T], error) {
	b, err := Zeros[T](ctx, d, len(from))
	if err == nil {
		err = b.Write(ctx, from)
	}
	return b, err
}

// Len is the number of elements.
func (b *Buffer[T]) Len() int { return b.length }

// Write copies a slice of the buffer's length to it.
func (b *Buffer[T]) Write(ctx context.Context, from []T) error {
	return b.do(ctx, len(from), func(s *driver.Session) {
		b.chosen = nil
		s.Write(b.memory, driver.Bytes(from))
	})
}

// Read copies the buffer to a slice of its length.
func (b *Buffer[T]) Read(ctx context.Context, to []T) error {
	return b.do(ctx, len(to), func(s *driver.Session) { s.Read(driver.Bytes(to), b.memory) })
}

// Clear sets all elements to 0.
func (b *Buffer[T]) Clear(ctx context.Context) error {
	return b.do(ctx, b.length, func(s *driver.Session) {
		b.chosen = nil
		s.Clear(b.memory, uint64(b.length)*uint64(unsafe.Sizeof(*new(T))))
		s.Wait()
	})
}

// Free gives the memory back.
func (b *Buffer[T]) Free(ctx context.Context) error {
	return b.do(ctx, b.length, func(*driver.Session) {
		b.device.gpu.Free(b.memory)
		b.memory = driver.Memory{}
	})
}

// do has a job done with a slice of the buffer's length.
func (b *Buffer[T]) do(ctx context.Context, length int, job func(*driver.Session)) error {
	if length != b.length {
		return fmt.Errorf("%w: a slice of %d elements and a buffer of %d", ErrLength, length, b.length)
	}
	return b.device.do(ctx, func(s *driver.Session) {
		if b.memory.Address == 0 {
			s.Fail(fmt.Errorf("%w: it was freed", ErrBuffer))
			return
		}
		job(s)
	})
}
