package model

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/regtree"
)

// MaxLogFactor bounds the corrections that a model may make, in ln of the
// factor, so that every product with a time stays finite.
const MaxLogFactor = 50

// invalid returns an error that wraps ErrModel.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrModel}, args...)...)
}

// Validate returns an error that wraps ErrModel and names what no training
// gives.
func (m *Model) Validate() error {
	if !isHash(m.ProfileHash) {
		return invalid("profile_hash %q is no SHA-256", m.ProfileHash)
	}
	if m.Device == "" {
		return invalid("it names no device")
	}
	if err := cmp.Or(m.checkSweep(), m.checkCalibration(), m.checkFeatures()); err != nil {
		return err
	}
	if len(m.Implementations) == 0 {
		return invalid("it has no implementations")
	}
	for i := range m.Implementations {
		if err := m.checkImplementation(i); err != nil {
			return invalid("implementation %s: %w", m.Implementations[i].Name, err)
		}
	}
	return m.Evaluation.validate()
}

func isHash(text string) bool {
	sum, err := hex.DecodeString(text)
	return err == nil && len(sum) == 32
}

// checkSweep checks of what points the model was simulated.
func (m *Model) checkSweep() error {
	if m.MeasuredPoints > 0 && m.Rows == 0 && m.Simulations == 0 && m.Sweep == (Sweep{}) &&
		m.Fit == (FitOptions{}) {
		return nil // it was measured alone
	}
	if err := m.Sweep.Validate(); err != nil {
		return invalid("%v", err)
	}
	if err := m.Fit.Validate(); err != nil {
		return invalid("%v", err)
	}
	if m.Rows < 1 || m.Rows != m.Sweep.Points || m.Simulations < m.Rows {
		return invalid("%d simulations of %d rows of a sweep of %d points", m.Simulations, m.Rows,
			m.Sweep.Points)
	}
	return nil
}

// checkCalibration reports what no calibration gives.
func (m *Model) checkCalibration() error {
	c := m.Calibration
	if m.MeasuredPoints < 0 || (m.MeasuredPoints > 0) != (c != nil) {
		return invalid("%d measured points, and a calibration: %t", m.MeasuredPoints, c != nil)
	}
	if c == nil {
		return nil
	}
	if err := c.check(m.MeasuredPoints); err != nil {
		return invalid("calibration: %w", err)
	}
	return nil
}

func (c *Calibration) check(points int) error {
	if !isHash(c.Hash) {
		return fmt.Errorf("hash %q is no SHA-256", c.Hash)
	}
	if c.Streams < 1 || c.Streams > points || c.Leaves < 0 || !(c.Prior >= 0) || !finite(c.Prior) {
		return fmt.Errorf("%d streams of %d points, %d leaves, prior %v", c.Streams, points, c.Leaves,
			c.Prior)
	}
	for _, f := range []Fidelity{c.Before, c.After} {
		if !f.Loss.valid() || f.Loss.Points != points || !(f.MeanError >= 0) || !finite(f.MeanError) {
			return fmt.Errorf("fidelity %+v of %d points", f, points)
		}
	}
	if !(c.Coverage >= 0 && c.Coverage <= 1) || c.Coverage > 0 && !c.Renewed {
		return fmt.Errorf("coverage %v, renewed: %t", c.Coverage, c.Renewed)
	}
	return nil
}

func (m *Model) checkFeatures() error {
	if len(m.Features) != int(NumStreamFeatures) {
		return invalid("%d features, want %d", len(m.Features), int(NumStreamFeatures))
	}
	for i, r := range m.Features {
		if r.Name != FeatureNames[i] {
			return invalid("feature %d is %q, want %q", i, r.Name, FeatureNames[i])
		}
		if !finite(r.Min) || !finite(r.Max) || r.Min > r.Max {
			return invalid("feature %s ranges from %v to %v", r.Name, r.Min, r.Max)
		}
	}
	return nil
}

func (m *Model) checkImplementation(i int) error {
	c, calibrated := &m.Implementations[i], m.Calibration != nil
	for _, earlier := range m.Implementations[:i] {
		if earlier.Name == c.Name {
			return fmt.Errorf("it stands twice")
		}
	}
	if c.Tree == nil {
		return fmt.Errorf("it has no tree")
	}
	if (c.Measured != nil) != calibrated {
		return fmt.Errorf("measured: %t, calibration: %t", c.Measured != nil, calibrated)
	}
	if err := cmp.Or(checkTree("", c.Tree), checkTree("measured ", c.Measured)); err != nil {
		return err
	}
	if !(c.Alpha >= 0 && c.Alpha <= MaxLogFactor*MaxLogFactor) || !(c.Shrink >= 0 && c.Shrink <= 1) {
		return fmt.Errorf("pruned at alpha %v and shrunk by %v", c.Alpha, c.Shrink)
	}
	measuredAlone := calibrated && c.Rows == 0 && c.Tree.NumLeaves() == 1
	if !measuredAlone && c.Rows < c.Tree.NumLeaves() || c.Rows > m.Rows {
		return fmt.Errorf("%d rows of %d", c.Rows, m.Rows)
	}
	for _, s := range []Score{c.KFold, c.FamilyOut, c.ClosedForm} {
		if !s.valid() {
			return fmt.Errorf("score %+v", s)
		}
	}
	if !(c.Low <= c.High) || math.Abs(c.Low) > MaxLogFactor || math.Abs(c.High) > MaxLogFactor {
		return fmt.Errorf("residual quantiles %v and %v", c.Low, c.High)
	}
	if !finite(c.ClosedFormCheck) {
		return fmt.Errorf("closed_form_check %v", c.ClosedFormCheck)
	}
	low, high := c.MeasuredLow, c.MeasuredHigh
	if !(low <= 0 && high >= 0) || low < -MaxLogFactor || high > MaxLogFactor ||
		(low < high) != (calibrated && m.Calibration.Renewed) {
		return fmt.Errorf("measured interval exp(%v) to exp(%v)", low, high)
	}
	return nil
}

// checkTree checks the features and corrections of a tree, nil for none.
func checkTree(name string, tree *regtree.Tree) error {
	if tree == nil {
		return nil
	}
	if features := tree.Features(); !slices.Equal(features, FeatureNames[:]) {
		return fmt.Errorf("the %stree's features are %q", name, features)
	}
	for j := range tree.NumNodes() {
		if l := tree.At(j); math.Abs(l.Min) > MaxLogFactor || math.Abs(l.Max) > MaxLogFactor {
			return fmt.Errorf("%snode %d corrects by exp(%v) to exp(%v)", name, j, l.Min, l.Max)
		}
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
