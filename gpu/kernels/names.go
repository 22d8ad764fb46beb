// Package kernels says how a call of an implementation runs on a GPU: which kernels of package ptx,
// in which order, with which arguments and in which grids.
package kernels

import (
	"fmt"
	"strings"
	"sync"

	"github.com/atomtune/atomtune/cuda/ptx"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// Kernel is a kernel of package ptx.
type Kernel struct {
	Name, Module string
	Target       int // least compute capability times 10
}

// sampleKernel finds the hot targets of a table.
const sampleKernel = "sample_hot"

// Type is the type of the kernels for elements of type t. Signed integers run the kernels of the
// unsigned ones: in two's complement their sums have the same bits.
func Type(t device.Type) string { return strings.Replace(t.String(), "i", "u", 1) }

// Module is the module of the kernels of every device for elements of type t.
func Module(t device.Type) string { return modules + Type(t) }

const modules = "calls_" // begins the names of the modules of calls

// Update returns the main kernel of an implementation with so many turns at once, and whether there
// is one. Its name says what it does: update_private_sr_f32_loaded, update_naive_u32_one_x4.
func Update(v variant.Variant, c device.Call, unroll int) (Kernel, bool) {
	k, there := all()[updateName(v, c, unroll)]
	return k, there && c.Op == device.Add
}

// updateName names the main kernel of an implementation. A threshold makes the form of a warp
// reduction another: vr_t8. Copies of each thread have no form of a warp reduction.
func updateName(v variant.Variant, c device.Call, unroll int) string {
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
	if v.M() > 1 {
		parts = append(parts, fmt.Sprintf("m%d", v.M()))
	}
	if v.Threshold != 0 {
		parts = append(parts, fmt.Sprintf("t%d", v.Threshold))
	}
	if v.Scope == variant.BlockScope {
		parts = append(parts, "block")
	}
	if v.Masks == variant.Hash {
		parts = append(parts, "hash")
	}
	if c.Returns {
		parts = append(parts, "old")
	}
	parts = append(parts, Type(c.Type), c.Operand.String())
	if unroll > 1 {
		parts = append(parts, fmt.Sprintf("x%d", unroll))
	}
	return strings.Join(parts, "_")
}

// all are the kernels of the modules of calls, by name.
var all = sync.OnceValue(func() map[string]Kernel {
	list := map[string]Kernel{}
	for _, module := range ptx.Modules() {
		if !strings.HasPrefix(module, modules) {
			continue
		}
		m, err := ptx.Load(module)
		if err != nil {
			panic(err) // the module is embedded
		}
		for _, k := range m.Kernels {
			list[k.Name] = Kernel{k.Name, module, m.Target}
		}
	}
	return list
})
