package driver

import (
	"context"
	"errors"
	"unsafe"

	"github.com/atomtune/atomtune/device"
)

// FlatThreads is the number of threads of a block of LaunchFlat.
const FlatThreads = 256

// Session is the use that one job makes of a GPU. It keeps the first error; after it
// every method returns at once, so that a job asks Err at its end. It frees what it
// allocated. Its methods are else those of GPU.
type Session struct {
	gpu  GPU
	ctx  context.Context
	err  error
	held []Memory
}

// NewSession begins a session, which the end of the context ends with its error.
func NewSession(ctx context.Context, g GPU) *Session { return &Session{gpu: g, ctx: ctx} }

func (s *Session) Err() error { return s.err }

// Fail keeps an error, if it is the first.
func (s *Session) Fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// OK reports whether the session can go on.
func (s *Session) OK() bool {
	s.Fail(s.ctx.Err())
	return s.err == nil
}

// Attempt does steps, and returns their error. An error that wraps one of the forgiven ones is not the
// session's, which goes on.
func (s *Session) Attempt(steps func(), forgiven ...error) error {
	if s.err != nil {
		return s.err
	}
	steps()
	err := s.err
	for _, f := range forgiven {
		if errors.Is(err, f) {
			s.err = nil
		}
	}
	return err
}

// try does a step, if there was no error before, and keeps its error.
func (s *Session) try(step func() error) {
	if s.err == nil {
		s.err = step()
	}
}

// Scope returns a function that frees what is allocated from now on.
func (s *Session) Scope() (end func()) {
	before := len(s.held)
	return func() {
		for _, m := range s.held[before:] {
			s.gpu.Free(m)
		}
		s.held = s.held[:before]
	}
}

// TryAlloc returns so many bytes of device memory, at least a few: a kernel's
// pointer to nothing stays a valid one. Its error is not the session's.
func (s *Session) TryAlloc(bytes uint64) (Memory, error) {
	if s.err != nil {
		return Memory{}, s.err
	}
	m, err := s.gpu.Alloc(max(bytes, 16))
	if err == nil {
		s.held = append(s.held, m)
	}
	return m, err
}

// Alloc is TryAlloc whose error is the session's.
func (s *Session) Alloc(bytes uint64) Memory {
	m, err := s.TryAlloc(bytes)
	s.Fail(err)
	return m
}

// Zeros returns so many bytes of device memory that are zero.
func (s *Session) Zeros(bytes uint64) Memory {
	m := s.Alloc(bytes)
	s.Clear(m, m.Bytes)
	return m
}

// Upload returns device memory that holds the bytes.
func (s *Session) Upload(from []byte) Memory {
	m := s.Alloc(uint64(len(from)))
	if len(from) > 0 {
		s.Write(m, from)
	}
	return m
}

func (s *Session) Write(to Memory, from []byte) {
	s.try(func() error { return s.gpu.Upload(to, from) })
}

// Read copies to the host, after all that was enqueued.
func (s *Session) Read(to []byte, from Memory) {
	s.try(func() error { return s.gpu.Download(to, from) })
}

func (s *Session) Clear(m Memory, bytes uint64) {
	s.try(func() error { return s.gpu.Clear(m, bytes) })
}

func (s *Session) Wait() { s.try(s.gpu.Wait) }

// Kernel returns a kernel, nil after an error.
func (s *Session) Kernel(module, name string) (k Kernel) {
	if s.err == nil {
		k, s.err = s.gpu.Kernel(module, name)
	}
	return k
}

func (s *Session) Launch(k Kernel, l device.Shape, args ...any) {
	s.try(func() error { return s.gpu.Launch(k, l, args...) })
}

// LaunchFlat enqueues a kernel of FlatThreads threads a block without shared memory.
func (s *Session) LaunchFlat(module, kernel string, blocks int, args ...any) {
	s.Launch(s.Kernel(module, kernel), device.Shape{Blocks: uint64(blocks), Threads: FlatThreads}, args...)
}

func (s *Session) Resident(k Kernel, threads int, sharedBytes uint64) (blocks int) {
	if s.err == nil {
		blocks, s.err = s.gpu.Resident(k, threads, sharedBytes)
	}
	return blocks
}

func (s *Session) Time(enqueue func()) (us float64) {
	if s.err == nil {
		us, s.err = s.gpu.Time(func() error { enqueue(); return s.err })
	}
	return us
}

// Repeat calls measure so many times, with 0, 1 and so on. It returns nil after an
// error.
func (s *Session) Repeat(times int, measure func(repeat int) float64) []float64 {
	var values []float64
	for i := 0; i < times && s.OK(); i++ {
		values = append(values, measure(i))
	}
	if s.err != nil {
		return nil
	}
	return values
}

// Number is an element of a kernel's arrays.
type Number interface {
	~uint32 | ~int32 | ~float32 | ~uint64 | ~int64 | ~float64
}

// Bytes is the memory of a slice, in the order of the host's bytes, which is
// little-endian wherever there is a driver.
func Bytes[T Number](s []T) []byte {
	bytes := len(s) * int(unsafe.Sizeof(*new(T)))
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), bytes)
}
