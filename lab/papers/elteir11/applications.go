package elteir11

import (
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/speedup/elteir/equations"
)

// figure11 is the map phase of k-means, [elteir11] Figure 11.
func (r *radeon) figure11(f *findings) {
	before, after := kmeansWork()
	all := sweep([]int{512, 1024, 2048, 4096, 8192}, func(points int) comparison {
		groups, elements := split(points)
		return r.applied(groups, elements, before, after)
	})
	f.pointRows(all)
	f.Table(all.table("figure11", "Map phase of k-means", "points"))
	f.Page = all.page("Map phase of k-means", "points", []point{{512, statedFewPoints},
		{8192, statedManyPoints}})
}

func (f *findings) pointRows(all comparisons) {
	f.ratio("speedup at 512 points", statedFewPoints, all.at(512).speedup())
	f.ratio("speedup at 8,192 points", statedManyPoints, all.at(8192).speedup())
	f.State("speedup with the number of points",
		papers.Interval(all[0].speedup(), all.last().speedup()), all.rises())
}

// scalar runs the scalar product over the workgroups.
func (r *radeon) scalar() comparisons {
	before, after := r.scalarWork()
	return sweep(workgroupCounts(), func(n int) comparison {
		return r.applied(n, 1, before, after)
	})
}

// figure12 is the scalar product, [elteir11] Figure 12.
func (r *radeon) figure12(f *findings) {
	all := r.scalar()
	f.scalarRows(all)
	before, _ := r.scalarWork()
	ratio := r.form.ALUFetch(equations.KernelWork{Loads: float64(before.Loads),
		Cycles: float64(before.Cycles)})
	f.StateNumber("ALU:Fetch ratio", scalarALUFetch, ratio,
		papers.Within(ratio, scalarALUFetch, 1.01))
	f.Table(all.table("figure12", "Scalar product", "workgroups"))
	f.Page = all.page("Scalar product", "workgroups", []point{{2, statedScalarFew},
		{128, statedScalarMany}})
}

func (f *findings) scalarRows(all comparisons) {
	f.ratio("speedup at 2 workgroups", statedScalarFew, all.at(2).speedup())
	f.ratio("speedup at 128 workgroups", statedScalarMany, all.at(128).speedup())
	f.ratio("mean speedup", statedScalarMean, all.mean())
	f.State("speedup with the number of workgroups",
		papers.Interval(all[0].speedup(), all.last().speedup()), all.rises())
}
