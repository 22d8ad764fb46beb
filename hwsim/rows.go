package hwsim

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/rows"
)

// MaxRowElements bounds the elements of the values that a simulation adds, and of targets; MaxWidth
// those of a row.
const (
	MaxRowElements = 1 << 31
	MaxWidth       = 1 << 12
)

// RowConfig says which updates of rows to simulate: those of a call of
// cuda/atomtune_rows_update.cuh.
type RowConfig struct {
	Device *device.Profile
	Call   rows.Call
	Form   rows.Form
	Slots  int // of the table of hot rows; 0: as rows.Call.Shape has it
	Seed   uint64
	// Sorted are the launches of SortRows on the stream, where they are known.
	Sorted []KernelTime
}

// RunRows simulates one call on the indices, which lie below count, and compares the sums with those
// of the updates made serially. Values of 16 bits are added as floats: rounding takes no time. The time
// is that which the call adds to a stream with work before it, so that the host's launches are hidden.
// Of targets beyond L2 none are there at the start.
// Result.Final is nil. Errors are those of Run.
func RunRows(cfg RowConfig, indices []uint32, count uint64) (Result, error) {
	c, err := cfg.open(indices, count)
	if err != nil {
		return Result{}, err
	}
	var order []uint32
	if cfg.Form == rows.Sort {
		if cfg.Sorted, order, err = kernel.SortRows(cfg.Device, cfg.Call, indices, count); err != nil {
			return Result{}, err
		}
	}
	s := c.session(kernel.Permute(indices, order), order, nil)
	if err := s.Run(); err != nil {
		return Result{}, err
	}
	r := Result{Updates: uint64(len(indices)), Kernels: append(cfg.Sorted, s.Times...),
		WarpInstructions: s.Machine.Instrs, Events: s.Machine.Events,
		Issued: s.Machine.Issued, Completed: s.Machine.Completed, Correct: s.Correct()}
	r.US = cfg.elapsed(r.Kernels)
	r.Cycles = uint64(float64(r.US*cfg.Device.Core.Clock.Value) + 0.5)
	return r, nil
}

// rowCall is a call on a stream.
type rowCall struct {
	RowConfig
	shape   rows.Shape
	indices []uint32
	count   uint64
}

// open reports what cannot be simulated.
func (cfg RowConfig) open(indices []uint32, count uint64) (*rowCall, error) {
	if cfg.Device == nil {
		return nil, fmt.Errorf("%w: no device", ErrStream)
	}
	if err := rows.Check(cfg.Device, cfg.Call); err != nil {
		return nil, err
	}
	width, n := cfg.Call.Width, uint64(len(indices))
	switch {
	case width > MaxWidth:
		return nil, fmt.Errorf("%w: rows of %d elements, at most %d", ErrStream, width, MaxWidth)
	case n == 0:
		return nil, fmt.Errorf("%w: no updates", ErrStream)
	case n > MaxUpdates || n*width > MaxRowElements:
		return nil, fmt.Errorf("%w: %d updates of %d elements, at most %d and %d elements", ErrStream, n,
			width, MaxUpdates, MaxRowElements)
	case count > MaxBins || count*width > MaxRowElements:
		return nil, fmt.Errorf("%w: %d rows of %d elements, at most %d and %d elements", ErrStream, count,
			width, MaxBins, MaxRowElements)
	}
	for i, x := range indices {
		if uint64(x) >= count {
			return nil, fmt.Errorf("%w: update %d: index %d is not below %d rows", ErrStream, i, x, count)
		}
	}
	shape, err := cfg.Call.Shape(cfg.Device, cfg.Form, cfg.Slots)
	return &rowCall{cfg, shape, indices, count}, err
}

// session lays out memory for a part of the stream, whose values stand at places.
func (c *rowCall) session(part, places, before []uint32) *kernel.RowSession {
	return kernel.NewRowSession(kernel.RowSession{Device: c.Device, Call: c.Call, Form: c.Form,
		Shape: c.shape, Seed: c.Seed, Rows: c.count, Indices: part, Places: places, Whole: c.indices,
		Before: before})
}

// elapsed puts the launches in line: each begins a gap after the one before it has ended. The kernel
// of hot is two launches here, of which the second follows the first at once.
func (cfg RowConfig) elapsed(kernels []KernelTime) (us float64) {
	for i, k := range kernels {
		if i == 0 || kernels[i-1].Name != kernel.Sample {
			us += cfg.Device.Launch.Gap.Value
		}
		us += float64(k.Cycles) / cfg.Device.Core.Clock.Value
	}
	return us
}
