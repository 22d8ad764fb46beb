package online

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
)

// TestForecastHoldsTheInterval: the range of a forecast, which is even about the predicted time,
// holds both ends of the interval that Choose states.
func TestForecastHoldsTheInterval(t *testing.T) {
	d, err := device.Builtin("gtx680")
	tunertest.Must(t, err)
	f, err := newForecaster(d, Options{Widen: 1, Cap: math.MaxFloat64})
	tunertest.Must(t, err)
	uneven := 0
	for _, label := range []string{"uniform:n=65536,k=4096,seed=1", "zipf:n=65536,k=256,seed=1"} {
		out := make([]forecast, len(f.arms))
		if err := f.fill(tunertest.Analyze(t, label), out); err != nil {
			t.Fatal(err)
		}
		for i, r := range f.pred {
			if math.IsInf(r.US, 1) {
				continue
			}
			below, above := math.Log(r.US/r.Low), math.Log(r.High/r.US)
			if out[i].half < max(below, above, leastHalf)-1e-9 || out[i].ln != math.Log(r.US) {
				t.Errorf("%s, %s: %+v for %v us, %v to %v", label, f.arms[i], out[i], r.US, r.Low, r.High)
			}
			if math.Abs(below-above) > 2*leastHalf {
				uneven++
			}
		}
	}
	if uneven < 4 {
		t.Errorf("only %d intervals are uneven", uneven)
	}
}
