package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/internal/strictjson"
)

// Evaluation says what choices cost on simulated streams: the simulated time of the choice over the best
// one. What was screened out takes no part.
type Evaluation struct {
	Tree       Loss `json:"tree"`        // by trees that had seen no stream of the family
	ClosedForm Loss `json:"closed_form"` // by closed forms alone
	Naive      Loss `json:"naive"`       // always naive, where it can run
	// Families is Tree, family by family, and ClosedForms ClosedForm, in the same order.
	Families    strictjson.List[FamilyLoss] `json:"families"`
	ClosedForms strictjson.List[FamilyLoss] `json:"closed_form_families,omitempty"`
}

// Loss sums up the losses of choices.
type Loss struct {
	Points        int     `json:"points"`
	GeometricMean float64 `json:"geometric_mean"`
	P90           float64 `json:"p90"`
	Max           float64 `json:"max"`
}

// Keeps reports whether choices by a tree lose hardly more than those by closed forms: in ln of the mean by
// 0.002 at most, in the 90th percentile by 0.005, and at most 1.1 times as much as these at worst.
func (l Loss) Keeps(closed Loss) bool { return l.KeepsMost(closed) && l.Max <= 1.1*closed.Max }

// KeepsMost is Keeps without the worst choice, which is of one point.
func (l Loss) KeepsMost(closed Loss) bool {
	return math.Log(l.GeometricMean/closed.GeometricMean) <= 0.002 && l.P90 <= closed.P90+0.005
}

// FamilyLoss is the loss over the points of one stream family.
type FamilyLoss struct {
	Family string `json:"family"`
	Loss
}

// Summarize returns the loss over ln(loss) of each choice, 0 points for none.
func Summarize(logs []float64) Loss {
	if len(logs) == 0 {
		return Loss{GeometricMean: 1, P90: 1, Max: 1}
	}
	sorted := slices.Sorted(slices.Values(logs))
	var sum float64
	for _, l := range sorted {
		sum += l
	}
	return Loss{Points: len(sorted), GeometricMean: math.Exp(sum / float64(len(sorted))),
		P90: math.Exp(quantile.Sorted(sorted, 0.9)), Max: math.Exp(sorted[len(sorted)-1])}
}

func (e Evaluation) validate() error {
	all := strictjson.List[FamilyLoss]{{"tree", e.Tree}, {"closed_form", e.ClosedForm}, {"naive", e.Naive}}
	for _, l := range slices.Concat(all, e.Families, e.ClosedForms) {
		if l.Family == "" || !l.valid() {
			return fmt.Errorf("evaluation %s: %+v", l.Family, l.Loss)
		}
	}
	return nil
}

func (l Loss) valid() bool {
	return l.Points >= 0 && l.GeometricMean >= 1 && l.P90 >= 1 && l.Max >= l.P90 && finite(l.Max)
}

// NoEvaluation is the evaluation of a model to which no simulation belongs.
func NoEvaluation() Evaluation {
	l := Summarize(nil)
	return Evaluation{Tree: l, ClosedForm: l, Naive: l, Families: []FamilyLoss{}}
}

// LossOf sums up ratios of the chosen implementation's time to the best time.
func LossOf(ratios []float64) Loss {
	logs := make([]float64, len(ratios))
	for i, r := range ratios {
		logs[i] = math.Log(r)
	}
	return Summarize(logs)
}

// The limits of a Sweep.
const (
	maxPoints           = 1 << 20
	maxSweepUpdates     = 1 << 28
	maxSweepBins        = 1<<32 - 1
	leastLine, mostLine = 3, 64
)

// A Sweep enumerates training points: streams of known families with numbers of updates and targets
// drawn log-uniformly, over all element types and both operands. With Line, points come in
// parameter sweeps (see synth.Sweep), refined where the choice changes. Each depends on the Sweep and
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
	bad := func(wrong bool, format string, args ...any) error {
		return fault(wrong, format+": %w", append(args, ErrSweep)...)
	}
	return cmp.Or(
		bad(n.Points < 1 || n.Points > maxPoints, "%d points, want 1 to %d", n.Points, maxPoints),
		bad(n.MinUpdates > n.MaxUpdates || n.MaxUpdates > maxSweepUpdates,
			"%d to %d updates, want a range below %d", n.MinUpdates, n.MaxUpdates, maxSweepUpdates),
		bad(n.ShortUpdates != 0 && (n.ShortUpdates < n.MinUpdates || n.ShortUpdates > n.MaxUpdates),
			"short streams of up to %d updates, want 0, or a number within %d to %d", n.ShortUpdates,
			n.MinUpdates, n.MaxUpdates),
		bad(n.MaxBins > maxSweepBins, "%d targets, want fewer than 2^32", n.MaxBins),
		bad(n.Line != 0 && (n.Line < leastLine || n.Line > mostLine),
			"lines of %d points, want 0, or %d to %d", n.Line, leastLine, mostLine),
		bad(n.Screen != 0 && !(n.Screen >= 1 && n.Screen <= 1e6),
			"screening at %v times the least closed form, want 0, or 1 to 1e6", n.Screen),
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
