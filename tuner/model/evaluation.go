package model

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/internal/portable"
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
	return portable.Log(l.GeometricMean/closed.GeometricMean) <= 0.002 && l.P90 <= closed.P90+0.005
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
	return Loss{Points: len(sorted), GeometricMean: portable.Exp(sum / float64(len(sorted))),
		P90: portable.Exp(quantile.Sorted(sorted, 0.9)), Max: portable.Exp(sorted[len(sorted)-1])}
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
		logs[i] = portable.Log(r)
	}
	return Summarize(logs)
}
