package elteir11

import (
	"math"

	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/hwsim/coordinator/experiment"
	"github.com/atomtune/atomtune/speedup/elteir/equations"
)

// recordStores are the stores of a map task: a key and a value.
//
// [elteir11] prints neither the kernels nor, but for the scalar product, their
// ALU:Fetch ratios, which were in Figure 14. Arithmetic is left out where it
// gives none, and every CompletePath access that is neither the atomic operation
// nor one of these stores is taken as a load.
const recordStores = 2

// kmeansWork is a point of k-means. The table's loads are taken as pairs: a
// coordinate of the point and one of a centroid, which all threads want.
func kmeansWork() (before, after coordinator.Work) {
	pairs := (kmeansComplete - 1 - recordStores) / 2
	return coordinator.Work{Loads: pairs, UniformLoads: pairs}, coordinator.Work{Stores: recordStores}
}

// scalarWork is an element of a scalar product: two loads, and arithmetic by the
// kernel's ALU:Fetch ratio.
func (r *radeon) scalarWork() (before, after coordinator.Work) {
	before.Loads = scalarComplete - 1
	each := r.form.ALUFetch(equations.KernelWork{Loads: float64(before.Loads), Cycles: 1})
	before.Cycles = int(math.Round(scalarALUFetch / each))
	return before, after
}

// working is a kernel whose threads do that work around an atomic addition, for
// so many elements one after the other. Workgroups have one wavefront, as in
// section V.
func working(groups, elements int, before, after coordinator.Work) *coordinator.Kernel {
	k := experiment.AtomicOnly(groups, 1, coordinator.WavefrontLanes)
	for g := range k.Groups {
		s := k.Groups[g][0][0]
		s.Before, s.After = before, after
		k.Groups[g][0] = nil
		for range elements {
			k.Groups[g][0] = append(k.Groups[g][0], s)
		}
	}
	return k
}

// applied runs working both ways, with the closed forms.
func (r *radeon) applied(groups, elements int, before, after coordinator.Work) comparison {
	d := r.comparison(working(groups, elements, before, after))
	r.closed(&d, elements, equations.KernelWork{
		Loads:        float64(before.Loads + after.Loads),
		UniformLoads: float64(before.UniformLoads + after.UniformLoads),
		Stores:       float64(before.Stores + after.Stores),
		Cycles:       float64(before.Cycles + after.Cycles),
	})
	return d
}

// mostGroups is the largest power of two of workgroups that run at once with a
// coordinator: for larger inputs every thread has several elements.
const mostGroups = 128

// split spreads threads over workgroups: how many there are, and how many
// elements each thread has.
func split(threads int) (groups, elements int) {
	groups = min(mostGroups, max(1, threads/coordinator.WavefrontLanes))
	return groups, max(1, threads/coordinator.WavefrontLanes/groups)
}
