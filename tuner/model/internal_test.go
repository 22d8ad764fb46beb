package model

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/gzipped"
)

// TestCheckStats: statistics are refused if there are none, of warps of another size, and where no
// stream has them.
func TestCheckStats(t *testing.T) {
	good := ReferenceStreams()[0]
	good.WarpSize = 32
	wide, above := good, good
	wide.WarpSize, above.WarpLevel = 64, 1.01
	if err := CheckStats(&good, 32); err != nil {
		t.Error(err)
	}
	for _, s := range []*collision.Stats{nil, &wide, &above} {
		if err := CheckStats(s, 32); !errors.Is(err, ErrStats) {
			t.Errorf("%+v: error %v", s, err)
		}
	}
}

func TestLog2(t *testing.T) {
	for e := -40; e <= 60; e++ {
		if got := log2(math.Ldexp(1, e)); got != float64(e) {
			t.Errorf("log2(2^%d) = %v", e, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(1e-18, 1e18).Draw(t, "x")
		y := rapid.Float64Range(x, 1e18).Draw(t, "y")
		if off := log2(x) - math.Log2(x); off > 1e-9 || off < -0.087 {
			t.Errorf("log2(%v) is off by %v", x, off)
		}
		if log2(y) < log2(x) {
			t.Errorf("log2(%v) < log2(%v)", y, x)
		}
		if back := exp2(log2(x)); math.Abs(back-x) > 1e-9*x {
			t.Errorf("exp2(log2(%v)) = %v", x, back)
		}
	})
}

// TestSummarize: the figures of losses, of which logarithms are given, whatever their order.
func TestSummarize(t *testing.T) {
	logs := []float64{math.Log(4), 0, 0, 0, 0, 0, 0, 0, 0, math.Log(2), 0}
	got := Summarize(logs)
	want := Loss{Points: 11, GeometricMean: math.Pow(8, 1.0/11), P90: 2, Max: 4}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	if got.Points != want.Points || !near(got.GeometricMean, want.GeometricMean) ||
		!near(got.P90, want.P90) || !near(got.Max, want.Max) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if none := Summarize(nil); none != (Loss{GeometricMean: 1, P90: 1, Max: 1}) {
		t.Errorf("of nothing: %+v", none)
	}
}

// TestOtherFeatures: an embedded model of other features is left out, and the caveat says why;
// one that is damaged otherwise is an error.
func TestOtherFeatures(t *testing.T) {
	packed, err := embedded.ReadFile("embedded/gtx680.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := gzipped.Unpack(packed, MostBytes)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, from, to string
		damaged        bool
	}{
		{"renamed", "bank_lanes", "bank_crowd", false},
		{"damaged", `"leaves":`, `"leaves":1`, true},
	} {
		decoded.Store(c.name, func() (*Model, error) {
			return Decode(bytes.ReplaceAll(data, []byte(c.from), []byte(c.to)))
		})
		m, caveat, err := For(&device.Profile{Name: c.name}, device.Call{}, nil)
		if m != nil || (err != nil) != c.damaged || (caveat == "") != c.damaged {
			t.Errorf("%s: model %v, caveat %q, error %v", c.name, m != nil, caveat, err)
		}
	}
}
