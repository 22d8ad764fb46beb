package elteir11

import (
	"maps"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/hwsim/coordinator/experiment"
	"github.com/atomtune/atomtune/lab/papers"
)

// figure11 is the map phase of k-means, [elteir11] Figure 11.
func (r *radeon) figure11(f *findings) {
	before, after := kmeansWork()
	points := []int{512, 1024, 2048, 4096, 8192}
	kernel := func(points int, before coordinator.Work) *coordinator.Kernel {
		groups, elements := split(points)
		return working(groups, elements, before, after)
	}
	all := sweep(points, func(points int) comparison {
		groups, elements := split(points)
		return r.applied(groups, elements, before, after)
	})
	one := sweep(points, func(points int) comparison {
		return r.comparison(perWavefront(kernel(points, before)))
	})
	balanced := kernel(8192, r.withArithmetic(before, 1))
	f.pointRows("", all, r.comparison(balanced).speedup())
	f.pointRows(eachWavefront, one, r.comparison(perWavefront(balanced)).speedup())
	f.Table(all.table("figure11", "Map phase of k-means", "points"))
	f.Table(one.times("figure11-wavefront", "Map phase of k-means"+eachWavefront, "points"))
	f.Page = all.page("Map phase of k-means", "points", []point{{512, statedFewPoints},
		{8192, statedManyPoints}})
	f.Page.Panels[1] = withLine(f.Page.Panels[1], "simulated, per wavefront", one)
}

// pointRows compares with the paper's values; balanced is the largest input with as much time for
// arithmetic as for fetches.
func (f *findings) pointRows(level string, all comparisons, balanced float64) {
	f.ratio("speedup at 512 points"+level, statedFewPoints, all.at(512).speedup())
	f.ratio("speedup at 8,192 points"+level, statedManyPoints, all.at(8192).speedup(),
		f.closed(statedManyPoints, balanced))
	f.State("speedup with the number of points"+level,
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
	// Figure 8 was taken to say how fast the atomic units are.
	fast := r.changed(func(d *device.Profile) {
		units := maps.Clone(d.GlobalAtomics)
		for mechanism, unit := range units {
			unit.SameAddress.Value /= 3
			units[mechanism] = unit
		}
		d.GlobalAtomics = units
	})
	f.scalarRows(all, fast.scalar(), fast.fastest(experiment.AtomicOnly, mostGroups).speedup())
	r.keep(fast.err)
	f.Table(all.table("figure12", "Scalar product", "workgroups"))
	f.Page = all.page("Scalar product", "workgroups", []point{{2, statedScalarFew},
		{128, statedScalarMany}})
}

// scalarRows compares with the paper's values; fast are of a device with faster atomic units, on
// which the addition alone has the other speedup at 128 workgroups.
func (f *findings) scalarRows(all, fast comparisons, alone float64) {
	f.ratio("speedup at 2 workgroups", statedScalarFew, all.at(2).speedup())
	f.ratio("speedup at 128 workgroups", statedScalarMany, all.at(128).speedup(), papers.Number(alone),
		f.closed(statedScalarMany, fast.at(128).speedup()))
	f.ratio("mean speedup", statedScalarMean, all.mean(), papers.Number(alone),
		f.closed(statedScalarMean, fast.mean()))
	f.State("speedup with the number of workgroups",
		papers.Interval(all[0].speedup(), all.last().speedup()), all.rises())
}
