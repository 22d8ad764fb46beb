package probe

import (
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// callKinds lists what is done with each stream. Every type adds loaded values,
// with and without the old value of the target returned. The constant 1 is added
// besides, as histograms do: to u32 where no types are named, else to each type.
// Without types, u32, f32 and f64 are measured.
func callKinds(types []device.Type) []device.Call {
	ones := types
	if len(types) == 0 {
		types = []device.Type{device.U32, device.F32, device.F64}
		ones = types[:1]
	}
	var kinds []device.Call
	for _, t := range device.Types() { // in the order of the tables, each once
		if !slices.Contains(types, t) {
			continue
		}
		kinds = append(kinds, device.Call{Type: t, Operand: device.Loaded})
		if slices.Contains(ones, t) {
			kinds = append(kinds, device.Call{Type: t, Operand: device.One})
		}
		kinds = append(kinds, device.Call{Type: t, Operand: device.Loaded, Returns: true})
	}
	return kinds
}

// implementations lists what is measured of a kind of call: the candidates of a
// choice; further layouts of private copies, to see what padding and mapping do;
// and vr from 8 lanes on, the fixed threshold of code for differentiable rendering.
func implementations(c device.Call, quick bool) []variant.Variant {
	list := variant.Candidates()
	if !quick {
		list = append(list,
			variant.Variant{Reduction: variant.VR, Threshold: 8},
			variant.Variant{Base: variant.Private, Replicas: 4},
			variant.Variant{Base: variant.Private, Replicas: 4, Map: variant.Block},
			variant.Variant{Base: variant.Private, Replicas: 4, Pad: 1, Map: variant.Block},
			variant.Variant{Base: variant.Private, Replicas: 32},
		)
	}
	if c.Returns {
		list = slices.DeleteFunc(list, func(v variant.Variant) bool { return !v.ReturnsOld() })
	}
	return list
}

// asked lists what the suite measures of a kind of call: all implementations, or
// those that were named.
func (c *callSuite) asked(kind device.Call) []variant.Variant {
	if len(c.only) == 0 {
		return implementations(kind, c.quick)
	}
	return slices.DeleteFunc(implementations(kind, false), func(v variant.Variant) bool { return !slices.Contains(c.only, v) })
}

// predicts tells whether some implementation may have to be predicted.
func (c *callSuite) predicts() bool {
	return c.companion == nil && slices.ContainsFunc(c.asked(device.Call{}), func(v variant.Variant) bool {
		return v.Base == variant.Sort || v.Base == variant.SegReduce
	})
}

// limitsOf takes the numbers that shape launches from what the driver says.
func limitsOf(d Description) device.Limits {
	number := func(name string) int { return int(d.Attribute(name)) }
	lanes := max(1, number("warp_lanes"))
	return device.Limits{
		SMs: number("sm_count"), WarpLanes: lanes, MaxWarps: number("max_threads_per_sm") / lanes,
		MaxBlocks: number("max_blocks_per_sm"), MaxThreadsPerBlock: number("max_threads_per_block"),
		SharedBytesPerSM: uint64(number("shared_bytes_per_sm")),
		SharedBytes:      uint64(number("shared_bytes_per_block")),
	}
}

// runs tells whether the device has what the implementation needs for so many
// targets: the match instruction (compute capability 7.0) and room for its
// copies in shared memory.
func (c *callSuite) runs(v variant.Variant, t device.Type, bins uint64) bool {
	switch {
	case v.Reduction == variant.Match && c.device.Major < 7:
		return false
	case v.Base == variant.Coordinator: // no kernel is written for it
		return false
	case v.Base == variant.Private:
		return v.SharedBytes(bins, t.Bytes()) <= c.limits.SharedBytes
	case v.Base == variant.ThreadPrivate:
		return variant.ThreadPrivateThreads(bins, t.Bytes(), c.limits.WarpLanes, c.limits.SharedBytes) > 0
	}
	return true
}
