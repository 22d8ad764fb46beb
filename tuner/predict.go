package tuner

import (
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
)

// closedFormFactor is the factor on either side of a closed form's time that
// stands for its 90 % interval where no training has measured its error.
const closedFormFactor = 2

// HostBinding is the binding bound of ss and sr+ss where re-laying the updates
// on the host takes longer than the kernels.
const HostBinding = "relayout"

// predictor makes predictions for one device, call and model.
type predictor struct {
	device *device.Profile
	bare   *device.Profile // device with free re-layout
	opts   Options
	model  *Model            // nil: closed forms alone
	list   []variant.Variant // candidates that the device can run, and naive
	closed *speedup.Bundle   // of the list
	room   roomFor
	// caveat is the warning that a prediction without a model carries.
	caveat string
}

func newPredictor(d *device.Profile, o Options) (*predictor, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if d == nil {
		return nil, fmt.Errorf("no device: %w", ErrOptions)
	}
	m, caveat, err := resolve(d, o.Model)
	if err != nil {
		return nil, err
	}
	if !d.LikeAdd(o.Call) {
		m, caveat = nil, alone+"models are trained on sums, and "+d.Name+" makes "+o.Call.Op.String()+" of "+o.Call.Type.String()+" in another way"
	}
	p := &predictor{device: d, bare: withoutHost(d), opts: o, model: m, caveat: caveat, room: roomFor{d.Limits(), o.Call, o.Relaid}}
	for _, v := range append(slices.Clone(o.candidates()), variant.Variant{}) {
		if p.runs(v) == nil && !slices.Contains(p.list, v) {
			p.list = append(p.list, v)
		}
	}
	if p.closed, err = speedup.CompileAll(p.list, p.bare, o.Call); err != nil {
		return nil, err
	}
	return p, nil
}

// runs returns the reason for which the device cannot run an implementation
// whatever the stream, nil if there is none.
func (p *predictor) runs(v variant.Variant) error { return speedup.Check(v, p.bare, p.opts.Call) }

// lanes returns the device's warp size.
func (p *predictor) lanes() int { return int(p.device.Core.WarpLanes.Value) }

// withoutHost returns the profile with free re-layout, on which trees are
// trained: the host's time is known, and is added to the corrected time of the
// kernels.
func withoutHost(d *device.Profile) *device.Profile {
	bare := *d
	bare.Host.Relayout.Value = 0
	return &bare
}

// hostUS returns the host's time per update, in microseconds.
func (p *predictor) hostUS(v variant.Variant) float64 {
	if !v.Scatter || p.opts.Relaid {
		return 0
	}
	return p.device.Host.Relayout.Value / 1e3
}

// prediction is the time of one implementation with its explanation.
type prediction struct {
	variant   variant.Variant
	us        float64
	closed    float64 // the closed form alone, us
	kernels   float64 // corrected, without the host's time, us
	low, high float64 // us
	binding   string
	trained   bool
	bytes     uint64 // of device memory beside stream and targets
}

// predict is the plain form of Chooser.Pick: each prediction from its parts.
func (p *predictor) predict(v variant.Variant, s *collision.Stats, x *vector) (prediction, error) {
	place := slices.Index(p.list, v)
	if place < 0 {
		return prediction{}, p.runs(v)
	}
	cost, err := p.closed.Explain(s, place)
	if err != nil {
		return prediction{}, err
	}
	fix, host := p.model.find(v), p.hostUS(v)*real(s.Updates)
	r := priced(cost.US, host, fix, x, 1/real(s.Updates))
	r.variant, r.trained, r.binding = v, fix != nil, cost.Binding
	if host > r.kernels {
		r.binding = HostBinding
	}
	if !(r.us > 0) || math.IsInf(r.high, 0) {
		return prediction{}, fmt.Errorf("%s: predicted time %v us: %w", v, r.us, ErrStats)
	}
	return r, nil
}

// priced returns the times of an implementation from its closed form, the host's time
// and the model's correction, nil without one.
func priced(closed, host float64, fix *Implementation, x *vector, perUpdate float64) prediction {
	factor, low, high := 1.0, 1.0/closedFormFactor, float64(closedFormFactor)
	if fix != nil {
		factor, low, high = fix.correct(x, closed, perUpdate)
	}
	kernels := float64(closed * factor)
	return prediction{
		closed: closed, kernels: kernels, us: kernels + host,
		low: total(kernels, low, host), high: total(kernels, high, host),
	}
}

// correct returns the factor for the closed form, which takes so many
// microseconds, and the factors of the 90 % interval around the product.
func (m *Implementation) correct(stream *vector, closedUS, perUpdate float64) (factor, low, high float64) {
	x := *stream
	x.price(closedUS, perUpdate)
	leaf := m.Tree.Leaf(x[:numFeatures])
	low, high = m.Interval(leaf)
	value := leaf.Value
	if m.Measured != nil {
		value += m.Measured.Predict(x[:numFeatures])
	}
	if m.MeasuredLow < m.MeasuredHigh {
		low, high = math.Exp(m.MeasuredLow), math.Exp(m.MeasuredHigh)
	}
	return math.Exp(value), low, high
}

// total keeps the product rounded before the sum, so that every compiler gives
// the same bits.
func total(closed, factor, host float64) float64 { return float64(closed*factor) + host }
