package model

import (
	"cmp"
	"fmt"
)

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

// FitOptions say how trees are grown.
type FitOptions struct {
	MaxDepth  int `json:"max_depth"`  // comparisons from root to leaf; 0 means 8
	MaxLeaves int `json:"max_leaves"` // of one tree; 0 means 64
	MinLeaf   int `json:"min_leaf"`   // training rows of a leaf; 0 means 5
	Folds     int `json:"folds"`      // of the k-fold cross-validation; 0 means 5
	Bags      int `json:"bags"`       // trees whose mean one tree is fitted to; 0 means 16
	// MinRows is the number of training rows from which on an implementation
	// gets a tree; 0 means 20.
	MinRows int `json:"min_rows"`
}

// fitRange is what an option of FitOptions may be.
type fitRange struct {
	name           string
	value          *int
	meaning, least int // of 0
}

func (o *FitOptions) ranges() []fitRange {
	return []fitRange{
		{"max_depth", &o.MaxDepth, 8, 1}, {"max_leaves", &o.MaxLeaves, 64, 1},
		{"min_leaf", &o.MinLeaf, 5, 1}, {"folds", &o.Folds, 5, 2}, {"bags", &o.Bags, 16, 1},
		{"min_rows", &o.MinRows, 20, 4},
	}
}

// Normal returns the options with every zero replaced by what it means.
func (o FitOptions) Normal() FitOptions {
	for _, f := range o.ranges() {
		*f.value = cmp.Or(*f.value, f.meaning)
	}
	return o
}

// Validate returns an error that wraps ErrOptions for an option out of range.
func (o FitOptions) Validate() error {
	n := o.Normal()
	for _, f := range n.ranges() {
		if *f.value < f.least || *f.value > 1<<20 {
			return fmt.Errorf("%s %d, want %d to %d: %w", f.name, *f.value, f.least, 1<<20, ErrOptions)
		}
	}
	return nil
}
