package speedup

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/speedup/elteir"
)

// Bundle is several implementations on one device for one kind of call, ready to price streams
// together. It is safe for concurrent use.
type Bundle struct {
	rates
	d          *device.Profile
	c          device.Call
	list       []candidate
	reductions []reduction // of the list, each once

	extreme     bool             // updates are minima or maxima
	coordinator elteir.Pipelined // the times of a coordinator, where it is in the list
	prices      [impl.ReductionCount]prices
	masks       copies // of lanes, which a hash makes in shared memory
	records     prices // of sr on what the warps of a block have left, which are not ones

	lanesPerWarp     uint64
	turnInstructions float64 // of a warp's turn, beside the adds
	bankAtRandom     float64 // adds in the fullest bank of a warp at random
	sharedPerSM      float64
	maxWarps         float64
	limits           device.Limits
	small            blocks  // without copies that leave no room for as many
	wholeSM          float64 // blocks of directThreads that an SM holds

	fixed          device.Launch // see Launched; zero: the rule of device.Limits.Shape
	blocks, unroll float64       // blocks of that, 0 where they are not fixed, and turns at once
}

// blocks are those of a launch.
type blocks struct{ threads, warps, perSM float64 }

// candidate is one implementation of a bundle.
type candidate struct {
	v         impl.Spec
	grouped   bool    // can price grouped streams alone
	reduction int     // place in the bundle's reductions
	bins      uint64  // the most targets for which the device can run it
	perUS     float64 // microseconds per update on the host
	copies    copies
	table     table
	counters  copies // of ranges
	placing   copies // of ranges, where adds return places
	returning copies // as copies, where adds return old values
	rows      device.RowShape
}

// CompileAll prepares the prices of implementations on a device for one kind of call. Errors are
// those of Check.
func CompileAll(list []impl.Spec, d *device.Profile, c device.Call) (*Bundle, error) {
	if err := c.Validate(); err != nil { // of an empty list too
		return nil, err
	}
	for _, v := range list {
		if err := Check(v, d, c); err != nil {
			return nil, err
		}
	}
	b := &Bundle{d: d, c: c, limits: d.Limits()}
	if c.Wide() {
		for _, v := range list {
			shape, _ := b.limits.RowShape(v, c)
			b.list = append(b.list, candidate{v: v, rows: shape})
		}
		return b, nil
	}
	b.rates, b.extreme = ratesOf(d, c), c.Op.Extreme()
	b.lanesPerWarp = uint64(d.Core.WarpLanes.Value)
	for r := range b.prices {
		recipe := recipeOf(impl.Reduction(r), c)
		b.prices[r] = recipe.prices(&b.rates)
	}
	b.masks = b.countersOf(true)
	b.records = recipes[impl.SR].prices(&b.rates)
	b.turnInstructions = loopInstructions + loadInstructions*b.loads
	load := b.lanes / b.banks
	b.bankAtRandom = load + math.Sqrt(2*load*math.Log(b.banks))
	b.maxWarps, b.sharedPerSM = d.Core.MaxWarps.Value, d.Shared.BytesPerSM.Value
	b.unroll = 1
	b.small = b.blocksOf(impl.Spec{}, 0)
	b.wholeSM = b.small.perSM
	for place, v := range list {
		c := candidate{v: v, grouped: v.NeedsGrouped(), reduction: b.reduction(v, place)}
		if v.OnHost() {
			c.perUS = d.Host.Relayout.Value / 1e3
		}
		b.prepare(&c)
		b.list = append(b.list, c)
	}
	return b, nil
}

// blocksOf are the blocks that device.Limits.Shape gives for an implementation and so many targets.
func (b *Bundle) blocksOf(v impl.Spec, bins uint64) blocks {
	s := b.limits.Shape(v, b.c, bins, 0, b.fixed)
	return blocks{float64(s.Threads), float64((s.Threads + b.limits.WarpLanes - 1) / b.limits.WarpLanes),
		float64(s.BlocksPerSM)}
}

// reduction returns the place of an implementation's reduction, which is added if it is new.
func (b *Bundle) reduction(v impl.Spec, place int) int {
	r := parameters{v.Reduction, v.Scatter && !v.Reduces(), float64(v.T(int(b.lanes))), float64(v.M()),
		v.Scope, v.Masks}
	at := slices.IndexFunc(b.reductions, func(other reduction) bool { return other.parameters == r })
	if at < 0 {
		at = len(b.reductions)
		b.reductions = append(b.reductions, reduction{parameters: r})
	}
	b.reductions[at].places = append(b.reductions[at].places, place)
	return at
}

// US writes the predicted time of one call of each implementation in microseconds, in the order of
// CompileAll, without allocation; out must be as long as that list. A time is +Inf where the
// implementation cannot run the stream. Of other statistics that no stream has, Check must be asked
// first.
func (b *Bundle) US(s *collision.Stats, out []float64) {
	for i := range out {
		out[i] = math.Inf(1)
	}
	b.least(s, out, nil, 0)
}

// least lowers times to those in this launch, and sets the launch where it lowers one. Where most is not 0, it
// leaves alone what takes longer and what has no launch that is worth a search.
func (b *Bundle) least(s *collision.Stats, us []float64, best []device.Launch, most float64) {
	if b.c.Wide() { // which has a single launch
		for i := range us {
			if s.Rows != nil {
				t, _ := b.priceRows(&b.list[i], s)
				us[i] = min(us[i], t)
			}
		}
		return
	}
	if s.Updates == 0 || uint64(s.WarpSize) != b.lanesPerWarp {
		return
	}
	var e evaluation
	b.read(s, &e.st)
	b.setGrid(&b.small, &e.st, &e.roomy)
	for i := range b.reductions {
		r, reduced := &b.reductions[i], false
		for _, place := range r.places {
			c := &b.list[place]
			if most != 0 && !(c.v.Launched() && us[place] <= most) {
				continue
			}
			if !reduced {
				b.reduce(r, &e.st, &e.adds)
				reduced = true
			}
			if t := b.price(c, &e); t < us[place] {
				us[place] = t
				if best != nil {
					best[place] = b.fixed
				}
			}
		}
	}
}

// evaluation is one stream on its way through the formulas.
type evaluation struct {
	st    stream
	adds  adds        // of the reduction at hand
	roomy grid        // the launch of private copies that leave room for all blocks
	grid  grid        // of those priced last that do not
	x     phaseBounds // of the implementation priced last
}

// phaseBounds are the bounds of the phases of a call after its clearing.
type phaseBounds [7]bounds
