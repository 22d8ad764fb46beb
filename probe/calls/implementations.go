package calls

import (
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/gpu/kernels"
	"github.com/atomtune/atomtune/variant"
)

// inLibrary tells whether an implementation is measured by the companion.
func inLibrary(v variant.Variant) bool {
	return v.Base == variant.Sort || v.Base == variant.SegReduce || v.Base == variant.Partition
}

// arrangement is the order in which an implementation performs the updates.
type arrangement int

const (
	asGiven        arrangement = iota
	scattered                  // ss: one update of each target after another
	scatteredWarps             // sr+ss: the same with whole warps
	arrangements
)

func arrangementOf(v variant.Variant) arrangement {
	switch {
	case !v.Scatter:
		return asGiven
	case v.Reduces():
		return scatteredWarps
	}
	return scattered
}

// layouts are measured beside the candidates of a choice: vr from 8 lanes on, the fixed threshold
// of code for differentiable rendering; masks by a hash; and private copies, to see what padding and mapping do.
var layouts = []variant.Variant{
	{Reduction: variant.VR, Threshold: 8},
	{Reduction: variant.Peers, Masks: variant.Hash},
	{Base: variant.Private, Replicas: 4},
	{Base: variant.Private, Replicas: 4, Map: variant.Block},
	{Base: variant.Private, Replicas: 4, Pad: 1, Map: variant.Block},
	{Base: variant.Private, Replicas: 32},
}

// launched are the implementations that the suite measures in other launches too, where none are
// named: a few of each kind.
var launched = []variant.Variant{
	{},
	{Base: variant.Private}, variant.Copies(8, 1, 0), variant.Copies(32, 1, 0),
	{Base: variant.Private, Reduction: variant.SR},
	{Base: variant.Private, Ranges: 2},
	{Base: variant.Hot, Slots: 64, Replicas: 32}, {Base: variant.Hot, Slots: 1024, Replicas: 8},
	{Base: variant.Hot, Slots: 8192, Replicas: 2},
	{Base: variant.Hot, Slots: 4096, Reduction: variant.Match},
}

// implementations lists what is measured of a call: of old values what a choice ranks, else what
// sizes are searched among besides.
func implementations(c device.Call, quick bool) []variant.Variant {
	list := variant.Candidates()
	var more []variant.Variant
	switch {
	case quick:
	case c.Returns:
		more = variant.Sized()
	default:
		more = slices.Concat(variant.Sized(), layouts, variant.Tables(), variant.SampledTables(),
			variant.RangedCopies())
	}
	for _, v := range more {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return slices.DeleteFunc(list, func(v variant.Variant) bool { return unmeasured(v, c) })
}

// unmeasured reports what no kernel does: the companion and its prices clear the targets, and
// fetch_add_vr is compiled with its own threshold alone.
func unmeasured(v variant.Variant, c device.Call) bool {
	return c.Keeps && inLibrary(v) || c.Returns && (v.Threshold != 0 || !v.ReturnsOld())
}

// asked lists what the suite measures of a call: all implementations, or those that were named.
func (c *suite) asked(call device.Call) []variant.Variant {
	list := slices.Clone(c.Implementations)
	if len(list) == 0 {
		list = implementations(call, c.Quick)
	}
	return slices.DeleteFunc(list, func(v variant.Variant) bool {
		return unmeasured(v, call) || c.asGiven && v.Scatter
	})
}

// runs tells whether device, stream and kernels have what the implementation needs.
func (c *suite) runs(v variant.Variant, call device.Call, in *input) bool {
	if len(c.Implementations) == 0 && !v.Worthwhile(in.bins, call.Type.Bytes()) {
		return false
	}
	if v.NeedsGrouped() && !in.stats.Grouped() {
		return false
	}
	l, bytes := &c.limits, call.Type.Bytes()
	switch {
	case v.Base == variant.Partition: // which is not predicted
		return c.companion != nil && v.SharedBytes(in.bins, bytes) <= l.SharedBytes &&
			in.bins <= l.MostParted(v, call.Type)
	case inLibrary(v):
		return true
	}
	asked := kernels.Call{Implementation: v, Does: call, Bins: in.bins}
	return asked.Lacks(&c.device) == ""
}
