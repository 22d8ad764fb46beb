package speedup

import (
	"errors"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// The errors of this package; a device that cannot run an implementation gives
// one that wraps device.ErrCannot.
var (
	ErrNotGrouped = errors.New("the stream is not grouped") // as segreduce needs it
	// ErrFrequent says that the statistics do not hold what hot needs: Cover and Misses.
	ErrFrequent = errors.New("what frequent targets cover is not known")
	// ErrReuse says that the statistics do not hold how rows are used again: Rows.
	ErrReuse = errors.New("how rows are used again is not known")
)

// Check returns nil if CompileAll can prepare an implementation, and its error otherwise.
func Check(v impl.Spec, d *device.Profile, c device.Call) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if err := c.Check(v); err != nil {
		return fmt.Errorf("%w: %v", impl.ErrName, err)
	}
	return d.CanCall(v, c, 1)
}

// Runnable lists what CompileAll can prepare of a list, each once.
func Runnable(list []impl.Spec, d *device.Profile, c device.Call) (of []impl.Spec) {
	for _, v := range list {
		if Check(v, d, c) == nil && !slices.Contains(of, v) {
			of = append(of, v)
		}
	}
	return of
}

// Check returns nil if the implementation at that place in the list of CompileAll can be priced for
// a stream with these statistics. Errors: collision.ErrStats, ErrNotGrouped, ErrFrequent, ErrReuse,
// device.ErrCannot.
func (b *Bundle) Check(s *collision.Stats, place int) error {
	v := b.list[place].v
	if b.c.Wide() {
		if s.Rows == nil {
			return fmt.Errorf("%w: statistics of rows are asked for by collision.Options", ErrReuse)
		}
		return nil
	}
	if uint64(s.WarpSize) != b.lanesPerWarp {
		return fmt.Errorf("%w: they are of warps of %d, %s has %d lanes",
			collision.ErrStats, s.WarpSize, b.d.Name, b.lanesPerWarp)
	}
	if err := s.Check(); err != nil {
		return err
	}
	if v.NeedsGrouped() && !s.Grouped() {
		return fmt.Errorf("%w: %d targets in %d stretches", ErrNotGrouped, s.Unique, s.Runs)
	}
	if b.list[place].table.slots > 0 && !s.HotKnown() {
		return fmt.Errorf("%w: %s is priced with cover and misses, which the statistics have not",
			ErrFrequent, v)
	}
	if err := b.d.CanCall(v, b.c, s.Bins); err != nil {
		return err
	}
	return b.d.CanLaunch(v, b.c.Type, s.Bins, b.fixed)
}
