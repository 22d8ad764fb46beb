package model

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/internal/portable"
	"github.com/atomtune/atomtune/internal/quantile"
)

// Evaluation says what choices cost on points that the trees had not seen: the simulated
// time of the choice over the best one of the point. What was screened out takes no part.
type Evaluation struct {
	HeldOut    Loss `json:"held_out"`    // trees fitted without the point's parameter sweep
	FamilyOut  Loss `json:"family_out"`  // without its family, which decided how complex trees are
	ClosedForm Loss `json:"closed_form"` // closed forms alone
	Naive      Loss `json:"naive"`       // always naive, where it can run
	// Complete is FamilyOut where nothing was screened out, and Screening the loss there of the
	// best that screening lets through.
	Complete  Loss         `json:"complete"`
	Screening Loss         `json:"screening"`
	Families  []FamilyLoss `json:"families"` // FamilyOut, family by family
	// Coverage is the share of simulated times that the 90 % intervals hold, of families held
	// out; ChoiceCoverage that of the times of the choices.
	Coverage       float64 `json:"coverage"`
	ChoiceCoverage float64 `json:"choice_coverage"`
}

// Loss sums up the losses of choices.
type Loss struct {
	Points        int     `json:"points"`
	GeometricMean float64 `json:"geometric_mean"`
	P90           float64 `json:"p90"`
	Max           float64 `json:"max"`
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
	for _, l := range append([]FamilyLoss{
		{"held_out", e.HeldOut}, {"family_out", e.FamilyOut}, {"closed_form", e.ClosedForm},
		{"naive", e.Naive}, {"complete", e.Complete}, {"screening", e.Screening},
	}, e.Families...) {
		if l.Family == "" || !l.valid() {
			return fmt.Errorf("evaluation %s: %+v", l.Family, l.Loss)
		}
	}
	return fault(!(min(e.Coverage, e.ChoiceCoverage) >= 0 && max(e.Coverage, e.ChoiceCoverage) <= 1),
		"evaluation: coverage %v and %v", e.Coverage, e.ChoiceCoverage)
}

func (l Loss) valid() bool {
	return l.Points >= 0 && l.GeometricMean >= 1 && l.P90 >= 1 && l.Max >= l.P90 && finite(l.Max)
}

// NoEvaluation is the evaluation of a model to which no simulation belongs.
func NoEvaluation() Evaluation {
	l := Summarize(nil)
	return Evaluation{HeldOut: l, FamilyOut: l, ClosedForm: l, Naive: l, Complete: l, Screening: l,
		Families: []FamilyLoss{}}
}

// LossOf sums up ratios of the chosen implementation's time to the best time.
func LossOf(ratios []float64) Loss {
	logs := make([]float64, len(ratios))
	for i, r := range ratios {
		logs[i] = portable.Log(r)
	}
	return Summarize(logs)
}
