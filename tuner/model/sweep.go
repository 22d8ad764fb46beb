package model

import "cmp"

// The limits of a Sweep.
const (
	maxPoints           = 1 << 20
	maxSweepUpdates     = 1 << 28
	maxSweepBins        = 1<<32 - 1
	leastLine, mostLine = 3, 64
)

// A Sweep enumerates training points: streams of known families with numbers of updates and targets
// drawn log-uniformly, over all element types and both operands. With Line, points come in
// parameter sweeps (see synth.Sweep), refined at decision boundaries. Each depends on the Sweep and
// its number alone.
type Sweep struct {
	Points     int    `json:"points"`
	Seed       uint64 `json:"seed"`
	MinUpdates uint64 `json:"min_updates"` // 0 means 1,024
	MaxUpdates uint64 `json:"max_updates"` // 0 means 262,144
	MaxBins    uint64 `json:"max_bins"`    // 0 means 16,777,216
	// ShortUpdates, if not 0, divides the lengths: seven of eight parameter sweeps draw
	// theirs up to it, the eighth from it on.
	ShortUpdates uint64 `json:"short_updates"`
	// Line is the number of points of a parameter sweep: 0, or 3 to 64.
	Line int `json:"line"`
	// Screen, if not 0, leaves out implementations whose closed form exceeds Screen times
	// the least. Each 16th parameter sweep is simulated whole all the same.
	Screen float64 `json:"screen"`
}

// Normal returns the sweep with every zero replaced by what it means.
func (s Sweep) Normal() Sweep {
	s.MinUpdates = cmp.Or(s.MinUpdates, 1<<10)
	s.MaxUpdates = cmp.Or(s.MaxUpdates, max(1<<18, s.MinUpdates))
	s.MaxBins = cmp.Or(s.MaxBins, 1<<24)
	return s
}

// Validate returns an error that wraps ErrSweep for a parameter out of range.
func (s Sweep) Validate() error {
	n := s.Normal()
	return cmp.Or(
		fault(n.Points < 1 || n.Points > maxPoints, "%d points, want 1 to %d: %w", n.Points, maxPoints,
			ErrSweep),
		fault(n.MinUpdates > n.MaxUpdates || n.MaxUpdates > maxSweepUpdates,
			"%d to %d updates, want a range below %d: %w", n.MinUpdates, n.MaxUpdates, maxSweepUpdates,
			ErrSweep),
		fault(n.ShortUpdates != 0 && (n.ShortUpdates < n.MinUpdates || n.ShortUpdates > n.MaxUpdates),
			"short streams of up to %d updates, want 0, or a number within %d to %d: %w", n.ShortUpdates,
			n.MinUpdates, n.MaxUpdates, ErrSweep),
		fault(n.MaxBins > maxSweepBins, "%d targets, want fewer than 2^32: %w", n.MaxBins, ErrSweep),
		fault(n.Line != 0 && (n.Line < leastLine || n.Line > mostLine),
			"lines of %d points, want 0, or %d to %d: %w", n.Line, leastLine, mostLine, ErrSweep),
		fault(n.Screen != 0 && !(n.Screen >= 1 && n.Screen <= 1e6),
			"screening at %v times the least closed form, want 0, or 1 to 1e6: %w", n.Screen, ErrSweep),
	)
}

// PerLine is the number of points that are made one after the other.
func (s Sweep) PerLine() int { return max(1, s.Line) }

// Lines is the number of parameter sweeps; the last may be shorter.
func (s Sweep) Lines() int { return (s.Points + s.PerLine() - 1) / s.PerLine() }

// LineOf returns the number of a point's parameter sweep: its own without Line.
func (s Sweep) LineOf(point int) int { return point / s.PerLine() }

// WholeEvery is how often a parameter sweep is simulated whole where others are screened.
const WholeEvery = 16

// Whole reports whether all implementations are simulated at a point.
func (s Sweep) Whole(point int) bool {
	return s.Screen == 0 || s.LineOf(point)%WholeEvery == WholeEvery-1
}

// PointsOf returns the first point of a parameter sweep and the one behind its last.
func (s Sweep) PointsOf(number int) (first, end int) {
	return number * s.PerLine(), min((number+1)*s.PerLine(), s.Points)
}
