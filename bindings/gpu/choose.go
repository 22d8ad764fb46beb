package gpu

import (
	"context"
	"fmt"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/bindings/gpu/kernels"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/plan"
)

// request is a call for which an implementation is wanted.
type request struct {
	does  device.Call
	index []uint32
	bins  uint64
	o     Options
}

// key is what plans know the request by.
func (r *request) key(on string) plan.Key {
	return plan.NewKey(on, r.does, device.U32, uint64(len(r.index)), r.bins,
		func(u uint64) uint32 { return r.index[u] })
}

// call is the request in an implementation and a launch.
func (r *request) call(v impl.Spec, fixed device.Launch) *kernels.Call {
	return &kernels.Call{Implementation: v, Does: r.does, Fixed: fixed, Bins: r.bins,
		Updates: uint64(len(r.index))}
}

// choose says what runs: what is named, else what is planned, else what is predicted to take least.
// Without a profile of the GPU that is plain atomics.
func (d *Device) choose(r *request) (*Choice, error) {
	fixed, err := r.o.launch()
	if err != nil {
		return nil, err
	}
	key := r.key(d.Name())
	var c *Choice
	if r.o.Implementation != "" {
		c, err = d.named(r, fixed)
	} else if c, err = d.planned(r, key); c == nil && err == nil {
		c, err = d.predicted(r, fixed)
	}
	if err != nil {
		return nil, err
	}
	if v := c.Implementation; v.Slots > 0 && v.Sample == 0 {
		counts := make([]uint32, r.bins)
		for _, i := range r.index {
			counts[i]++
		}
		c.tags = impl.Tags(counts, v.Slots)
	}
	c.Plan = plan.Plan{Key: key, Implementation: c.Implementation, Launch: c.Launch}
	return c, nil
}

func (d *Device) named(r *request, fixed device.Launch) (*Choice, error) {
	v, err := impl.Parse(r.o.Implementation)
	if err != nil {
		return nil, err
	}
	why, err := d.lacks(r.call(v, fixed))
	if why != "" {
		err = fmt.Errorf("%w: %s on %s: %s", ErrOptions, v, d.Name(), why)
	}
	return &Choice{Implementation: v, Launch: fixed, Why: "named"}, err
}

// planned is what a plan says, nil if there is none that this GPU can run.
func (d *Device) planned(r *request, key plan.Key) (*Choice, error) {
	p, ok := plan.Find([]byte(r.o.Plans), key)
	if !ok {
		return nil, nil
	}
	why, err := d.lacks(r.call(p.Implementation, p.Launch))
	if why != "" || err != nil {
		return nil, err
	}
	return &Choice{Implementation: p.Implementation, Launch: p.Launch, Why: "planned"}, nil
}

// predicted asks the tuner. A launch that it found and for which this GPU has no kernel or no room
// gives way to the rule's; an implementation that this GPU cannot run, to plain atomics.
func (d *Device) predicted(r *request, fixed device.Launch) (*Choice, error) {
	chooser, err := d.chooser(asked{r.o.Profile, r.does, fixed})
	if err != nil {
		return nil, err
	}
	plain := Choice{Launch: fixed, Why: unknown(d.Name())}
	list := []Choice{plain}
	if chooser != nil {
		pick, err := chooser.pick(r.index, r.bins, r.o.Calls)
		if err != nil {
			return nil, err
		}
		found := Choice{Implementation: pick.Implementation, Launch: pick.Launch, PredictedUS: pick.PredictedUS,
			Why: chooser.why}
		single, ruled := found, found
		single.Launch.Unroll, ruled.Launch = fixed.Unroll, fixed
		plain.Why = fmt.Sprintf("%s is predicted to be fastest, but does not fit", pick.Implementation)
		list = []Choice{found, single, ruled, plain}
	}
	var why string
	for _, c := range list {
		if why, err = d.lacks(r.call(c.Implementation, c.Launch)); why == "" || err != nil {
			return &c, err
		}
	}
	return nil, fmt.Errorf("%w: %s on %s: %s", ErrOptions, plain.Implementation, d.Name(), why)
}

// lacks returns why the device cannot perform a call, "" if it can.
func (d *Device) lacks(c *kernels.Call) (why string, err error) {
	if why = d.refuses(c); why != "" {
		return why, nil
	}
	s := driver.NewSession(context.Background(), d.gpu)
	if !c.Fits(s, d.limits) && s.Err() == nil {
		why = "none of its blocks fits on a multiprocessor"
	}
	return why, s.Err()
}

// refuses is what can be said before any kernel is loaded.
func (d *Device) refuses(c *kernels.Call) string {
	if c.Implementation.Scatter {
		return "it needs updates re-laid out by the host"
	}
	return c.Lacks(&d.description)
}
