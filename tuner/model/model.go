package model

import (
	"math"
	"slices"
	"sync"

	"github.com/atomtune/atomtune/internal/portable"
	"github.com/atomtune/atomtune/internal/strictjson"
	"github.com/atomtune/atomtune/regtree"
	"github.com/atomtune/atomtune/variant"
)

const (
	modelFormat = "atomtune-model"
	// Version is the version of the form of model files.
	Version = 3
)

// A Model corrects the closed forms of one device. It is not changed once it is made. Equal
// models encode to equal bytes.
type Model struct {
	Format      string     `json:"format"`
	Version     int        `json:"version"`
	Device      string     `json:"device"`       // name of the profile
	ProfileHash string     `json:"profile_hash"` // ProfileHash of the profile
	Sweep       Sweep      `json:"sweep"`        // the training points
	Fit         FitOptions `json:"fit"`          // how the trees were grown
	Rows        int        `json:"rows"`         // points that were simulated
	Simulations int        `json:"simulations"`  // implementations simulated, over all points
	// Features holds the range of each feature over the training points.
	Features        strictjson.List[Range]          `json:"features"`
	Implementations strictjson.List[Implementation] `json:"implementations"`
	Evaluation      Evaluation                      `json:"evaluation"`
	// MeasuredPoints is the number of points that corrected the model, Calibration their worth, and
	// Forest the correction, nil for none.
	MeasuredPoints int          `json:"measured_points,omitempty"`
	Calibration    *Calibration `json:"calibration,omitempty"`
	Forest         *Forest      `json:"forest,omitempty"`

	checked *sync.Once // whether it fits its device's closed forms
	outcome error      // of the check
}

// New returns a model of today's format without a tree.
func New() *Model {
	return &Model{Format: modelFormat, Version: Version, checked: new(sync.Once)}
}

// Range is the span of a feature over the training points.
type Range struct {
	Name string  `json:"name"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

// Ranges returns the span of every feature of streams over vectors.
func Ranges(vectors [][]float64) []Range {
	list := make([]Range, NumStreamFeatures)
	for f := range list {
		r := Range{Name: FeatureNames[f], Min: math.Inf(1), Max: math.Inf(-1)}
		for _, x := range vectors {
			r.Min, r.Max = min(r.Min, x[f]), max(r.Max, x[f])
		}
		list[f] = r
	}
	return list
}

// Implementation is the correction of one implementation's closed form.
type Implementation struct {
	Name variant.Variant `json:"implementation"`
	Rows int             `json:"rows"` // training points that it could run
	// Alpha is the cost per leaf, in squared ln units, at which the tree was pruned, and Shrink the
	// factor of its values: those of least regret on families held out.
	Alpha  float64 `json:"alpha"`
	Shrink float64 `json:"shrink"`
	// KFold and FamilyOut are the errors of trees fitted without the point's parameter
	// sweep, and without its stream family. ClosedForm is the error without a tree.
	KFold      Score `json:"k_fold"`
	FamilyOut  Score `json:"family_out"`
	ClosedForm Score `json:"closed_form"`
	// Low and High hold 90 % of the residuals of families held out, over their Scale.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// ClosedFormCheck tells a closed form that has changed since the training.
	ClosedFormCheck float64       `json:"closed_form_check"`
	Tree            *regtree.Tree `json:"tree"`
}

// Score is an error in ln(predicted_us / simulated_us).
type Score struct {
	RMSE float64 `json:"rmse"` // root of the mean square
	Bias float64 `json:"bias"` // mean
	P90  float64 `json:"p90"`  // 90 % quantile of the magnitude
}

// Scale returns the spread that a residual is measured in, sqrt(leaf² + rmse²), of the training
// rows of the leaf and of the implementation's error family by family.
func Scale(leaf, rmse float64) float64 { return portable.Hypot(leaf, rmse) }

// SimulationError widens intervals, in ln of the time, for the distance of a device's time from the
// simulated one: the least multiple of 0.05 at which those of the H200's embedded model hold nine
// of ten recorded calls. Choices do not depend on it.
const SimulationError = 0.1

// Find returns the correction of an implementation, nil if there is none.
func (m *Model) Find(v variant.Variant) *Implementation {
	if m == nil {
		return nil
	}
	i := slices.IndexFunc(m.Implementations, func(c Implementation) bool { return c.Name == v })
	if i < 0 {
		return nil
	}
	return &m.Implementations[i]
}

// Uncalibrated returns the model as simulation alone made it; nil of nil, and of
// a model to which no simulation belongs.
func (m *Model) Uncalibrated() *Model {
	if m == nil || m.Simulations == 0 {
		return nil
	}
	c := *m
	c.MeasuredPoints, c.Calibration, c.Forest = 0, nil, nil
	c.checked, c.outcome = new(sync.Once), nil
	c.Features = slices.Clone(m.Features)
	c.Implementations = slices.Clone(m.Implementations)
	return &c
}
