package guarantee

import (
	"context"
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
)

// guaranteeSlack is the share by which a worst case may exceed naive and vote:
// queues that fill in another order change a kernel's time by so much.
const guaranteeSlack = 0.05

// guaranteeLoad is how many warps an SM gets, and why the guarantee does not hold
// there, "" where it does.
type guaranteeLoad struct {
	device string
	perSM  int // 0: as many as it holds
	reason string
}

// guaranteeLoads are full devices and emptier ones. The H200 is simulated with few
// warps alone, since a full one takes 270,336 updates a stream.
var guaranteeLoads = []guaranteeLoad{
	{"gtx680", 0, ""},
	{"c2075", 0, ""},
	{"gtx680", 16, unhidden},
	{"c2075", 12, unhidden},
	{"h200", 4, unhidden},
}

const unhidden = "with so few warps the latency of the reduction's steps is not hidden, and lanes that add one after " +
	"the other are done sooner; the inequalities count steps of either kind alike"

// Guarantees holds the worst cases of sr and vr, with the thresholds of each device,
// against naive plus what the vote costs where nothing collides. Errors wrap
// ErrValidate.
func Guarantees(ctx context.Context, seed uint64) ([]validate.Check, error) {
	return guarantees(ctx, seed, guaranteeLoads)
}

func guarantees(ctx context.Context, seed uint64, loads []guaranteeLoad) ([]validate.Check, error) {
	var all []validate.Check
	for _, l := range loads {
		d, err := device.Builtin(l.device)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", validate.ErrValidate, err)
		}
		for _, v := range OwnThresholds(d) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			g, err := WorstCase(d, v, GuaranteeOptions{Seed: seed, WarpsPerSM: l.perSM})
			if err != nil {
				return nil, err
			}
			all = append(all, g.check(l.reason))
			if l.reason != "" {
				all = append(all, g.bound())
			}
		}
	}
	return all, nil
}

// gapBound is what holds where the guarantee does not.
const gapBound = 1.5

// bound is what holds where the guarantee does not.
func (g Guarantee) bound() validate.Check {
	return validate.Check{
		Item:  fmt.Sprintf("sr and vr with few warps: %s on %s, %d warps per SM: worst time over naive and vote", g.Implementation, g.Device, g.WarpsPerSM),
		Value: g.OverGuarantee, Limit: gapBound, Unit: "x", Rows: g.Streams, Status: validate.Enforced,
	}
}

// check is the guarantee as a row, of a known gap with its reason.
func (g Guarantee) check(reason string) validate.Check {
	c := validate.Check{
		Item: fmt.Sprintf("[egielski14] section 3.1, performance guarantee: %s on %s, %d warps per SM, worst of the warps %s: time over naive and vote",
			g.Implementation, g.Device, g.WarpsPerSM, g.Pattern),
		Value: g.OverGuarantee, Limit: 1 + guaranteeSlack, Unit: "x", Rows: g.Streams, Status: validate.Enforced,
	}
	if reason != "" {
		c.Status, c.Reason = validate.KnownGap, reason
	}
	return c
}
