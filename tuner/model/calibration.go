package model

import (
	"math"

	"github.com/atomtune/atomtune/variant"
)

// Calibration says what measured points were worth to a model, by cross-validation over streams.
type Calibration struct {
	Streams int    `json:"streams"`
	Hash    string `json:"hash"` // SHA-256 of the points
	// Leaves is the size of the corrections' tree: 0 for none, 1 for offsets. Apart is set where
	// implementations are corrected apart, and Prior is by how many streams differences shrink.
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

// Fidelity judges choices among the measured implementations of points.
type Fidelity struct {
	Loss Loss `json:"loss"` // measured time of the choice over the best measured one
	// MeanError is exp(mean |ln(measured/predicted)|) - 1 of the choices.
	MeanError float64 `json:"mean_error"`
}

// Offset is the correction of one implementation by measured points: a factor of its time.
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
