package speedup

import (
	"errors"
	"fmt"
	"math"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// The errors of this package; a device that cannot run an implementation gives
// one that wraps device.ErrCannot.
var (
	// ErrStats: the statistics are of no stream, or of warps of another size
	// than the device's.
	ErrStats = errors.New("unusable statistics")
	// ErrNotGrouped: segreduce needs each target in one contiguous stretch.
	ErrNotGrouped = errors.New("the stream is not grouped")
	// ErrReturns: the implementation cannot give each update its old value.
	ErrReturns = errors.New("no old values")
)

// Check returns nil if CompileAll can prepare an implementation, and its error
// otherwise.
func Check(v variant.Variant, d *device.Profile, c device.Call) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if err := v.Validate(); err != nil {
		return fmt.Errorf("%w: %v", variant.ErrName, err)
	}
	if err := d.CanCall(v, c, 1); err != nil {
		return err
	}
	if c.Returns && !v.ReturnsOld() {
		return fmt.Errorf("%w: %s adds sums, not updates", ErrReturns, v)
	}
	return nil
}

// Check returns nil if the implementation at that place in the list of CompileAll
// can be priced for a stream with these statistics. Errors wrap ErrStats,
// ErrNotGrouped or device.ErrCannot.
func (b *Bundle) Check(s *collision.Stats, place int) error {
	v := b.list[place].v
	switch {
	case s.Updates == 0 || s.Bins == 0 || s.Unique == 0 || s.Unique > min(s.Bins, s.Updates):
		return fmt.Errorf("%w: %d updates of %d targets, %d of them different",
			ErrStats, s.Updates, s.Bins, s.Unique)
	case uint64(s.WarpSize) != b.lanesPerWarp:
		return fmt.Errorf("%w: they are of warps of %d, %s has %d lanes",
			ErrStats, s.WarpSize, b.d.Name, b.lanesPerWarp)
	case s.BlockSize < 1 || s.Bins > mostBins:
		return fmt.Errorf("%w: blocks of %d, %d targets", ErrStats, s.BlockSize, s.Bins)
	case v.NeedsGrouped() && !s.Grouped():
		return fmt.Errorf("%w: %d targets in %d stretches", ErrNotGrouped, s.Unique, s.Runs)
	}
	for _, mean := range []float64{
		s.WarpLevel, s.DistinctPerWarp, s.DistinctPerBlock, s.Sectors4, s.Sectors8,
		s.SectorPasses4, s.SectorPasses8, s.BankDegree, s.BankLanes,
	} {
		if !(mean > 0) || math.IsInf(mean, 0) {
			return fmt.Errorf("%w: a mean of %v", ErrStats, mean)
		}
	}
	if !(s.ClusteredFraction >= 0 && s.ClusteredFraction <= 1) {
		return fmt.Errorf("%w: clustered fraction %v", ErrStats, s.ClusteredFraction)
	}
	return b.d.CanCall(v, b.c, s.Bins)
}
