package hwsim

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/impl"
)

// MaxRowElements bounds the elements of the values that a simulation adds, and of targets, where each update
// adds a row; MaxWidth those of a row.
const (
	MaxRowElements = 1 << 31
	MaxWidth       = 1 << 12
)

// runRows is Run of a call that adds rows, those of bindings/cuda/atomtune_rows_update.cuh. Values of 16 bits are added
// as floats: rounding takes no time. The time is that which the call adds to a stream with work before it, so
// that the host's launches are hidden. Of targets beyond L2 none are there at the start. Result.Final is nil.
func (cfg Config) runRows(indices []uint32, count uint64) (Result, error) {
	c, err := cfg.openRows(indices, count)
	if err != nil {
		return Result{}, err
	}
	var order []uint32
	if cfg.Implementation.Algorithm == impl.Sort {
		if cfg.Sorted, order, err = kernel.SortRows(cfg.Device, cfg.Call, indices, count); err != nil {
			return Result{}, err
		}
	}
	s := c.session(kernel.Permute(indices, order), order, nil)
	if err := s.Run(); err != nil {
		return Result{}, err
	}
	launches := append(cfg.Sorted, s.Times...)
	r := outcome(s.Session, cfg.elapsedRows(launches), len(indices), launches)
	r.Correct = s.Correct()
	return r, nil
}

// rowCall is a call on a stream.
type rowCall struct {
	Config
	shape   device.RowShape
	indices []uint32
	count   uint64
}

// openRows reports what cannot be simulated.
func (cfg Config) openRows(indices []uint32, count uint64) (*rowCall, error) {
	if cfg.Device == nil {
		return nil, fmt.Errorf("%w: no device", ErrStream)
	}
	err := cfg.Call.Validate()
	if wrong := cfg.Call.Check(cfg.Implementation); err == nil && wrong != nil {
		err = fmt.Errorf("%w: %w", impl.ErrName, wrong)
	}
	if err == nil {
		err = cfg.Device.CanCall(cfg.Implementation, cfg.Call, count)
	}
	if err == nil && cfg.Launch != (device.Launch{}) {
		err = fmt.Errorf("%w: rows are added in a grid that follows from their width", device.ErrLaunch)
	}
	if err != nil {
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
	if err := kernel.CheckBelow(indices, count); err != nil {
		return nil, err
	}
	shape, _ := cfg.Device.Limits().RowShape(cfg.Implementation, cfg.Call)
	return &rowCall{cfg, shape, indices, count}, nil
}

// session lays out memory for a part of the stream, whose values stand at places.
func (c *rowCall) session(part, places, before []uint32) *kernel.RowSession {
	return kernel.NewRowSession(c.Device, c.Seed, c.count, c.indices, before,
		kernel.RowSession{Rows: c.Call, Implementation: c.Implementation, Shape: c.shape, Indices: part,
			Places: places})
}

// elapsedRows puts the launches in line: each begins a gap after the one before it has ended. The kernel
// of hot is two launches here, of which the second follows the first at once.
func (cfg Config) elapsedRows(kernels []KernelTime) (us float64) {
	for i, k := range kernels {
		if i == 0 || kernels[i-1].Name != kernel.Sample {
			us += cfg.Device.Launch.Gap.Value
		}
		us += float64(k.Cycles) / cfg.Device.Core.Clock.Value
	}
	return us
}
