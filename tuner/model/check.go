package model

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/regtree"
)

// MaxLogFactor bounds the corrections that a model may make, in ln of the
// factor, so that every product with a time stays finite.
const MaxLogFactor = 50

// errFeatures reports a model of other features than today's.
var errFeatures = errors.New("its features are not today's")

// invalid returns an error that wraps ErrModel.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrModel}, args...)...)
}

// fault returns an error where something is wrong.
func fault(wrong bool, format string, args ...any) error {
	if !wrong {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// Validate returns an error that wraps ErrModel and names what no training gives.
func (m *Model) Validate() error {
	err := cmp.Or(
		fault(!isHash(m.ProfileHash), "profile_hash %q is no SHA-256", m.ProfileHash),
		fault(m.Device == "", "it names no device"),
		m.checkSweep(), m.checkCalibration(), m.checkFeatures(),
		fault(len(m.Implementations) == 0, "it has no implementations"),
	)
	for i := range m.Implementations {
		if bad := m.checkImplementation(i); err == nil && bad != nil {
			err = fmt.Errorf("implementation %s: %w", m.Implementations[i].Name, bad)
		}
	}
	if err = cmp.Or(err, m.Evaluation.validate()); err != nil {
		return invalid("%w", err)
	}
	return nil
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
	return cmp.Or(m.Sweep.Validate(), m.Fit.Validate(),
		fault(m.Rows < 1 || m.Rows != m.Sweep.Points || m.Simulations < m.Rows,
			"%d simulations of %d rows of a sweep of %d points", m.Simulations, m.Rows, m.Sweep.Points))
}

// checkCalibration reports what no calibration gives.
func (m *Model) checkCalibration() error {
	c, points := m.Calibration, m.MeasuredPoints
	if points < 0 || (points > 0) != (c != nil) || (m.Forest != nil) != (c != nil && c.Trees > 0) {
		return fmt.Errorf("%d measured points, a calibration: %t, a forest: %t", points, c != nil,
			m.Forest != nil)
	}
	if c == nil {
		return nil
	}
	var bad error
	if m.Forest != nil {
		bad = m.Forest.check()
	}
	err := cmp.Or(bad,
		fault(!isHash(c.Hash), "hash %q is no SHA-256", c.Hash),
		fault(c.Streams < 1 || c.Streams > points || c.Leaves < 0 || (c.Leaves > 0) != (c.Trees > 0),
			"%d streams of %d points, %d trees of %d leaves", c.Streams, points, c.Trees, c.Leaves),
		c.Before.check(points), c.After.check(points),
		fault(!c.Ranked.valid() || c.Ranked.Points != points ||
			c.Ranks != c.Ranked.NoWorse(c.Before.Loss), "ranks: %t, %+v", c.Ranks, c.Ranked),
		fault(!(min(c.Coverage, c.ChoiceCoverage) >= 0 && max(c.Coverage, c.ChoiceCoverage) <= 1) ||
			c.Coverage > 0 && !c.Renewed, "coverage %v and %v, renewed: %t", c.Coverage,
			c.ChoiceCoverage, c.Renewed),
		fault(!(c.Low <= 0 && c.High >= 0) || c.Low < -MaxLogFactor || c.High > MaxLogFactor ||
			(c.Low < c.High) != c.Renewed, "interval exp(%v) to exp(%v)", c.Low, c.High),
	)
	if err != nil {
		return fmt.Errorf("calibration: %w", err)
	}
	return nil
}

func (f Fidelity) check(points int) error {
	return fault(!f.Loss.valid() || f.Loss.Points != points || !(min(f.MeanError, f.RMSE) >= 0) ||
		!finite(f.MeanError) || !finite(f.RMSE), "fidelity %+v of %d points", f, points)
}

func (m *Model) checkFeatures() error {
	names := make([]string, len(m.Features))
	for i, r := range m.Features {
		names[i] = r.Name
		if !finite(r.Min) || !finite(r.Max) || r.Min > r.Max {
			return fmt.Errorf("feature %s ranges from %v to %v", r.Name, r.Min, r.Max)
		}
	}
	return fault(!slices.Equal(names, FeatureNames[:NumStreamFeatures]), "%w: %d features, %q",
		errFeatures, len(names), names)
}

func (m *Model) checkImplementation(i int) error {
	c, calibrated := &m.Implementations[i], m.Calibration != nil
	if c.Tree == nil {
		return errors.New("it has no tree")
	}
	twice := slices.ContainsFunc(m.Implementations[:i],
		func(other Implementation) bool { return other.Name == c.Name })
	measuredAlone := calibrated && c.Rows == 0 && c.Tree.NumLeaves() == 1
	return cmp.Or(
		fault(twice, "it stands twice"),
		checkTree(c.Tree),
		fault(!(c.Alpha >= 0 && c.Alpha <= MaxLogFactor*MaxLogFactor) ||
			!(c.Shrink >= 0 && c.Shrink <= 1), "pruned at alpha %v and shrunk by %v", c.Alpha, c.Shrink),
		fault(!measuredAlone && c.Rows < c.Tree.NumLeaves() || c.Rows > m.Rows, "%d rows of %d", c.Rows,
			m.Rows),
		c.KFold.check(), c.FamilyOut.check(), c.ClosedForm.check(),
		fault(!(c.Low <= c.High) || math.Abs(c.Low) > MaxLogFactor || math.Abs(c.High) > MaxLogFactor,
			"residual quantiles %v and %v", c.Low, c.High),
		fault(!finite(c.ClosedFormCheck), "closed_form_check %v", c.ClosedFormCheck),
	)
}

// checkTree checks the features and corrections of a tree.
func checkTree(tree *regtree.Tree) error {
	if features := tree.Features(); !slices.Equal(features, FeatureNames[:]) {
		return fmt.Errorf("the tree: %w: %q", errFeatures, features)
	}
	for j := range tree.NumNodes() {
		if l := tree.At(j); math.Abs(l.Min) > MaxLogFactor || math.Abs(l.Max) > MaxLogFactor {
			return fmt.Errorf("node %d corrects by exp(%v) to exp(%v)", j, l.Min, l.Max)
		}
	}
	return nil
}

// check reports what no root mean square, mean and quantile of magnitudes below
// 2·MaxLogFactor can be.
func (s Score) check() error {
	const top = 2 * MaxLogFactor
	return fault(!(s.RMSE >= 0 && s.RMSE <= top && math.Abs(s.Bias) <= top && s.P90 >= 0 &&
		s.P90 <= top), "score %+v", s)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
