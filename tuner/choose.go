package tuner

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// Choose ranks the implementations for a stream on a device and explains the
// first. s is not modified and is copied into the Decision.
//
// The error wraps ErrOptions, ErrStats or ErrModel for what was handed in, and
// ErrNone where no implementation is left, with the reason of each.
func Choose(s *collision.Stats, d *device.Profile, o Options) (Decision, error) {
	p, err := newPredictor(d, o)
	if err != nil {
		return Decision{}, fmt.Errorf("choose: %w", err)
	}
	if err := checkStats(s, p.lanes()); err != nil {
		return Decision{}, fmt.Errorf("choose: %w", err)
	}
	var x vector
	x.fill(s, o.Call)
	ranked, err := p.rank(s, &x)
	if err != nil {
		return Decision{}, fmt.Errorf("choose: %w", err)
	}
	naive := p.naive(s, &x, ranked)
	return Decision{
		Device:   d.Name,
		Type:     o.Call.Type,
		Op:       o.Call.Op,
		Stream:   *s,
		Choice:   choice(ranked[0], naive),
		Ranking:  ranking(ranked),
		Reason:   worded(reason(ranked, naive, s, o.Call), o.Call.Op),
		Warnings: p.warnings(s, &x, ranked),
	}, nil
}

// rank predicts every implementation that the options admit and that can run,
// and sorts them by time.
func (p *predictor) rank(s *collision.Stats, x *vector) ([]prediction, error) {
	var ranked []prediction
	var reasons []error
	for _, v := range p.opts.candidates() {
		err := p.opts.admits(v)
		if err == nil {
			var r prediction
			if r, err = p.predict(v, s, x); err == nil {
				ranked = append(ranked, r)
				continue
			}
		}
		reasons = append(reasons, err)
	}
	if len(ranked) == 0 {
		return nil, fmt.Errorf("%w: %w", ErrNone, joined(reasons))
	}
	notBelowNaive(ranked)
	slices.SortStableFunc(ranked, func(a, b prediction) int { return cmp.Compare(a.us, b.us) })
	return ranked, nil
}

// notBelowNaive keeps implementations that add to the same global targets as
// naive, and whose closed form finds nothing that makes them cheaper, from
// being ranked before it: what their trees differ by is then noise, and naive
// is the simpler one.
func notBelowNaive(ranked []prediction) {
	place := slices.IndexFunc(ranked, func(r prediction) bool { return r.variant == variant.Variant{} })
	if place < 0 {
		return
	}
	naive := ranked[place]
	for i := range ranked {
		r := &ranked[i]
		if r.variant.Base == variant.Global && r.closed >= naive.closed && r.us < naive.us {
			r.us, r.high = naive.us, max(r.high, naive.us)
		}
	}
}

// mostReasons is how many reasons one line holds.
const mostReasons = 3

// joined puts several reasons on one line.
func joined(reasons []error) error {
	if len(reasons) == 0 {
		return fmt.Errorf("the list is empty")
	}
	all := reasons[0]
	for _, r := range reasons[1:min(len(reasons), mostReasons)] {
		all = fmt.Errorf("%w; %w", all, r)
	}
	if more := len(reasons) - mostReasons; more > 0 {
		all = fmt.Errorf("%w; and so on for %d more", all, more)
	}
	return all
}

// naive returns the prediction of the plain atomics, whether or not the options
// admit them; nil where they cannot run.
func (p *predictor) naive(s *collision.Stats, x *vector, ranked []prediction) *prediction {
	for i := range ranked {
		if ranked[i].variant == (variant.Variant{}) {
			return &ranked[i]
		}
	}
	r, err := p.predict(variant.Variant{}, s, x)
	if err != nil {
		return nil
	}
	return &r
}

func choice(best prediction, naive *prediction) Choice {
	c := Choice{
		Implementation: best.variant,
		Class:          best.variant.Class().String(),
		PredictedUS:    best.us,
		LowUS:          best.low,
		HighUS:         best.high,
	}
	if naive != nil {
		ratio := naive.us / best.us
		c.SpeedupOverNaive = &ratio
	}
	return c
}

func ranking(ranked []prediction) []Ranked {
	list := make([]Ranked, len(ranked))
	for i, r := range ranked {
		list[i] = Ranked{
			Implementation: r.variant,
			Class:          r.variant.Class().String(),
			PredictedUS:    r.us,
			Binding:        r.binding,
		}
	}
	return list
}
