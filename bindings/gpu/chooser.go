package gpu

import (
	"fmt"
	"strings"

	"github.com/atomtune/atomtune/bindings/gpu/kernels"
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

type asked struct {
	profile string
	does    device.Call
	fixed   device.Launch
}

type chooser struct {
	ruled    *tuner.Chooser // in the launch that is fixed, or in the rule's
	searched *tuner.Chooser // in the launch that takes least; nil where one is fixed
	sampler  *collision.Sampler
	why      string // a choice is taken: predicted
}

// pick chooses for a stream. How much of it is sampled goes by the rule's launches, of which alone
// something is known before any sample.
func (c *chooser) pick(index []uint32, bins uint64, launches int) (tuner.Pick, error) {
	bins = min(bins, 1<<32) // no index reaches further
	pick, sampled, err := c.ruled.PickSampled(index, bins, tuner.SamplingBudget{Calls: launches})
	if err != nil || !sampled.Sampled || c.searched == nil {
		return pick, err
	}
	s, err := c.sampler.Measure(index, bins, max(1, int(sampled.Blocks)))
	if err != nil {
		return tuner.Pick{}, err
	}
	return c.searched.Pick(&s)
}

// chooser returns what chooses for such calls, nil without a profile of the GPU.
func (d *Device) chooser(a asked) (*chooser, error) {
	if c := d.choosers[a]; c != nil {
		return c, nil
	}
	p, err := d.profile(a.profile)
	if err != nil || p == nil {
		return nil, err
	}
	o := tuner.Options{Call: a.does, Launches: []device.Launch{a.fixed}}
	o.Call.Keeps = true // the targets hold what is added to
	o.Only = d.candidates(a.does, o.Candidates(p))
	c := &chooser{why: "predicted"}
	if notes := model.ProfileNotes(p); len(notes) > 0 {
		c.why = "predicted: " + strings.Join(notes, "; ")
	}
	if c.ruled, err = tuner.New(p, o); err != nil {
		return nil, err
	}
	if o.SearchLaunch = true; o.Searches() {
		if c.searched, err = tuner.New(p, o); err != nil {
			return nil, err
		}
	}
	c.sampler, err = collision.NewSampler(collision.Options{BlockSize: 256, WithoutHot: true,
		WarpSize: int(p.Core.WarpLanes.Value)})
	d.choosers[a] = c
	return c, err
}

// candidates lists what is chosen among: what has kernels and can be told from a sample, which says
// nothing of hot targets.
func (d *Device) candidates(does device.Call, all []impl.Spec) (list []impl.Spec) {
	for _, v := range all {
		one := &kernels.Call{Implementation: v, Does: does, Bins: uint64(v.G()), Updates: 1}
		if v.Slots == 0 && d.refuses(one) == "" {
			list = append(list, v)
		}
	}
	return list
}

// profile returns the profile of that name or file, of the GPU for "", nil if there is none.
func (d *Device) profile(name string) (p *device.Profile, err error) {
	if p, there := d.profiles[name]; there {
		return p, nil
	}
	if name != "" {
		p, err = device.Load(name)
	} else {
		p, err = builtin(d.Name())
	}
	if err == nil {
		d.profiles[name] = p
	}
	return p, err
}

// builtin returns the built-in profile of a GPU by the name that its driver gives it, nil where
// there is none or only an estimate, which callers name if they want it.
func builtin(title string) (*device.Profile, error) {
	p, err := device.Titled(title)
	if p != nil && p.Estimate != nil {
		return nil, nil
	}
	return p, err
}

// unknown says why nothing is predicted for a GPU without a profile of its own.
func unknown(title string) string {
	if p, err := device.Titled(title); err == nil && p != nil {
		return fmt.Sprintf("there is only an estimated profile of %s: name it (%s), your own profile, or the "+
			"implementation", title, p.Name)
	}
	return fmt.Sprintf("there is no profile of %s: name one, or the implementation", title)
}
