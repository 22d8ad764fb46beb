package model

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/variant"
)

// Calibration says what measured points were worth to a model, by
// cross-validation over whole streams: each point is judged by corrections that
// no point of its stream took part in.
type Calibration struct {
	Streams int    `json:"streams"`
	Hash    string `json:"hash"` // SHA-256 of the points
	// Leaves is the size of the corrections' tree that was chosen: 0 for no
	// correction, 1 for offsets. Apart is set where implementations are corrected
	// apart, and Prior is the number of streams by which differences are shrunk.
	Leaves int     `json:"leaves"`
	Apart  bool    `json:"apart"`
	Prior  float64 `json:"prior_streams"`
	// Before and After judge the choices by the base and by the corrected model.
	Before Fidelity `json:"before"`
	After  Fidelity `json:"after"`
	// Renewed is set where the 90 % intervals are those of measured points; Coverage
	// is the share of all measured times that they hold.
	Renewed  bool    `json:"renewed"`
	Coverage float64 `json:"coverage"`
}

// Fidelity says how choices among the measured implementations of points came
// out.
type Fidelity struct {
	Loss Loss `json:"loss"` // measured time of the choice over the best measured one
	// MeanError is the geometric mean of the factors by which the predicted times of
	// the choices are off either way, less 1: exp(mean |ln(measured/predicted)|) - 1.
	// Calibrate minimises the product of 1 + MeanError and the loss's geometric mean.
	MeanError float64 `json:"mean_error"`
}

// Offset is the correction of one implementation by measured points: a factor
// of its time.
type Offset struct {
	Implementation variant.Variant `json:"implementation"`
	Factor         float64         `json:"factor"`  // geometric mean over the points
	Lowest         float64         `json:"lowest"`  // of the leaves
	Highest        float64         `json:"highest"` // of the leaves
}

// Offsets lists the corrections by measured points, none without a calibration.
func (m *Model) Offsets() []Offset {
	list := []Offset{}
	for i := range m.Implementations {
		if c := &m.Implementations[i]; c.Measured != nil {
			all := c.Measured.Nodes()[0].Leaf
			list = append(list, Offset{c.Name, math.Exp(all.Value), math.Exp(all.Min), math.Exp(all.Max)})
		}
	}
	return list
}

// measuredAlone reports whether no simulated point belongs to the model.
func (m *Model) measuredAlone() bool {
	return m.MeasuredPoints > 0 && m.Rows == 0 && m.Simulations == 0 && m.Sweep == (Sweep{}) &&
		m.Fit == (FitOptions{})
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
		return fmt.Errorf("%w: %d measured points, and a calibration: %t", ErrModel, m.MeasuredPoints,
			c != nil)
	}
	if c != nil {
		if err := c.check(m.MeasuredPoints); err != nil {
			return fmt.Errorf("%w: calibration: %w", ErrModel, err)
		}
	}
	for i := range m.Implementations {
		p := &m.Implementations[i]
		if (p.Measured != nil) != (c != nil) {
			return fmt.Errorf("%w: implementation %s: measured: %t, calibration: %t", ErrModel, p.Name,
				p.Measured != nil, c != nil)
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

func (m *Implementation) checkMeasured(c *Calibration) error {
	low, high := m.MeasuredLow, m.MeasuredHigh
	if !(low <= 0 && high >= 0) || low < -MaxLogFactor || high > MaxLogFactor ||
		(low < high) != (c != nil && c.Renewed) {
		return fmt.Errorf("measured interval exp(%v) to exp(%v)", low, high)
	}
	if m.Measured == nil {
		return nil
	}
	if names := m.Measured.Features(); !slices.Equal(names, FeatureNames[:]) {
		return fmt.Errorf("the measured tree's features are %q", names)
	}
	for j, n := range m.Measured.Nodes() {
		if math.Abs(n.Leaf.Min) > MaxLogFactor || math.Abs(n.Leaf.Max) > MaxLogFactor {
			return fmt.Errorf("measured node %d corrects by exp(%v) to exp(%v)", j, n.Leaf.Min, n.Leaf.Max)
		}
	}
	return nil
}
