package driver

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/atomtune/atomtune/probe/gpu"
)

const gib = 1 << 30

// Alloc implements gpu.GPU.
func (g *GPU) Alloc(bytes uint64) (gpu.Memory, error) {
	if bytes == 0 {
		return gpu.Memory{}, nil
	}
	address := new(uint64)
	err := g.call(cuMemAlloc, uintptr(unsafe.Pointer(address)), uintptr(bytes))
	if errors.Is(err, gpu.ErrMemory) {
		free, total := g.free()
		return gpu.Memory{}, fmt.Errorf("%w (%.3f GiB were wanted, %.3f of %.3f GiB are free)",
			err, float64(bytes)/gib, float64(free)/gib, float64(total)/gib)
	}
	return gpu.Memory{Address: *address, Bytes: bytes}, err
}

// free returns the free bytes of the device and all of its bytes, or 0.
func (g *GPU) free() (free, total uint64) {
	both := new([2]uint64)
	if g.call(cuMemGetInfo, uintptr(unsafe.Pointer(&both[0])),
		uintptr(unsafe.Pointer(&both[1]))) != nil {
		return 0, 0
	}
	return both[0], both[1]
}

// Free implements gpu.GPU. A failure shows at the next call.
func (g *GPU) Free(m gpu.Memory) {
	if m.Address != 0 {
		_ = g.call(cuMemFree, uintptr(m.Address))
	}
}

// Upload implements gpu.GPU.
func (g *GPU) Upload(to gpu.Memory, from []byte) error {
	if err := inside(to, uint64(len(from))); err != nil || len(from) == 0 {
		return err
	}
	return g.call(cuMemcpyHtoD, uintptr(to.Address), uintptr(unsafe.Pointer(&from[0])),
		uintptr(len(from)))
}

// Download implements gpu.GPU.
func (g *GPU) Download(to []byte, from gpu.Memory) error {
	if err := inside(from, uint64(len(to))); err != nil || len(to) == 0 {
		return err
	}
	return g.call(cuMemcpyDtoH, uintptr(unsafe.Pointer(&to[0])), uintptr(from.Address),
		uintptr(len(to)))
}

// Clear implements gpu.GPU.
func (g *GPU) Clear(m gpu.Memory, bytes uint64) error {
	if err := inside(m, bytes); err != nil || bytes == 0 {
		return err
	}
	return g.call(cuMemsetD8Async, uintptr(m.Address), 0, uintptr(bytes), 0)
}

func inside(m gpu.Memory, bytes uint64) error {
	if bytes > m.Bytes {
		return fmt.Errorf("%w: %d bytes of a piece of memory of %d", gpu.ErrDriver, bytes, m.Bytes)
	}
	return nil
}
