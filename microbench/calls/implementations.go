package calls

import (
	"slices"

	"github.com/atomtune/atomtune/bindings/gpu/kernels"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// inLibrary reports whether an implementation is measured by the companion.
func inLibrary(v impl.Spec) bool {
	return v.SeveralKernels() && !v.Coordinated()
}

type arrangement int

const (
	asGiven        arrangement = iota
	scattered                  // ss: one update of each target after another
	scatteredWarps             // sr+ss: the same with whole warps
	arrangements
)

func arrangementOf(v impl.Spec) arrangement {
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
var layouts = impl.List("vr:t=8 peers:masks=hash private:r=4 private:r=4,map=block " +
	"private:r=4,pad=1,map=block private:r=32")

// launched are the implementations that the suite measures in other launches too, where none are
// named: a few of each kind.
var launched = impl.List("naive private private:r=8,pad=1 private:r=32,pad=1 private+sr " +
	"private:r=1,ranges=2 hot:s=64,r=32 hot:s=1024,r=8 hot:s=8192,r=2 hot:s=4096+match")

// implementations lists what is measured of a call: of old values what a choice ranks, else what
// sizes are searched among besides.
func implementations(c device.Call, quick bool) []impl.Spec {
	list := impl.Candidates()
	var more []impl.Spec
	switch {
	case quick:
	case c.Returns:
		more = impl.Sized()
	default:
		more = slices.Concat(impl.Sized(), layouts, impl.Tables(), impl.SampledTables(),
			impl.RangedCopies())
	}
	for _, v := range more {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return slices.DeleteFunc(list, func(v impl.Spec) bool { return unmeasured(v, c) })
}

// unmeasured reports what no kernel does: the companion and its prices clear the targets, and
// fetch_add_vr is compiled with its own threshold alone.
func unmeasured(v impl.Spec, c device.Call) bool {
	return c.Keeps && inLibrary(v) || c.Returns && (v.Threshold != 0 || !v.ReturnsOld())
}

// asked lists what the suite measures of a call: all implementations, or those that were named.
func (c *suite) asked(call device.Call) []impl.Spec {
	list := slices.Clone(c.Implementations)
	if len(list) == 0 {
		list = implementations(call, c.Quick)
	}
	return slices.DeleteFunc(list, func(v impl.Spec) bool {
		return unmeasured(v, call) || c.asGiven && v.Scatter
	})
}

// runs reports whether device, stream and kernels have what the implementation needs.
func (c *suite) runs(v impl.Spec, call device.Call, in *input) bool {
	if len(c.Implementations) == 0 && !v.Worthwhile(in.bins, call.Type.Bytes()) {
		return false
	}
	if v.NeedsGrouped() && !in.stats.Grouped() {
		return false
	}
	l, bytes := &c.limits, call.Type.Bytes()
	switch {
	case inLibrary(v) && c.companion == nil:
		return false
	case v.Width > 0:
		return v.SharedBytes(in.bins, bytes) <= l.SharedBytes && in.bins <= l.MostParted(v, call.Type)
	case inLibrary(v):
		return true
	}
	asked := kernels.Call{Implementation: v, Does: call, Bins: in.bins}
	return asked.Lacks(&c.device) == ""
}
