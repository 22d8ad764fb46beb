package model

import (
	"math"
	"testing"
)

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
