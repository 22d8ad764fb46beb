// Package kernels says how a call of an implementation runs on a GPU: which kernels of package ptx,
// in which order, with which arguments and in which grids.
package kernels

import (
	"fmt"
	"strings"
	"sync"

	"github.com/atomtune/atomtune/bindings/cuda/ptx"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

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

// Update returns the main kernel of an implementation with so many iterations at once, and whether there
// is one. Its name says what it does: update_private_sr_f32_loaded, update_naive_u32_one_x4.
func Update(v impl.Spec, c device.Call, unroll int) (Kernel, bool) {
	k, there := all()[updateName(v, c, unroll)]
	return k, there && c.Op == device.Add
}

// updateName names the main kernel of an implementation. A threshold makes the form of a warp
// reduction another: vr_t8. Copies of each thread have no form of a warp reduction.
func updateName(v impl.Spec, c device.Call, unroll int) string {
	name := "update"
	add := func(given bool, part ...any) {
		if given {
			name += "_" + fmt.Sprint(part...)
		}
	}
	add(!v.AddsAtTargets(), v.Algorithm)
	add(v.G() > 1, "ranges")
	add(v.Reduces(), v.Reduction)
	add(!v.Reduces() && v.Site() != impl.PerThread, "naive")
	add(v.M() > 1, "m", v.M())
	add(v.Threshold != 0, "t", v.Threshold)
	add(v.Scope == impl.BlockScope, "block")
	add(v.Masks == impl.Hash, "hash")
	add(c.Returns, "old")
	add(true, Type(c.Type), "_", c.Operand)
	add(unroll > 1, "x", unroll)
	return name
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
