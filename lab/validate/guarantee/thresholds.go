package guarantee

import (
	"context"
	"fmt"
	"maps"
	"math"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/model"
)

// drawn are so many streams on which thresholds are compared.
type drawn struct {
	seed             uint64
	streams, updates int
}

// compared are the devices on which thresholds are simulated.
var compared = []string{"c2075", "gtx580", "gtx680", "gtx980", "hd5870", "h100", "h200"}

// Thresholds holds the thresholds of inequalities (1) and (2) against those that sr and vr have
// where their names say nothing: simulated on the devices, and in recorded calls another threshold
// of vr, the one that was measured. Errors wrap ErrValidate.
func Thresholds(ctx context.Context, seed uint64) (all []validate.Check, err error) {
	defer validate.Wrap(&err)
	for _, name := range compared {
		checks, err := drawn{seed, 24, 1 << 16}.thresholds(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, checks...)
	}
	for _, a := range recorded.Archives {
		for _, part := range []recordings.Part{recordings.Fit, recordings.HeldOut} {
			questions, err := recorded.OfPart(a, part)
			if err != nil {
				return nil, err
			}
			all = append(all, recordedVotes(a.Name()+", "+string(part)+" part", questions)...)
		}
	}
	return all, nil
}

// asGood is how much longer the mean may take: queues that fill in another order change it by
// less.
const asGood = 1.005

const alone = "the inequalities count what one warp waits for that meets no other; in a kernel " +
	"others run while it waits, and others wait for its targets, so that two lanes on one pay already"

// thresholds simulates sr and vr by the device's own thresholds, and naive in place of sr: by
// inequality (1) with set-up and steps counted in atomics on one address, no warp has lanes enough.
func (s drawn) thresholds(ctx context.Context, name string) (all []validate.Check, err error) {
	d, err := device.Builtin(name)
	if err != nil {
		return nil, err
	}
	own := OwnThresholds(d)
	sr, vr := impl.Spec{Reduction: impl.SR}, impl.Spec{Reduction: impl.VR}
	pairs := [][2]impl.Spec{{own[0], sr}, {own[1], vr}, {{}, sr}}
	ratios := make([][]float64, len(pairs))
	random := synth.NewRand(s.seed)
	for range s.streams {
		spec, err := synth.Sample(random, synth.Ranges{NMin: s.updates, NMax: s.updates, KMax: 1 << 16})
		if err != nil {
			return nil, err
		}
		indices, err := synth.Generate(spec)
		if err != nil {
			return nil, err
		}
		took := map[impl.Spec]float64{}
		for _, v := range []impl.Spec{{}, sr, own[0], vr, own[1]} {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if took[v], err = cycles(d, v, s.seed, indices, uint64(spec.K)); err != nil {
				return nil, err
			}
		}
		for i, p := range pairs {
			ratios[i] = append(ratios[i], took[p[0]]/took[p[1]])
		}
	}
	for i, p := range pairs {
		c := validate.AtMost(fmt.Sprintf("%s over %s, simulated on %s: mean time", p[0], p[1], name),
			model.LossOf(ratios[i]).GeometricMean, asGood, "x", len(ratios[i]))
		if p[1] == sr {
			c = c.Gap(alone)
		}
		all = append(all, c)
	}
	return all, nil
}

// recordedVotes says what vr takes that reduces from 8 lanes on, and what choices could gain by it.
func recordedVotes(where string, questions []recorded.Question) []validate.Check {
	vr := impl.Spec{Reduction: impl.VR}
	lower := impl.Spec{Reduction: impl.VR, Threshold: 8}
	var over, best []float64
	for _, q := range questions {
		if q.US[vr] == 0 || q.US[lower] == 0 {
			continue
		}
		us := maps.Clone(q.US)
		us[vr] = us[lower]
		over = append(over, q.US[lower]/q.US[vr])
		best = append(best, recorded.Best(us)/q.Best())
	}
	return []validate.Check{
		validate.AtMost(fmt.Sprintf("%s over %s, recorded on %s: mean time", lower, vr, where),
			model.LossOf(over).GeometricMean, asGood, "x", len(over)),
		validate.AtMost(fmt.Sprintf("%s for %s, recorded on %s: change of the fastest time", lower, vr, where),
			100*math.Abs(model.LossOf(best).GeometricMean-1), 0.1, validate.UnitPercent, len(best)),
	}
}
