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
	ranked, leftOut, err := p.rank(s, &x)
	if err != nil {
		return Decision{}, fmt.Errorf("choose: %w", err)
	}
	naive := p.naive(s, &x, ranked)
	decision := p.decide(ranked, naive)
	decision.LeftOut = leftOut
	decision.Stream = *s
	decision.Reason = worded(reason(ranked, naive, s, o.Call), o.Call.Op) + p.cautiously(ranked) +
		tied(ranked, decision.Ties) + doubt(ranked, decision.Settle)
	decision.Warnings = p.warnings(s, &x, ranked)
	return decision, nil
}

// decide fills in what a decision says whatever the stream's statistics.
func (p *predictor) decide(ranked []prediction, naive *prediction) Decision {
	d := Decision{
		Device:  p.device.Name,
		Type:    p.opts.Call.Type,
		Op:      p.opts.Call.Op,
		Choice:  choice(ranked[0], naive),
		Ranking: ranking(ranked),
		Ties:    ties(ranked),
		Settle:  settle(ranked),
	}
	d.Choice.LossBound = lossBound(ranked)
	if p.model != nil {
		loss := p.model.Evaluation.FamilyOut
		d.HeldOut = &loss
	}
	return d
}

// rank predicts every implementation that the options admit and that can run,
// and sorts them by time. It returns what the options do not admit besides.
func (p *predictor) rank(s *collision.Stats, x *vector) (ranked []prediction, leftOut []LeftOut, err error) {
	var refused refusals
	for _, v := range p.opts.candidates() {
		err := p.opts.admits(v)
		bytes := p.room.bytes(v, s.Updates, s.Bins)
		if err == nil {
			err = p.opts.within(v, bytes)
		}
		if err == nil {
			err = knownGrouped(v, s)
		}
		if err == nil {
			var r prediction
			if r, err = p.predict(v, s, x); err == nil {
				r.bytes = bytes
				ranked = append(ranked, r)
				continue
			}
		}
		refused.add(v, err)
	}
	if len(ranked) == 0 {
		return nil, nil, &refused
	}
	notBelowNaive(ranked)
	if p.opts.Cautious {
		byCaution(ranked)
	} else {
		order(ranked, func(r *prediction) float64 { return r.us })
	}
	return ranked, p.constrained(&refused, s, x), nil
}

// order sorts predictions by a time. Of equal ones those that notBelowNaive
// keeps behind naive come last, and else the order of the list stays.
func order(ranked []prediction, us func(*prediction) float64) {
	var plain *prediction
	if place := slices.IndexFunc(ranked, func(r prediction) bool { return r.variant == variant.Variant{} }); place >= 0 {
		naive := ranked[place]
		plain = &naive
	}
	behind := func(r *prediction) int {
		if plain != nil && r.variant != plain.variant && behindNaive(r, plain) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(ranked, func(a, b prediction) int {
		return cmp.Or(cmp.Compare(us(&a), us(&b)), cmp.Compare(behind(&a), behind(&b)))
	})
}

// knownGrouped returns an error for an implementation that is right on grouped
// streams alone where a sample cannot tell that the stream is one.
func knownGrouped(v variant.Variant, s *collision.Stats) error {
	if v.Base == variant.SegReduce && partly(s) {
		return errUnknownGrouped
	}
	return nil
}

// partly reports whether the statistics come from a part of the stream.
func partly(s *collision.Stats) bool {
	return s.Sampled != nil && s.Sampled.Blocks < s.Sampled.TotalBlocks
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
		if behindNaive(r, &naive) && r.us < naive.us {
			r.us, r.high = naive.us, max(r.high, naive.us)
		}
	}
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
			LowUS:          r.low,
			HighUS:         r.high,
			Binding:        r.binding,
			MemoryBytes:    r.bytes,
		}
	}
	return list
}
