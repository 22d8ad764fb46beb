package probe

import (
	"fmt"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

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

// callModule is the module that holds the kernels of a type.
func callModule(t device.Type) string { return "calls_" + kernelType(t) }

// updateKernel names the module and the main kernel of an implementation:
// update_private_sr_f32_loaded.
func updateKernel(v variant.Variant, c device.Call) (module, kernel string) {
	module = callModule(c.Type)
	switch {
	case v.Reduction == variant.Match:
		module = "calls_match_" + kernelType(c.Type)
	case v.Threshold != 0:
		module = "calls_vote_" + kernelType(c.Type)
	}
	parts := []string{"update"}
	switch {
	case v.Base == variant.ThreadPrivate:
		parts = append(parts, "threadprivate")
	case v.Base == variant.Private:
		parts = append(parts, "private", form(v))
	default:
		parts = append(parts, form(v))
	}
	if c.Returns {
		parts = append(parts, "old")
	}
	return module, strings.Join(append(parts, kernelType(c.Type), c.Operand.String()), "_")
}

// form names what a warp does to its updates: naive, sr, vr_t8.
func form(v variant.Variant) string {
	switch {
	case v.Reduction == variant.None:
		return "naive"
	case v.Threshold != 0:
		return fmt.Sprintf("%s_t%d", v.Reduction, v.Threshold)
	}
	return v.Reduction.String()
}
