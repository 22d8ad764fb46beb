package tuner

import (
	"math"
	"sync"

	"github.com/atomtune/atomtune/regtree"
	"github.com/atomtune/atomtune/variant"
)

const (
	modelFormat  = "atomtune-model"
	modelVersion = 1
)

// A Model corrects the closed forms of one device. It comes from Fit, Train,
// LoadModel, DecodeModel or EmbeddedModel and is not changed after that. Equal
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
	Features        []Range          `json:"features"`
	Implementations []Implementation `json:"implementations"`
	Evaluation      Evaluation       `json:"evaluation"`

	checked *sync.Once // whether it fits its device's closed forms
	outcome error      // of the check
}

// Range is the span of a feature over the training points.
type Range struct {
	Name string  `json:"name"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

// Implementation is the correction of one implementation's closed form.
type Implementation struct {
	Name variant.Variant `json:"implementation"`
	Rows int             `json:"rows"` // training points that it could run
	// KFold and FamilyOut are the errors of trees that were fitted without
	// the point, and without any point of the point's stream family. ClosedForm
	// is the error without a tree.
	KFold      Score `json:"k_fold"`
	FamilyOut  Score `json:"family_out"`
	ClosedForm Score `json:"closed_form"`
	// Low and High are the 5 % and 95 % quantiles of the family-out residual
	// over its scale: see Interval.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// ClosedFormCheck is the mean of ln(closed_us) over fixed reference
	// streams: it tells a closed form that has changed since the training.
	ClosedFormCheck float64       `json:"closed_form_check"`
	Tree            *regtree.Tree `json:"tree"`
}

// Score is an error in ln(predicted_us / simulated_us).
type Score struct {
	RMSE float64 `json:"rmse"` // root of the mean square
	Bias float64 `json:"bias"` // mean
	P90  float64 `json:"p90"`  // 90 % quantile of the magnitude
}

// scale returns the spread that a residual is measured in,
//
//	s = sqrt(leaf² + rmse²),
//
// with leaf the standard deviation of the training rows of the leaf and rmse
// the cross-validated error of the implementation, family by family.
func scale(leaf, rmse float64) float64 { return math.Hypot(leaf, rmse) }

// Interval returns the factors by which the central 90 % interval lies below
// and above the prediction for a stream that falls into the leaf: exp(Low·s)
// and exp(High·s), s as in scale, on the near side capped at 1 so that the
// interval holds the prediction.
func (m *Implementation) Interval(leaf regtree.Leaf) (low, high float64) {
	s := scale(leaf.StdDev, m.FamilyOut.RMSE)
	return math.Exp(min(0, m.Low*s)), math.Exp(max(0, m.High*s))
}

// find returns the correction of an implementation, nil if there is none.
func (m *Model) find(v variant.Variant) *Implementation {
	if m == nil {
		return nil
	}
	for i := range m.Implementations {
		if m.Implementations[i].Name == v {
			return &m.Implementations[i]
		}
	}
	return nil
}
