package tuner

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
)

// measuredAlone reports whether no simulated point belongs to the model.
func (m *Model) measuredAlone() bool {
	return m.MeasuredPoints > 0 && m.Rows == 0 && m.Simulations == 0 && m.Sweep == (Sweep{}) && m.Fit == (FitOptions{})
}

// untrained reports whether no simulated point belongs to an implementation of a
// calibrated model.
func (m *Model) untrained(c *Implementation) bool {
	return m.MeasuredPoints > 0 && c.Rows == 0 && c.Tree.NumLeaves() == 1
}

// checkMeasured reports what no calibration gives.
func (m *Model) checkMeasured() error {
	c := m.Calibration
	if m.MeasuredPoints < 0 || (m.MeasuredPoints > 0) != (c != nil) {
		return fmt.Errorf("%w: %d measured points, and a calibration: %t", ErrModel, m.MeasuredPoints, c != nil)
	}
	if c != nil {
		if err := c.check(m.MeasuredPoints); err != nil {
			return fmt.Errorf("%w: calibration: %w", ErrModel, err)
		}
	}
	for i := range m.Implementations {
		p := &m.Implementations[i]
		if (p.Measured != nil) != (c != nil) {
			return fmt.Errorf("%w: implementation %s: measured: %t, calibration: %t", ErrModel, p.Name, p.Measured != nil, c != nil)
		}
		if err := p.checkMeasured(c); err != nil {
			return fmt.Errorf("%w: implementation %s: %w", ErrModel, p.Name, err)
		}
	}
	return nil
}

func (c *Calibration) check(points int) error {
	if sum, err := hex.DecodeString(c.Hash); err != nil || len(sum) != 32 {
		return fmt.Errorf("hash %q is no SHA-256", c.Hash)
	}
	if c.Streams < 1 || c.Streams > points || c.Leaves < 0 || !(c.Prior >= 0) || !finite(c.Prior) {
		return fmt.Errorf("%d streams of %d points, %d leaves, prior %v", c.Streams, points, c.Leaves, c.Prior)
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

func (m *Implementation) checkMeasured(c *Calibration) error {
	low, high := m.MeasuredLow, m.MeasuredHigh
	if !(low <= 0 && high >= 0) || low < -maxLogFactor || high > maxLogFactor || (low < high) != (c != nil && c.Renewed) {
		return fmt.Errorf("measured interval exp(%v) to exp(%v)", low, high)
	}
	if m.Measured == nil {
		return nil
	}
	if names := m.Measured.Features(); !slices.Equal(names, FeatureNames[:]) {
		return fmt.Errorf("the measured tree's features are %q", names)
	}
	for j, n := range m.Measured.Nodes() {
		if math.Abs(n.Leaf.Min) > maxLogFactor || math.Abs(n.Leaf.Max) > maxLogFactor {
			return fmt.Errorf("measured node %d corrects by exp(%v) to exp(%v)", j, n.Leaf.Min, n.Leaf.Max)
		}
	}
	return nil
}
