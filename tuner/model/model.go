package model

import (
	"math"
	"slices"
	"sync"

	"github.com/atomtune/atomtune/internal/strictjson"
)

const (
	modelFormat = "atomtune-model"
	// Version is the version of the form of model files.
	Version = 4
)

// A Model decides for one device. It is not changed once it is made. Equal models encode to equal
// bytes.
type Model struct {
	Format      string `json:"format"`
	Version     int    `json:"version"`
	Device      string `json:"device"`       // name of the profile
	ProfileHash string `json:"profile_hash"` // ProfileHash of the profile
	ClosedForms string `json:"closed_forms"` // ClosedFormsHash at the training
	Sweep       Sweep  `json:"sweep"`        // the simulated streams
	Simulations int    `json:"simulations"`  // implementations simulated, over all streams
	// Features holds the range of each feature over the simulated streams.
	Features   strictjson.List[Range] `json:"features"`
	Tree       *Tree                  `json:"tree"`
	Evaluation Evaluation             `json:"evaluation"`
	// Intervals come from recorded calls; nil where there are none.
	Intervals *Intervals `json:"intervals,omitempty"`

	checked *sync.Once // whether it fits its device's closed forms
	outcome error      // of the check
}

// New returns a model of today's format with the tree that corrects nothing.
func New() *Model {
	return &Model{Format: modelFormat, Version: Version, Evaluation: NoEvaluation(),
		Tree:     &Tree{Features: []int{-1}, Thresholds: []float64{}, Leaves: []Leaf{{Corrections: []int32{}}}},
		Features: Ranges(nil), checked: new(sync.Once)}
}

// With returns the model with other intervals.
func (m *Model) With(i *Intervals) *Model {
	c := *m
	c.Intervals, c.checked, c.outcome = i, new(sync.Once), nil
	return &c
}

// Shared returns the model with corrections of a share of their size.
func (m *Model) Shared(share float64) *Model {
	c := m.With(m.Intervals)
	c.Tree = &Tree{Forms: m.Tree.Forms, Features: m.Tree.Features, Thresholds: m.Tree.Thresholds}
	for _, leaf := range m.Tree.Leaves {
		own := Leaf{Streams: leaf.Streams, Corrections: slices.Clone(leaf.Corrections)}
		for i, v := range own.Corrections {
			own.Corrections[i] = int32(math.Round(share * float64(v)))
		}
		c.Tree.Leaves = append(c.Tree.Leaves, own)
	}
	return c
}

// Range is the span of a feature over the simulated streams.
type Range struct {
	Name string  `json:"name"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

// Ranges returns the span of every feature over vectors; without any, all that a number can be.
func Ranges(vectors [][]float64) []Range {
	list := make([]Range, NumFeatures)
	for f := range list {
		r := Range{Name: FeatureNames[f], Min: math.Inf(1), Max: math.Inf(-1)}
		for _, x := range vectors {
			r.Min, r.Max = min(r.Min, x[f]), max(r.Max, x[f])
		}
		if len(vectors) == 0 {
			r.Min, r.Max = -math.MaxFloat64, math.MaxFloat64
		}
		list[f] = r
	}
	return list
}
