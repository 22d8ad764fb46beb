// Package guarantee searches streams on which warp reductions with thresholds do worst
// against plain atomics ([egielski14] section 3.1).
package guarantee

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/speedup"
)

// Guarantee is the worst that an adversary found for `sr` or `vr` against `naive`.
// [egielski14] section 3.1 says of their thresholds that the code then "does not run
// any slower than the naive atomics code"; the vote itself is paid in any case.
// Times are cycles of the simulated update kernel, without launches.
type Guarantee struct {
	Device         string
	Implementation impl.Spec
	WarpsPerSM     int     // each has one iteration
	Pattern        string  // of the worst case, as Adversary.String writes it
	VoteCycles     float64 // what the vote costs where nothing collides
	OverNaive      float64 // cycles over those of naive
	OverGuarantee  float64 // cycles over those of naive and vote
	Streams        int     // that were tried
}

// Search says on how full a device an adversary searches, and how long.
type Search struct {
	Seed       uint64
	WarpsPerSM int // of the stream; 0: as many as an SM holds
	Random     int // patterns drawn at random
	Climb      int // changes tried on the worst pattern
}

// OwnThresholds returns sr and vr with the thresholds of inequalities (1) and (2)
// for the device.
func OwnThresholds(d *device.Profile) []impl.Spec {
	sr, vr := speedup.Thresholds(d)
	return []impl.Spec{
		{Reduction: impl.SR, Threshold: sr}, {Reduction: impl.VR, Threshold: vr},
	}
}

// WorstCase searches the stream on which an implementation loses most against
// naive plus its own vote: over patterns made to hurt it (Adversaries), patterns
// drawn at random, and changes of the worst of these one by one. The same search
// gives the same answer. Errors wrap ErrValidate.
func WorstCase(d *device.Profile, v impl.Spec, s Search) (g Guarantee, err error) {
	defer validate.Wrap(&err)
	if s.WarpsPerSM == 0 {
		s.WarpsPerSM = int(d.Core.MaxWarps.Value)
	}
	g = Guarantee{Device: d.Name, Implementation: v, WarpsPerSM: s.WarpsPerSM}
	lanes := int(d.Core.WarpLanes.Value)
	free := Adversary{Keys: make([]int, lanes)}
	for l := range free.Keys {
		free.Keys[l] = l
	}
	naive, own, err := s.cycles(d, v, free)
	if err != nil {
		return g, err
	}
	g.VoteCycles = max(0, own-naive)
	var worst Adversary
	try := func(p Adversary) error {
		naive, own, err := s.cycles(d, v, p)
		if err != nil {
			return err
		}
		g.Streams++
		if over := own / (naive + g.VoteCycles); over > g.OverGuarantee {
			worst, g.Pattern, g.OverGuarantee, g.OverNaive = p, p.String(), over, own/naive
		}
		return nil
	}
	rng := rand.New(rand.NewPCG(s.Seed, 77))
	patterns := Adversaries(lanes, v.T(lanes))
	for range s.Random {
		patterns = append(patterns, drawAdversary(rng, lanes))
	}
	for _, p := range patterns {
		if err := try(p); err != nil {
			return g, err
		}
	}
	for range s.Climb {
		if err := try(worst.changed(rng)); err != nil {
			return g, err
		}
	}
	return g, nil
}

// cycles simulates the update kernels of naive and of an implementation on a stream.
func (s Search) cycles(
	d *device.Profile, v impl.Spec, p Adversary,
) (naive, own float64, err error) {
	indices, bins := p.stream(s.WarpsPerSM*int(d.Core.SMs.Value), s.Seed)
	if naive, err = cycles(d, impl.Spec{}, s.Seed, indices, bins); err == nil {
		own, err = cycles(d, v, s.Seed, indices, bins)
	}
	if err != nil {
		err = fmt.Errorf("over %s: %w", p, err)
	}
	return naive, own, err
}

// cycles simulates an update kernel.
func cycles(d *device.Profile, v impl.Spec, seed uint64, indices []uint32, bins uint64) (float64, error) {
	r, err := hwsim.Run(hwsim.Config{Device: d, Implementation: v, Seed: seed}, indices, bins)
	if err == nil && !r.Correct {
		err = errors.New("wrong final array")
	}
	if err != nil {
		return 0, fmt.Errorf("%s on %s: %w", v, d.Name, err)
	}
	return float64(r.Kernels[len(r.Kernels)-1].Cycles), nil
}

// slack is the share by which a worst case may exceed naive and vote: queues that fill in
// another order change a kernel's time by so much. gapBound is what holds where the guarantee
// does not.
const slack, gapBound = 0.05, 1.5

// load is how many warps an SM gets, and why the guarantee does not hold
// there, "" where it does.
type load struct {
	device string
	perSM  int // 0: as many as it holds
	reason string
}

// loads are full devices and emptier ones. The H200 is simulated with few
// warps alone, since a full one takes 270,336 updates a stream.
var loads = []load{
	{"gtx680", 0, ""},
	{"c2075", 0, ""},
	{"gtx680", 16, unhidden},
	{"c2075", 12, ""},
	{"h200", 4, unhidden},
}

const unhidden = "with so few warps the latency of the reduction's steps is not hidden, and " +
	"lanes that add one after the other are done sooner; the inequalities count steps of " +
	"either kind alike"

// Guarantees holds the worst cases of sr and vr, with the thresholds of each device,
// against naive plus what the vote costs where nothing collides. Errors wrap
// ErrValidate.
func Guarantees(ctx context.Context, seed uint64) ([]validate.Check, error) {
	return guarantees(ctx, loads, Search{Seed: seed, Random: 6, Climb: 10})
}

func guarantees(ctx context.Context, loads []load, s Search) (all []validate.Check, err error) {
	defer validate.Wrap(&err)
	for _, l := range loads {
		d, err := device.Builtin(l.device)
		if err != nil {
			return nil, err
		}
		s.WarpsPerSM = l.perSM
		for _, v := range OwnThresholds(d) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			g, err := WorstCase(d, v, s)
			if err != nil {
				return nil, err
			}
			all = append(all, g.checks(l.reason)...)
		}
	}
	return all, nil
}

// checks holds the worst case to the guarantee, or for a reason as a known gap, beside which
// stands what holds instead.
func (g Guarantee) checks(reason string) []validate.Check {
	at := fmt.Sprintf("%s on %s, %d warps per SM", g.Implementation, g.Device, g.WarpsPerSM)
	guaranteed := validate.AtMost("[egielski14] section 3.1, performance guarantee: "+at+
		", worst of the warps "+g.Pattern+": time over naive and vote",
		g.OverGuarantee, 1+slack, "x", g.Streams)
	if reason == "" {
		return []validate.Check{guaranteed}
	}
	return []validate.Check{guaranteed.Gap(reason),
		validate.AtMost("sr and vr with few warps: "+at+": worst time over naive and vote",
			g.OverGuarantee, gapBound, "x", g.Streams)}
}
