package tuner

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/variant"
)

// An outlook is what the model says of one implementation on one stream.
type outlook struct {
	ln   float64 // ln(predicted_us); +Inf where it cannot run, or is left out
	half float64 // half-width of the range of the true time around it, in ln
}

// forecaster makes the forecasts of one device and one set of options without
// allocating. It is not safe for concurrent use.
type forecaster struct {
	p     *predictor
	arms  []variant.Variant // the admitted candidates, in their order
	place []int             // of each in the predictor's list
	fix   []*Implementation // of each; nil: the closed form alone
	widen float64
	cap   float64
	us    []float64    // closed forms, in the order of the predictor's list
	pred  []prediction // of the arms that can run
	armOf []int        // of each prediction
	x     vector
}

func newForecaster(p *predictor, o OnlineOptions) (*forecaster, error) {
	f := &forecaster{p: p, widen: o.Widen, cap: o.Cap, us: make([]float64, len(p.list))}
	for _, v := range o.candidates() {
		place := slices.Index(p.list, v)
		if place < 0 || o.admits(v) != nil {
			continue
		}
		f.arms = append(f.arms, v)
		f.place = append(f.place, place)
		f.fix = append(f.fix, p.model.find(v))
	}
	if len(f.arms) == 0 {
		return nil, fmt.Errorf("%w on %s with these options", ErrNone, p.device.Name)
	}
	f.pred, f.armOf = make([]prediction, 0, len(f.arms)), make([]int, 0, len(f.arms))
	return f, nil
}

// fill writes the forecast of each arm. The predicted times are those of
// Choose. The error wraps ErrStats, or ErrNone where no arm can run.
func (f *forecaster) fill(s *collision.Stats, out []outlook) error {
	if err := checkStats(s, f.p.lanes()); err != nil {
		return err
	}
	f.x.fill(s, f.p.opts.Call)
	f.p.closed.US(s, f.us)
	f.pred, f.armOf = f.pred[:0], f.armOf[:0]
	least := math.Inf(1)
	for i, v := range f.arms {
		out[i] = outlook{ln: math.Inf(1)}
		if !f.fits(v, s) {
			continue
		}
		r := f.predict(i, s)
		if !(r.us > 0) || math.IsInf(r.high, 0) {
			continue
		}
		r.variant = v
		f.pred, f.armOf = append(f.pred, r), append(f.armOf, i)
	}
	notBelowNaive(f.pred)
	for _, r := range f.pred {
		least = min(least, r.us)
	}
	for j, r := range f.pred {
		if r.low > f.cap*least {
			continue
		}
		half := f.widen * math.Log(max(r.high/r.us, r.us/r.low))
		out[f.armOf[j]] = outlook{math.Log(r.us), max(half, narrowest)}
	}
	if len(f.pred) == 0 {
		return fmt.Errorf("%w on this stream of %d targets", ErrNone, s.Bins)
	}
	return nil
}

// narrowest is the least half-width of a range: no model is better than that.
const narrowest = 0.02

// fits reports whether an implementation keeps within the memory that the
// options allow, and is known to be right on the stream.
func (f *forecaster) fits(v variant.Variant, s *collision.Stats) bool {
	most := f.p.opts.MemoryBytes
	return (most == 0 || f.p.room.bytes(v, s.Updates, s.Bins) <= most) && !(v.Base == variant.SegReduce && partly(s))
}

// predict is the prediction of an arm without its explanation.
func (f *forecaster) predict(arm int, s *collision.Stats) prediction {
	return priced(f.us[f.place[arm]], f.p.hostUS(f.arms[arm])*real(s.Updates), f.fix[arm], &f.x, 1/real(s.Updates))
}

// fingerprint is a hash of the arms and of their forecasts for the reference
// streams: readings are relative to these.
func (f *forecaster) fingerprint() (string, error) {
	h := sha256.New()
	out := make([]outlook, len(f.arms))
	for i := range referenceStreams {
		s := referenceStreams[i]
		s.WarpSize = f.p.lanes()
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
