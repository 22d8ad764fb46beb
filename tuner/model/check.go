package model

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
)

// MaxLogFactor bounds the corrections that a model may make, in ln of the
// factor, so that every product with a time stays finite.
const MaxLogFactor = 50

// Validate returns an error that wraps ErrModel and names what no training
// gives.
func (m *Model) Validate() error {
	if sum, err := hex.DecodeString(m.ProfileHash); err != nil || len(sum) != 32 {
		return fmt.Errorf("%w: profile_hash %q is no SHA-256", ErrModel, m.ProfileHash)
	}
	if m.Device == "" {
		return fmt.Errorf("%w: it names no device", ErrModel)
	}
	if err := m.checkSweep(); err != nil {
		return err
	}
	if err := m.checkMeasured(); err != nil {
		return err
	}
	if err := m.checkFeatures(); err != nil {
		return err
	}
	if len(m.Implementations) == 0 {
		return fmt.Errorf("%w: it has no implementations", ErrModel)
	}
	for i := range m.Implementations {
		if err := m.checkImplementation(i); err != nil {
			return err
		}
	}
	return m.Evaluation.validate()
}

// checkSweep checks of what points the model was simulated.
func (m *Model) checkSweep() error {
	if m.measuredAlone() {
		return nil
	}
	if err := m.Sweep.Validate(); err != nil {
		return fmt.Errorf("%w: %v", ErrModel, err)
	}
	if err := m.Fit.Validate(); err != nil {
		return fmt.Errorf("%w: %v", ErrModel, err)
	}
	if m.Rows < 1 || m.Rows != m.Sweep.Points || m.Simulations < m.Rows {
		return fmt.Errorf("%w: %d simulations of %d rows of a sweep of %d points", ErrModel,
			m.Simulations, m.Rows, m.Sweep.Points)
	}
	return nil
}

func (m *Model) checkFeatures() error {
	if len(m.Features) != int(NumStreamFeatures) {
		return fmt.Errorf("%w: %d features, want %d", ErrModel, len(m.Features), int(NumStreamFeatures))
	}
	for i, r := range m.Features {
		if r.Name != FeatureNames[i] {
			return fmt.Errorf("%w: feature %d is %q, want %q", ErrModel, i, r.Name, FeatureNames[i])
		}
		if !finite(r.Min) || !finite(r.Max) || r.Min > r.Max {
			return fmt.Errorf("%w: feature %s ranges from %v to %v", ErrModel, r.Name, r.Min, r.Max)
		}
	}
	return nil
}

func (m *Model) checkImplementation(i int) error {
	c := &m.Implementations[i]
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%w: implementation %s: %s", ErrModel, c.Name, fmt.Sprintf(format, args...))
	}
	for _, earlier := range m.Implementations[:i] {
		if earlier.Name == c.Name {
			return wrong("it stands twice")
		}
	}
	if c.Tree == nil {
		return wrong("it has no tree")
	}
	if names := c.Tree.Features(); !slices.Equal(names, FeatureNames[:]) {
		return wrong("the tree's features are %q", names)
	}
	for j, n := range c.Tree.Nodes() {
		if math.Abs(n.Leaf.Min) > MaxLogFactor || math.Abs(n.Leaf.Max) > MaxLogFactor {
			return wrong("node %d corrects by exp(%v) to exp(%v)", j, n.Leaf.Min, n.Leaf.Max)
		}
	}
	if !(c.Alpha >= 0 && c.Alpha <= MaxLogFactor*MaxLogFactor) || !(c.Shrink >= 0 && c.Shrink <= 1) {
		return wrong("pruned at alpha %v and shrunk by %v", c.Alpha, c.Shrink)
	}
	if !m.untrained(c) && c.Rows < c.Tree.NumLeaves() || c.Rows > m.Rows {
		return wrong("%d rows of %d", c.Rows, m.Rows)
	}
	for _, s := range []Score{c.KFold, c.FamilyOut, c.ClosedForm} {
		if !s.valid() {
			return wrong("score %+v", s)
		}
	}
	if !(c.Low <= c.High) || math.Abs(c.Low) > MaxLogFactor || math.Abs(c.High) > MaxLogFactor {
		return wrong("residual quantiles %v and %v", c.Low, c.High)
	}
	if !finite(c.ClosedFormCheck) {
		return wrong("closed_form_check %v", c.ClosedFormCheck)
	}
	return nil
}

// valid reports whether a root mean square, mean and quantile of magnitudes
// below 2·MaxLogFactor can be these.
func (s Score) valid() bool {
	const top = 2 * MaxLogFactor
	return s.RMSE >= 0 && s.RMSE <= top && math.Abs(s.Bias) <= top && s.P90 >= 0 && s.P90 <= top
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
