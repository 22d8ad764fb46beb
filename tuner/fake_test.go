package tuner_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/variant"
)

// scaled is a simulator whose time is the closed form's times a known factor:
// 3 for implementations with private copies on streams of low warp level, 1/2
// for naive on 8-byte elements, else 1.
type scaled struct{ calls *atomic.Int64 }

func (f scaled) Simulate(v variant.Variant, d *device.Profile, c device.Call, indices []uint32, bins uint64) (float64, error) {
	f.calls.Add(1)
	s, err := collision.Analyze(indices, collision.Options{WarpSize: int(d.Core.WarpLanes.Value), Bins: bins, Workers: 1})
	if err != nil {
		return 0, err
	}
	cost, err := speedup.Predict(v, &s, d, c)
	return cost.US * trueFactor(v, &s, c), err
}

func trueFactor(v variant.Variant, s *collision.Stats, c device.Call) float64 {
	switch {
	case v.Base == variant.Private && s.WarpLevel < 0.3:
		return 3
	case v == variant.Variant{} && c.Type.Bytes() == 8:
		return 0.5
	}
	return 1
}

func fake() scaled { return scaled{new(atomic.Int64)} }

// sweep is small enough for a test: five rounds of all stream families.
func sweep() tuner.Sweep {
	return tuner.Sweep{Points: 5 * len(synth.Families()), Seed: 7, MinUpdates: 256, MaxUpdates: 2048, MaxBins: 4096}
}

func profile(t testing.TB, name string) *device.Profile {
	t.Helper()
	d, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// trained returns the rows and the model of the small sweep on h200, made once.
var trained = sync.OnceValues(func() ([]tuner.Row, *tuner.Model) {
	d, err := device.Builtin("h200")
	if err != nil {
		panic(err)
	}
	rows, err := tuner.Collect(context.Background(), d, sweep(), fake(), tuner.CollectOptions{})
	if err != nil {
		panic(err)
	}
	m, err := tuner.Fit(context.Background(), d, sweep(), rows, tuner.FitOptions{})
	if err != nil {
		panic(err)
	}
	return rows, m
})

func analyze(t testing.TB, spec string) *collision.Stats {
	t.Helper()
	p, err := synth.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	indices, err := synth.Generate(p)
	if err != nil {
		t.Fatal(err)
	}
	s, err := collision.Analyze(indices, collision.Options{Bins: uint64(p.K), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return &s
}

// streams are of many kinds and sizes.
func streams(t testing.TB) []*collision.Stats { return streamsOf(t, 1, 20000) }

func streamsOf(t testing.TB, low, high int) []*collision.Stats {
	t.Helper()
	var list []*collision.Stats
	r := synth.NewRand(11)
	for range 60 {
		spec, err := synth.Sample(r, synth.Ranges{NMin: low, NMax: high, KMax: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, analyze(t, spec.String()))
	}
	return list
}

// calls lists every call without old values.
func calls() []device.Call {
	var list []device.Call
	for _, t := range device.Types() {
		for _, o := range []device.Operand{device.Loaded, device.One} {
			list = append(list, device.Call{Type: t, Operand: o})
		}
	}
	return list
}

func mustEncode(t testing.TB, m *tuner.Model) []byte {
	t.Helper()
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}
