// Package model decides for a device by one regression tree.
//
// References:
//
//	[breiman84] L. Breiman, J. Friedman, R. Olshen, C. Stone.
//	          Classification and Regression Trees. Wadsworth, 1984.
//
// The tree compares statistics of stream and call, and no prices. Each of its leaves holds a correction for each
// implementation, an implementation without its parameters. The prediction for an implementation is
//
//	predicted_us = closed_us(statistics) · exp(correction(leaf, implementation))
//
// where closed_us is the closed form of package speedup, which carries the scale and the binding bound. The choice is
// the simplest implementation within TieBand of the least predicted time: see Chosen. Without a model the factor
// is 1.
//
// The tree is that of the launch by rule; for another launch its correction applies as it is. A test bounds the
// error of that by the simulated times of speedup/testdata/launches.csv.
//
// Intervals are the 5 % and 95 % quantiles of measured over predicted times by class, of recorded calls. A tree
// learns from no recorded call, but its corrections count in part where its choices lose too much among these:
// see package calibration.
//
// A Predictor works this out for several implementations at once. A Model is the file that holds tree and intervals;
// those in embedded come with the library. It names its sweep and the hash of the profile it was trained on: if the
// profile, a closed form or the list of features has changed since, choices warn and use the closed forms alone. See
// package training for how trees are grown, and package calibration for intervals.
package model

import (
	"embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/strictjson"
	"github.com/atomtune/atomtune/internal/wholefile"
)

const (
	modelFormat = "atomtune-model"
	// Version is the version of the implementation of model files.
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
	// Intervals come from recorded calls; nil if there are none.
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
	c.Tree = &Tree{Implementations: m.Tree.Implementations, Features: m.Tree.Features, Thresholds: m.Tree.Thresholds}
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

// MostBytes is how large the file of a model may be, packed or not: ten times the embedded ones.
const MostBytes = 4 << 20

// Encode writes the model as one line of JSON, the same bytes each time.
func (m *Model) Encode() ([]byte, error) {
	data, err := json.Marshal(m)
	if err != nil {
		return nil, invalid("%v", err)
	}
	return append(data, '\n'), nil
}

// unread is an error of reading a file, which it names. It is an ErrModel too, without these words.
type unread struct{ error }

func (u unread) Unwrap() []error { return []error{u.error, ErrModel} }

// Load reads the model file at path, compressed or not. Errors wrap ErrModel and name the file.
func Load(path string) (*Model, error) {
	data, err := wholefile.Read(path, MostBytes)
	if err != nil {
		return nil, unread{err}
	}
	return decodeAt(path, data)
}

func decodeAt(path string, data []byte) (*Model, error) {
	m, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Decode reads what Encode or Compress writes, and nothing else: unknown, missing, repeated
// or misspelt keys and data after the end are errors that wrap ErrModel.
func Decode(data []byte) (*Model, error) {
	data, _, err := gzipped.Unpack(data, MostBytes)
	if err != nil {
		return nil, invalid("%w", err)
	}
	m := New()
	if err := strictjson.DecodeFile(data, modelFormat, Version, m); err != nil {
		return nil, invalid("%w", err)
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	want, err := m.Encode()
	if err == nil {
		err = strictjson.Canonical(data, want)
	}
	if err != nil {
		return nil, invalid("%w", err)
	}
	return m, nil
}

// The pattern takes the folder, so that it may hold no model at all.
//
//go:embed embedded
var embedded embed.FS

// decoded caches the embedded models by name, as funcs of type func() (*Model, error).
var decoded sync.Map

// Embedded returns the model that comes with the library for the device of that name. The model is
// shared: callers leave it as it is. Errors wrap ErrNoModel if there is none.
func Embedded(name string) (*Model, error) {
	once, _ := decoded.LoadOrStore(name, sync.OnceValues(func() (*Model, error) {
		path := "embedded/" + name + ".json.gz"
		data, err := embedded.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%w for %q", ErrNoModel, name)
		}
		m, err := decodeAt(path, data)
		if err == nil && m.Device != name {
			return nil, fmt.Errorf("%s: %w: it was trained for %s", path, ErrModel, m.Device)
		}
		return m, err
	}))
	return once.(func() (*Model, error))()
}
