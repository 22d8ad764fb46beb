// Package guarantee searches streams on which warp reductions with thresholds do worst
// against plain atomics ([egielski14] section 3.1).
package guarantee

import (
	"fmt"
	"math/rand/v2"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
)

// Guarantee is the worst that an adversary found for `sr` or `vr` against `naive`.
// [egielski14] section 3.1 says of their thresholds that the code then "does not run
// any slower than the naive atomics code"; the vote itself is paid in any case.
// Times are cycles of the simulated update kernel, without launches.
type Guarantee struct {
	Device         string  `json:"device"`
	Implementation string  `json:"implementation"`
	WarpsPerSM     int     `json:"warps_per_sm"` // each has one turn
	Pattern        string  `json:"pattern"`      // of the worst case, as Adversary.String writes it
	Cycles         float64 `json:"cycles"`
	NaiveCycles    float64 `json:"naive_cycles"`
	VoteCycles     float64 `json:"vote_cycles"`        // what the vote costs where nothing collides
	OverNaive      float64 `json:"over_naive"`         // Cycles / NaiveCycles
	OverGuarantee  float64 `json:"over_guarantee"`     // Cycles / (NaiveCycles + VoteCycles)
	WorstOverNaive float64 `json:"worst_over_naive"`   // the largest OverNaive of any stream
	PatternOfWorst string  `json:"pattern_over_naive"` // and its pattern
	Streams        int     `json:"streams"`            // that were tried
}

// GuaranteeOptions say on how full a device an adversary searches, and how long.
type GuaranteeOptions struct {
	Seed       uint64
	WarpsPerSM int // of the stream; 0: as many as an SM holds
	Random     int // patterns drawn at random; 0: 6
	Climb      int // changes tried on the worst pattern; 0: 10
}

// OwnThresholds returns sr and vr with the thresholds of inequalities (1) and (2)
// for the device.
func OwnThresholds(d *device.Profile) []variant.Variant {
	sr, vr := speedup.Thresholds(d)
	return []variant.Variant{{Reduction: variant.SR, Threshold: sr}, {Reduction: variant.VR, Threshold: vr}}
}

// WorstCase searches the stream on which an implementation loses most against
// naive plus its own vote: over patterns made to hurt it (Adversaries), patterns
// drawn at random, and changes of the worst of these one by one. The same options
// give the same answer. Errors wrap ErrValidate.
func WorstCase(d *device.Profile, v variant.Variant, o GuaranteeOptions) (Guarantee, error) {
	a := newArena(d, v, o)
	if err := a.search(o); err != nil {
		return Guarantee{}, fmt.Errorf("%w: %s on %s: %w", validate.ErrValidate, v, d.Name, err)
	}
	return a.best, nil
}

// arena runs one implementation against naive.
type arena struct {
	device  *device.Profile
	variant variant.Variant
	lanes   int
	perSM   int // warps
	seed    uint64
	vote    float64
	worst   Adversary
	best    Guarantee
}

func newArena(d *device.Profile, v variant.Variant, o GuaranteeOptions) *arena {
	a := &arena{device: d, variant: v, lanes: int(d.Core.WarpLanes.Value), perSM: o.WarpsPerSM, seed: o.Seed}
	if a.perSM == 0 {
		a.perSM = int(d.Core.MaxWarps.Value)
	}
	return a
}

// search tries the patterns that are made to hurt, those drawn, and changes.
func (a *arena) search(o GuaranteeOptions) error {
	random, climb := o.Random, o.Climb
	if random == 0 {
		random = 6
	}
	if climb == 0 {
		climb = 10
	}
	if err := a.measureVote(); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(o.Seed, 77))
	patterns := Adversaries(a.lanes, a.variant.T(a.lanes))
	for range random {
		patterns = append(patterns, drawAdversary(rng, a.lanes))
	}
	for _, p := range patterns {
		if err := a.try(p); err != nil {
			return err
		}
	}
	for range climb {
		if err := a.try(a.worst.changed(rng)); err != nil {
			return err
		}
	}
	return nil
}

// warps is the number of warps of a stream.
func (a *arena) warps() int { return a.perSM * int(a.device.Core.SMs.Value) }

// cycles simulates the update kernel on a stream.
func (a *arena) cycles(v variant.Variant, p Adversary) (float64, error) {
	indices, bins := p.stream(a.warps(), a.seed)
	r, err := hwsim.Run(hwsim.Config{Device: a.device, Variant: v, Seed: a.seed}, indices, bins)
	if err != nil {
		return 0, err
	}
	if !r.Correct {
		return 0, fmt.Errorf("%s over %s: wrong final array", v, p)
	}
	return float64(r.Kernels[len(r.Kernels)-1].Cycles), nil
}

// measureVote sets what the vote costs on a stream without any collision.
func (a *arena) measureVote() error {
	free := Adversary{Keys: make([]int, a.lanes)}
	for l := range free.Keys {
		free.Keys[l] = l
	}
	naive, err := a.cycles(variant.Variant{}, free)
	if err != nil {
		return err
	}
	with, err := a.cycles(a.variant, free)
	if err != nil {
		return err
	}
	a.vote = max(0, with-naive)
	return nil
}

// try simulates a pattern and keeps it if it is the worst so far.
func (a *arena) try(p Adversary) error {
	naive, err := a.cycles(variant.Variant{}, p)
	if err != nil {
		return err
	}
	cycles, err := a.cycles(a.variant, p)
	if err != nil {
		return err
	}
	b := &a.best
	b.Streams++
	if over := cycles / naive; over > b.WorstOverNaive {
		b.WorstOverNaive, b.PatternOfWorst = over, p.String()
	}
	over := cycles / (naive + a.vote)
	if over <= b.OverGuarantee {
		return nil
	}
	a.worst = p
	b.Device, b.Implementation, b.WarpsPerSM, b.Pattern = a.device.Name, a.variant.String(), a.perSM, p.String()
	b.Cycles, b.NaiveCycles, b.VoteCycles = cycles, naive, a.vote
	b.OverNaive, b.OverGuarantee = cycles/naive, over
	return nil
}
