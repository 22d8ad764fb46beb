package online

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

// An forecast is what the model says of one implementation on one stream.
type forecast struct {
	ln   float64 // ln(predicted_us); +Inf where it cannot run, or is left out
	half float64 // half-width of the range of the true time around it, in ln
}

// forecaster makes the forecasts of one device and one set of options without
// allocating. It is not safe for concurrent use.
type forecaster struct {
	chooser *tuner.Chooser
	arms    []impl.Spec // the admitted candidates, in their order
	lanes   int
	widen   float64
	cap     float64
	pred    []model.Prediction // of the arms
}

func newForecaster(d *device.Profile, o Options) (*forecaster, error) {
	c, err := tuner.New(d, o.Options)
	if err != nil {
		return nil, err
	}
	f := &forecaster{chooser: c, arms: c.Candidates(), lanes: int(d.Core.WarpLanes.Value),
		widen: o.Widen, cap: o.Cap}
	f.pred = make([]model.Prediction, len(f.arms))
	return f, nil
}

// fill writes the forecast of each arm. The predicted times are those of
// Choose. The error wraps ErrStats, or ErrNone where no arm can run.
func (f *forecaster) fill(s *collision.Stats, out []forecast) error {
	if err := f.chooser.Forecast(s, f.pred); err != nil {
		return err
	}
	least, untold := math.Inf(1), math.Inf(1)
	for i, r := range f.pred {
		least = min(least, r.US)
		if !f.chooser.Told(f.arms[i]) {
			untold = min(untold, r.US)
		}
	}
	others := !math.IsInf(untold, 1)
	if others {
		least = untold
	}
	for i, r := range f.pred {
		out[i] = forecast{ln: math.Inf(1)}
		if others && f.chooser.Told(f.arms[i]) {
			continue
		}
		low, high := r.Low, r.High
		if math.IsNaN(low) {
			low, high = r.US/Unmeasured, r.US*Unmeasured
		}
		if math.IsInf(r.US, 1) || low > f.cap*least {
			continue
		}
		half := f.widen * math.Log(max(high/r.US, r.US/low))
		out[i] = forecast{math.Log(r.US), max(half, leastHalf)}
	}
	if math.IsInf(least, 1) {
		return fmt.Errorf("%w on this stream of %d targets", model.ErrNone, s.Bins)
	}
	return nil
}

// Unmeasured stands for the 90 % interval where no call of the device was recorded: the factor on either
// side of a predicted time. Profiles of the H200 and the H100 that were made as estimates are, without
// their readings, left nine of ten recorded times within it: doc/results/ESTIMATES.md. For another
// architecture it is a guess, but one that costs only trials: where a time is further off, Bound does not
// hold, and launches still go by measured times.
const Unmeasured = 3

// leastHalf is the least half-width of a range: no model is better than that.
const leastHalf = 0.02

// fingerprint is a hash of the arms and of their forecasts for the reference
// streams: readings are relative to these.
func (f *forecaster) fingerprint() (string, error) {
	h := sha256.New()
	out := make([]forecast, len(f.arms))
	for _, s := range model.ReferenceStreams() {
		s.WarpSize = f.lanes
		if err := f.fill(&s, out); err != nil {
			fmt.Fprintln(h, "none")
			continue
		}
		for a, c := range out {
			fmt.Fprintf(h, "%s %.9g\n", f.arms[a], c.ln)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
