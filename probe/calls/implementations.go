package calls

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/atomtune/atomtune/cuda/ptx"
	"github.com/atomtune/atomtune/device"
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
// of code for differentiable rendering; and private copies, to see what padding and mapping do.
var layouts = []variant.Variant{
	{Reduction: variant.VR, Threshold: 8},
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
	if len(c.Implementations) == 0 {
		return implementations(call, c.Quick)
	}
	return slices.DeleteFunc(slices.Clone(c.Implementations),
		func(v variant.Variant) bool { return unmeasured(v, call) })
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
	kernel, there := c.kernels[updateKernel(v, call, 1)]
	if v.Sample > 0 {
		_, sampled := c.kernels[sampleKernel]
		there = there && sampled
	}
	return there && 10*c.device.Major+c.device.Minor >= kernel.target &&
		v.SharedBytes(in.bins, bytes) <= l.SharedBytes && (v.Site() != variant.PerThread ||
		variant.ThreadPrivateThreads(in.bins, bytes, l.WarpLanes, l.SharedBytes) > 0)
}

// sampleKernel finds the hot targets of a table.
const sampleKernel = "sample_hot"

// kernelType is the type of the kernels for elements of type t. Signed integers run the kernels of
// the unsigned ones: in two's complement their sums have the same bits.
func kernelType(t device.Type) string { return strings.Replace(t.String(), "i", "u", 1) }

func callModule(t device.Type) string { return "calls_" + kernelType(t) }

// updateKernel names the main kernel of an implementation: update_private_sr_f32_loaded.
// A threshold makes the form of a warp reduction another: vr_t8. Copies of each thread
// have no form of a warp reduction. Turns at once stand last: update_naive_u32_one_x4.
func updateKernel(v variant.Variant, c device.Call, unroll int) string {
	parts := []string{"update"}
	if !v.AddsAtTargets() {
		parts = append(parts, v.Base.String())
	}
	if v.G() > 1 {
		parts = append(parts, "ranges")
	}
	if v.Reduces() {
		parts = append(parts, v.Reduction.String())
	} else if v.Site() != variant.PerThread {
		parts = append(parts, "naive")
	}
	if v.Threshold != 0 {
		parts = append(parts, fmt.Sprintf("t%d", v.Threshold))
	}
	if c.Returns {
		parts = append(parts, "old")
	}
	parts = append(parts, kernelType(c.Type), c.Operand.String())
	if unroll > 1 {
		parts = append(parts, fmt.Sprintf("x%d", unroll))
	}
	return strings.Join(parts, "_")
}

// place is where a kernel stands.
type place struct {
	module string
	target int // least compute capability times 10
}

// updateKernels are all updating kernels that there are.
var updateKernels = sync.OnceValue(func() map[string]place {
	all := map[string]place{}
	for _, name := range ptx.Modules() {
		if !strings.HasPrefix(name, "calls_") {
			continue
		}
		m, err := ptx.Load(name)
		if err != nil {
			panic(err) // the module is embedded
		}
		for _, k := range m.Kernels {
			all[k.Name] = place{name, m.Target}
		}
	}
	return all
})
