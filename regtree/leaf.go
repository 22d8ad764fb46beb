package regtree

import (
	"fmt"
	"math"
)

// A Leaf holds the statistics of the training rows that reached one node, all
// but Count in units of the target.
type Leaf struct {
	Value  float64 // mean, the prediction
	Count  int     // rows
	StdDev float64 // population standard deviation, 0 for one row
	Min    float64 // smallest target
	Max    float64 // largest target
}

func (l Leaf) squaredError() float64 { return float64(l.StdDev * l.StdDev * float64(l.Count)) }

// merge returns the statistics of the rows of a and b together, by the pairwise update of [chan83].
func merge(a, b Leaf) Leaf {
	rows := float64(a.Count + b.Count)
	share := float64(b.Count) / rows
	delta := b.Value - a.Value
	m := Leaf{Count: a.Count + b.Count, Min: min(a.Min, b.Min), Max: max(a.Max, b.Max)}
	m.Value = clamp(a.Value+float64(delta*share), m.Min, m.Max)
	between := float64(delta * delta * float64(a.Count) * share)
	m.StdDev = math.Sqrt((a.squaredError() + b.squaredError() + between) / rows)
	m.StdDev = min(m.StdDev, m.Max-m.Min)
	return m
}

// summarize returns the statistics of those of the given rows whose target is known. Deviations are
// taken from the mean, which keeps StdDev accurate where the targets are large and close together.
func summarize(rows []int32, y []float64) Leaf {
	l := Leaf{Min: math.Inf(1), Max: math.Inf(-1)}
	for _, r := range rows {
		if v := y[r]; known(v) {
			l.Count++
			l.Min, l.Max = min(l.Min, v), max(l.Max, v)
		}
	}
	if l.Count == 0 {
		return Leaf{}
	}
	shift := l.Min
	var sum float64
	for _, r := range rows {
		if known(y[r]) {
			sum += y[r] - shift
		}
	}
	n := float64(l.Count)
	l.Value = clamp(shift+sum/n, l.Min, l.Max)
	var squares float64
	for _, r := range rows {
		if d := y[r] - l.Value; known(d) {
			squares += float64(d * d)
		}
	}
	l.StdDev = min(math.Sqrt(squares/n), l.Max-l.Min)
	return l
}

// known reports whether a target is known: NaN stands for one that is not.
func known(target float64) bool { return target == target }

func clamp(v, lo, hi float64) float64 { return max(lo, min(v, hi)) }

// check returns an error that wraps ErrNotFinite, ErrRange or ErrTree where no
// set of training rows has these statistics.
func (l Leaf) check() error {
	for _, v := range []float64{l.Value, l.StdDev, l.Min, l.Max} {
		if !finite(v) {
			return fmt.Errorf("%v: %w", v, ErrNotFinite)
		}
	}
	switch {
	case l.Min < -maxTarget || l.Max > maxTarget:
		return fmt.Errorf("targets from %v to %v, at most %g in magnitude: %w",
			l.Min, l.Max, maxTarget, ErrRange)
	case l.Count < 1 || l.Count > math.MaxInt32:
		return fmt.Errorf("count %d: %w", l.Count, ErrRange)
	case l.Value < l.Min || l.Value > l.Max:
		return fmt.Errorf("value %v outside [%v, %v]: %w", l.Value, l.Min, l.Max, ErrTree)
	case l.StdDev < 0 || l.StdDev > l.Max-l.Min:
		return fmt.Errorf("standard deviation %v of targets in [%v, %v]: %w",
			l.StdDev, l.Min, l.Max, ErrTree)
	}
	return nil
}
