package request

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// Stream is an index stream whose indices are of one of several types.
type Stream interface {
	collision.Stream
	Type() device.Type
	// ignores reports whether some updates may be ignored.
	ignores() bool
	// keep appends the targets of the updates from begin to end that are not ignored, or of these
	// collision.Inactive where places are asked for.
	keep(targets []uint32, begin, end int, places bool) ([]uint32, error)
	// target returns the target of an update below bins, else impl.NoTarget.
	target(at int, bins uint64) uint32
}

type index interface {
	uint32 | int32 | uint64 | int64
}

// Of are indices of one type, of which Ignored stands for no target where it is not nil.
type Of[I index] struct {
	Indices []I
	Ignored *I
}

// NewStream returns n indices in memory that is not Go's. An ignored index beyond the type stands for none.
func NewStream[I index](at unsafe.Pointer, n int, ignores bool, ignored int64) *Of[I] {
	s := &Of[I]{Indices: unsafe.Slice((*I)(at), n)}
	if x := I(ignored); ignores && (int64(x) == ignored || ignored == -1) {
		s.Ignored = &x
	}
	return s
}

func (s *Of[I]) Len() int { return len(s.Indices) }

func (s *Of[I]) Type() device.Type {
	switch any(s).(type) {
	case *Of[uint32]:
		return device.U32
	case *Of[int32]:
		return device.I32
	case *Of[uint64]:
		return device.U64
	}
	return device.I64
}

// Read copies the targets of updates, none of which is ignored.
func (s *Of[I]) Read(into []uint32, at int) error {
	for i, x := range s.Indices[at : at+len(into)] {
		if x < 0 || uint64(x) > math.MaxUint32 {
			return fmt.Errorf("%w: update %d has index %d", collision.ErrIndex, at+i, x)
		}
		into[i] = uint32(x)
	}
	return nil
}

func (s *Of[I]) ignores() bool { return s.Ignored != nil }

func (s *Of[I]) keep(targets []uint32, begin, end int, places bool) ([]uint32, error) {
	for i, x := range s.Indices[begin:end] {
		switch {
		case s.Ignored != nil && x == *s.Ignored:
			if places {
				targets = append(targets, collision.Inactive)
			}
			continue
		case x < 0 || uint64(x) > math.MaxUint32:
			return nil, fmt.Errorf("%w: update %d has index %d", collision.ErrIndex, begin+i, x)
		}
		targets = append(targets, uint32(x))
	}
	return targets, nil
}

func (s *Of[I]) target(at int, bins uint64) uint32 {
	x := s.Indices[at]
	ignored := s.Ignored != nil && x == *s.Ignored
	if ignored || x < 0 || uint64(x) >= bins || uint64(x) > math.MaxUint32 {
		return impl.NoTarget
	}
	return uint32(x)
}
