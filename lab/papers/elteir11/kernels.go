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

// withArithmetic is the work with as much arithmetic as makes that ALU:Fetch ratio, in whole
// cycles.
func (r *radeon) withArithmetic(w coordinator.Work, ratio float64) coordinator.Work {
	each := r.form.ALUFetch(equations.KernelWork{Loads: float64(w.Loads),
		UniformLoads: float64(w.UniformLoads), Cycles: 1})
	w.Cycles = int(math.Round(ratio / each))
	return w
}

// scalarWork is an element of a scalar product: two loads, and arithmetic by the
// kernel's ALU:Fetch ratio.
func (r *radeon) scalarWork() (before, after coordinator.Work) {
	return r.withArithmetic(coordinator.Work{Loads: scalarComplete - 1}, scalarALUFetch), after
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

// eachWavefront ends the items about perWavefront.
const eachWavefront = ", one atomic addition per wavefront"

// perWavefront is the kernel with one lane that adds for all of its wavefront, which have added in
// local memory before. [elteir11] section VI-B.1 applies the atomic operations of matrix
// multiplication and k-means at both levels, and gives numbers without saying of which.
func perWavefront(k *coordinator.Kernel) *coordinator.Kernel {
	one := &coordinator.Kernel{Variables: k.Variables}
	for _, g := range k.Groups {
		group := make(coordinator.Workgroup, len(g))
		for w, front := range g {
			for _, s := range front {
				sum := s.Updates[0]
				for _, u := range s.Updates[1:] {
					sum.Operand += u.Operand
				}
				lanes := coordinator.Work{Further: experiment.LocalAdd(len(s.Updates))}
				group[w] = append(group[w], coordinator.Statement{Before: s.Before},
					coordinator.Statement{Before: lanes, After: s.After, Updates: []coordinator.Update{sum}})
			}
		}
		one.Groups = append(one.Groups, group)
	}
	return one
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
