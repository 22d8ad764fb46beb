package tuner

import (
	"cmp"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// CheckKept returns nil if an implementation that was chosen before, in that launch, may serve a
// call on a stream of that size: the device can run both, and the options admit them. It returns
// the reason where it may not. Of the stream no more is known than its size, so that what is right
// on grouped streams alone is refused.
func CheckKept(v variant.Variant, l device.Launch, d *device.Profile, o Options,
	updates, bins uint64) error {
	if err := o.Validate(); err != nil {
		return err
	}
	if err := speedup.Check(v, model.WithoutHost(d), o.Call); err != nil {
		return err
	}
	fixed := device.Launch{Blocks: cmp.Or(o.Launch.Blocks, l.Blocks),
		Threads: cmp.Or(o.Launch.Threads, l.Threads), Unroll: cmp.Or(o.Launch.Unroll, l.Unroll)}
	c := Chooser{device: d, opts: o, limits: d.Limits()}
	switch {
	case v.NeedsGrouped():
		return errUnknownGrouped
	case len(o.Only) > 0 && !slices.Contains(o.Only, v):
		return &refusal{v, "not among those to choose from"}
	case fixed != l:
		return &refusal{v, "launched as " + l.String() + ", not as the options say"}
	}
	return cmp.Or(d.CanLaunch(v, o.Call.Type, bins, l), c.within(v, l, updates, bins),
		o.repeats(v, nil))
}
