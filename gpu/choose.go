package gpu

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/gpu/kernels"
	"github.com/atomtune/atomtune/tuner/plan"
	"github.com/atomtune/atomtune/variant"
)

// choose says how a call on these indices runs.
func (d *Device) choose(does device.Call, index []uint32, bins uint64, o Options) (*Choice, error) {
	c := &Choice{Plan: plan.Plan{Key: plan.Key{
		Device: plan.Name(d.Name()), Version: plan.Version, Type: does.Type, Operand: does.Operand,
		Returns: does.Returns, Updates: uint64(len(index)), Bins: bins,
		Sample: plan.Sample(uint64(len(index)), func(u uint64) uint32 { return index[u] }),
	}}}
	if err := d.decide(c, does, index, bins, o); err != nil {
		return nil, err
	}
	if v := c.Implementation; v.Slots > 0 && v.Sample == 0 {
		counts := make([]uint32, bins)
		for _, i := range index {
			counts[i]++
		}
		c.tags = variant.Tags(counts, v.Slots)
	}
	c.Plan.Implementation, c.Plan.Launch = c.Implementation, c.Launch
	return c, nil
}

// decide fills in what runs: what is named, else what is planned, else what is predicted to take
// least. Without a profile of the GPU that is plain atomics.
func (d *Device) decide(c *Choice, does device.Call, index []uint32, bins uint64, o Options) error {
	fixed, err := o.launch()
	if err != nil {
		return err
	}
	if o.Implementation != "" {
		v, err := variant.Parse(o.Implementation)
		if why := d.lacks(v, does, bins, fixed); err == nil && why != "" {
			err = fmt.Errorf("%w: %s on %s: %s", ErrOptions, v, d.Name(), why)
		}
		c.Implementation, c.Launch, c.Why = v, fixed, "named"
		return err
	}
	if p, ok := plan.Find([]byte(o.Plans), c.Plan.Key); ok &&
		d.lacks(p.Implementation, does, bins, p.Launch) == "" {
		c.Implementation, c.Launch, c.Why = p.Implementation, p.Launch, "planned"
		return nil
	}
	return d.predict(c, does, fixed, index, bins, o)
}

// predict asks the tuner. What it names for a device that is not quite this one falls back to
// plain atomics.
func (d *Device) predict(c *Choice, does device.Call, fixed device.Launch, index []uint32,
	bins uint64, o Options) error {
	c.Launch = fixed
	chooser, err := d.chooser(asked{o.Profile, does, fixed})
	if err != nil {
		return err
	}
	if chooser == nil {
		c.Why = fmt.Sprintf("there is no profile of %s: name one, or the implementation", d.Name())
	} else {
		pick, err := chooser.pick(index, bins, o.Launches)
		if err != nil {
			return err
		}
		if _, there := kernels.Update(pick.Variant, does, pick.Launch.Unroll); !there {
			pick.Launch.Unroll = fixed.Unroll
		}
		if why := d.lacks(pick.Variant, does, bins, pick.Launch); why == "" {
			c.Implementation, c.Launch = pick.Variant, pick.Launch
			c.PredictedUS, c.Why = pick.US, "predicted"
			return nil
		} else {
			c.Why = fmt.Sprintf("%s was predicted to take least, but %s", pick.Variant, why)
		}
	}
	if why := d.lacks(c.Implementation, does, bins, fixed); why != "" {
		return fmt.Errorf("%w: %s on %s: %s", ErrOptions, c.Implementation, d.Name(), why)
	}
	return nil
}

// lacks returns why the device cannot perform the call, "" if it can.
func (d *Device) lacks(v variant.Variant, does device.Call, bins uint64,
	fixed device.Launch) string {
	if v.Scatter {
		return "it takes updates that the host has re-laid"
	}
	c := kernels.Call{Implementation: v, Does: does, Bins: bins, Fixed: fixed}
	return c.Lacks(&d.description)
}
