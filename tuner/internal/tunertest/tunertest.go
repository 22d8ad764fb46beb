// Package tunertest holds what tests of tuner and its rooms share.
package tunertest

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// Scaled is a simulator whose time is the closed form's times a known factor:
// 3 for implementations with private copies on Streams of low warp level, 1/2
// for naive on 8-byte elements, else 1. What Collect adds to it is taken off.
type Scaled struct {
	Calls *atomic.Int64
	stats *sync.Map // of streams by their first index
}

func (f Scaled) Simulate(v impl.Spec, d *device.Profile, c device.Call, indices []uint32,
	bins uint64) (float64, error) {
	f.Calls.Add(1)
	known, ok := f.stats.Load(&indices[0])
	if !ok {
		s, err := collision.Analyze(indices, collision.Options{Bins: bins, Workers: 1,
			WarpSize: int(d.Core.WarpLanes.Value)})
		if err != nil {
			return 0, err
		}
		known, _ = f.stats.LoadOrStore(&indices[0], &s)
	}
	s := known.(*collision.Stats)
	cost, err := speedup.Predict(v, s, d, c)
	return cost.US*TrueFactor(v, s, c) - d.Launch.LaterStart.Value, err
}

func TrueFactor(v impl.Spec, s *collision.Stats, c device.Call) float64 {
	switch {
	case v.Site() == impl.PerBlock && s.WarpLevel < 0.3:
		return 3
	case v == impl.Spec{} && c.Type.Bytes() == 8:
		return 0.5
	}
	return 1
}

// Fake returns a simulator for one device.
func Fake() Scaled { return Scaled{new(atomic.Int64), new(sync.Map)} }

// Sweep is small enough for a test: five rounds of all stream families.
func Sweep() model.Sweep {
	return model.Sweep{Points: 5 * len(synth.Families()), Seed: 7, MinUpdates: 256,
		MaxUpdates: 2048, MaxBins: 4096}
}

func Profile(t testing.TB, name string) *device.Profile {
	t.Helper()
	d, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Trained returns the rows and the model of the small Sweep on h200, made once.
var Trained = sync.OnceValues(func() ([]training.Row, *model.Model) {
	d, err := device.Builtin("h200")
	if err != nil {
		panic(err)
	}
	rows, err := training.Collect(context.Background(), d, Sweep(), Fake(), training.CollectOptions{})
	if err != nil {
		panic(err)
	}
	m, err := training.Fit(context.Background(), d, Sweep(), rows)
	if err != nil {
		panic(err)
	}
	return rows, m
})

// Generate returns the updates of a specification and the number of its targets.
func Generate(t testing.TB, spec string) ([]uint32, uint64) {
	t.Helper()
	p, err := synth.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	indices, err := synth.Generate(p)
	if err != nil {
		t.Fatal(err)
	}
	return indices, uint64(p.K)
}

// Must ends a test at an error.
func Must(t interface {
	Helper()
	Fatal(...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Refused passes over what an error says: goldens hold which input is refused, and not the words.
func Refused(err error) error {
	if err != nil {
		return errors.New("refused")
	}
	return nil
}

// analyzed holds the statistics of specifications.
var analyzed sync.Map

// Analyze returns the statistics of a specification, which are the caller's.
func Analyze(t testing.TB, spec string) *collision.Stats {
	t.Helper()
	if known, ok := analyzed.Load(spec); ok {
		s := known.(collision.Stats)
		return &s
	}
	indices, bins := Generate(t, spec)
	s, err := collision.Analyze(indices, collision.Options{Bins: bins, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	analyzed.Store(spec, s)
	return &s
}

// Streams are of many kinds and sizes.
func Streams(t testing.TB) []*collision.Stats { return StreamsOf(t, 1, 20000) }

func StreamsOf(t testing.TB, low, high int) []*collision.Stats {
	t.Helper()
	return Drawn(t, 11, 60, synth.Ranges{NMin: low, NMax: high, KMax: 1 << 20})
}

// Drawn returns the statistics of n streams of random specifications.
func Drawn(t testing.TB, seed uint64, n int, of synth.Ranges) (list []*collision.Stats) {
	t.Helper()
	for r := synth.NewRand(seed); len(list) < n; {
		spec, err := synth.Sample(r, of)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, Analyze(t, spec.String()))
	}
	return list
}

// Calls lists every call without old values.
func Calls() []device.Call {
	var list []device.Call
	for _, t := range device.Types() {
		for _, o := range []device.Operand{device.Loaded, device.One} {
			list = append(list, device.Call{Type: t, Operand: o})
		}
	}
	return list
}

func MustEncode(t testing.TB, m *model.Model) []byte {
	t.Helper()
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// MustJSON encodes a value.
func MustJSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Train simulates a sweep and fits a model to it.
func Train(d *device.Profile, s model.Sweep, sim training.Simulator) (*model.Model, error) {
	rows, err := training.Collect(context.Background(), d, s, sim, training.CollectOptions{})
	if err != nil {
		return nil, err
	}
	return training.Fit(context.Background(), d, s, rows)
}
