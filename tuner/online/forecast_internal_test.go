package online

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
)

// TestForecastHoldsTheInterval: the range of a forecast, which is even about the predicted time,
// holds both ends of the interval that Choose states, and is Unmeasured where it states none.
func TestForecastHoldsTheInterval(t *testing.T) {
	for _, name := range []string{"h200", "gtx680"} {
		d, err := device.Builtin(name)
		tunertest.Must(t, err)
		f, err := newForecaster(d, Options{Widen: 1, Cap: math.MaxFloat64})
		tunertest.Must(t, err)
		out := make([]forecast, len(f.arms))
		tunertest.Must(t, f.fill(tunertest.Analyze(t, "zipf:n=65536,k=256,seed=1"), out))
		checked := 0
		for i, r := range f.pred {
			if math.IsInf(r.US, 1) || f.chooser.Told(f.arms[i]) {
				if !math.IsInf(out[i].ln, 1) {
					t.Errorf("%s, %s: %+v", name, f.arms[i], out[i])
				}
				continue
			}
			checked++
			want := math.Log(Unmeasured)
			if name == "h200" {
				want = max(math.Log(r.US/r.Low), math.Log(r.High/r.US))
			}
			if math.Abs(out[i].half-max(want, leastHalf)) > 1e-9 || out[i].ln != math.Log(r.US) {
				t.Errorf("%s, %s: %+v for %v us, %v to %v", name, f.arms[i], out[i], r.US, r.Low, r.High)
			}
		}
		if checked < 4 {
			t.Errorf("%s: %d forecasts", name, checked)
		}
	}
}
