package calls

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// base is how the implementations of one base run on a GPU.
type base struct {
	library    bool   // measured by the companion, or predicted
	sorts      bool   // the library sorts first
	grouped    bool   // takes streams alone whose equal targets are neighbours
	kernel     string // word of the kernel's name
	noWarpForm bool   // the name says nothing of a warp reduction
	partials   bool   // blocks leave partial sums, which a second kernel adds
	// fits tells whether the copies of the targets have room; nil for no copies.
	fits func(v variant.Variant, t device.Type, bins uint64, l device.Limits) bool
	// arguments follow those of every updating kernel.
	arguments func(v variant.Variant, bins uint32) []any
}

var bases = map[variant.Base]base{
	variant.Global: {},
	variant.Private: {
		kernel: "private",
		fits: func(v variant.Variant, t device.Type, bins uint64, l device.Limits) bool {
			return v.SharedBytes(bins, t.Bytes()) <= l.SharedBytes
		},
		arguments: func(v variant.Variant, bins uint32) []any {
			return []any{bins, uint32(v.R()), uint32(v.Pad), uint32(v.Map)}
		},
	},
	variant.ThreadPrivate: {
		kernel: "threadprivate", noWarpForm: true, partials: true,
		fits: func(_ variant.Variant, t device.Type, bins uint64, l device.Limits) bool {
			return variant.ThreadPrivateThreads(bins, t.Bytes(), l.WarpLanes, l.SharedBytes) > 0
		},
		arguments: func(_ variant.Variant, bins uint32) []any { return []any{bins} },
	},
	variant.Sort:      {library: true, sorts: true},
	variant.SegReduce: {library: true, grouped: true},
}

// reduction is how the kernels of one warp reduction are called and what they need.
type reduction struct {
	kernel string // word of the kernel's name
	module string // word of the module's name, if the kernels have one of their own
	major  int    // least compute capability
	order  arrangement
}

// order is that of the ss form of a warp reduction.
var reductions = map[variant.Reduction]reduction{
	variant.None:  {kernel: "naive", order: scattered},
	variant.SR:    {kernel: "sr", order: scatteredWarps},
	variant.VR:    {kernel: "vr"},
	variant.Peers: {kernel: "peers"},
	variant.Match: {kernel: "match", module: "match", major: 7},
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
	if v.Scatter {
		return reductions[v.Reduction].order
	}
	return asGiven
}

// layouts are measured beside the candidates of a choice: vr from 8 lanes on, the
// fixed threshold of code for differentiable rendering; and private copies, to see
// what padding and mapping do.
var layouts = []variant.Variant{
	{Reduction: variant.VR, Threshold: 8},
	{Base: variant.Private, Replicas: 4},
	{Base: variant.Private, Replicas: 4, Map: variant.Block},
	{Base: variant.Private, Replicas: 4, Pad: 1, Map: variant.Block},
	{Base: variant.Private, Replicas: 32},
}

func implementations(c device.Call, quick bool) []variant.Variant {
	list := variant.Candidates()
	if !quick {
		list = append(list, layouts...)
	}
	return slices.DeleteFunc(list, func(v variant.Variant) bool {
		return c.Returns && !v.ReturnsOld()
	})
}

// asked lists what the suite measures of a call: all implementations, or those that
// were named.
func (c *suite) asked(call device.Call) []variant.Variant {
	if len(c.Implementations) == 0 {
		return implementations(call, c.Quick)
	}
	return slices.DeleteFunc(implementations(call, false), func(v variant.Variant) bool {
		return !slices.Contains(c.Implementations, v)
	})
}

func (c *suite) predicts() bool {
	library := func(v variant.Variant) bool { return bases[v.Base].library }
	return c.companion == nil && slices.ContainsFunc(c.asked(device.Call{}), library)
}

// runs tells whether the device and the stream have what the implementation needs.
func (c *suite) runs(v variant.Variant, t device.Type, in *input) bool {
	b, measured := bases[v.Base]
	return measured && c.device.Major >= reductions[v.Reduction].major &&
		(b.fits == nil || b.fits(v, t, in.bins, c.limits)) && (!b.grouped || in.stats.Grouped())
}

// kernelType is the type of the kernels for elements of type t. Signed integers
// run the kernels of the unsigned ones: in two's complement their sums have the
// same bits.
func kernelType(t device.Type) string {
	switch t {
	case device.I32:
		t = device.U32
	case device.I64:
		t = device.U64
	}
	return t.String()
}

func callModule(t device.Type) string { return "calls_" + kernelType(t) }

// updateKernel names the module and the main kernel of an implementation:
// update_private_sr_f32_loaded. A threshold makes the form of a warp reduction
// another: vr_t8.
func updateKernel(v variant.Variant, c device.Call) (module, kernel string) {
	b, r := bases[v.Base], reductions[v.Reduction]
	parts := []string{"update"}
	if b.kernel != "" {
		parts = append(parts, b.kernel)
	}
	if v.Threshold != 0 {
		r.kernel, r.module = fmt.Sprintf("%s_t%d", r.kernel, v.Threshold), "vote"
	}
	if !b.noWarpForm {
		parts = append(parts, r.kernel)
	}
	if c.Returns {
		parts = append(parts, "old")
	}
	module = callModule(c.Type)
	if r.module != "" {
		module = "calls_" + r.module + "_" + kernelType(c.Type)
	}
	return module, strings.Join(append(parts, kernelType(c.Type), c.Operand.String()), "_")
}
