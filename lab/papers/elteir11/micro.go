package elteir11

import (
	"slices"

	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/hwsim/coordinator/experiment"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/speedup/elteir/equations"
)

// workgroupCounts are those of the micro-benchmarks. Below 32 there are several,
// as the paper's mean is over these.
func workgroupCounts() []int { return []int{2, 4, 8, 16, 32, 64, 128} }

// micro runs a micro-benchmark over the workgroups, with the fastest size of a
// workgroup; the closed forms are those of 64 threads.
func (r *radeon) micro(kernel func(groups, wavefronts, lanes int) *coordinator.Kernel,
	w equations.KernelWork) comparisons {
	return sweep(workgroupCounts(), func(n int) comparison {
		d := r.fastest(kernel, n)
		r.closed(&d, 1, w)
		return d
	})
}

// figure8 is the atomic addition alone, [elteir11] Figure 8.
func (r *radeon) figure8(f *findings) {
	all := r.micro(experiment.AtomicOnly, equations.KernelWork{})
	f.aloneRows(all)
	f.Table(all.table("figure8", "An atomic addition alone; the profile's fence and "+
		"around_kernel were fitted to the paper's speedups below 32 and at 128 workgroups and to "+
		"where they cross 1", "workgroups"))
	f.Table(r.others())
	f.Page = all.page("An atomic addition alone", "workgroups", []point{{128, statedAlone}})
}

// others are the operations that the paper leaves for future work.
func (r *radeon) others() papers.Table {
	t := papers.NewTable("figure8-others", "An exchange and a compare-exchange alone, of which section "+
		"IV-A leaves the coordinator's for future work; 64 threads per workgroup",
		"workgroups|exchange: device's own [us]|coordinator [us]|speedup|"+
			"compare-exchange: device's own [us]|coordinator [us]|speedup")
	for _, n := range workgroupCounts() {
		row := []any{n}
		for _, op := range []coordinator.Op{coordinator.Exchange, coordinator.CompareExchange} {
			k := experiment.Alone(op)(n, 1, coordinator.WavefrontLanes)
			own, software := r.launch(k, coordinator.System).Cycles, r.launch(k, coordinator.Software).Cycles
			row = append(row, r.microseconds(own), r.microseconds(software), own/software)
		}
		t.Add(row...)
	}
	return t
}

func (f *findings) aloneRows(all comparisons) {
	small := all[:slices.IndexFunc(all, func(d comparison) bool {
		return float64(d.at) >= statedCrossover
	})]
	speedups := small.column(comparison.speedup)
	f.ratio("mean speedup below 32 workgroups", statedBelow, small.mean())
	f.State("speedup below 32 workgroups", speedups, slices.Max(speedups) < 1)
	f.ratio("speedup at 128 workgroups", statedAlone, all.at(128).speedup())
	f.State("speedup with the number of workgroups",
		papers.Interval(speedups[0], all.last().speedup()), all.rises())
	const linear = float64(128-64) / (64 - 32)
	few, some, many := all.at(32), all.at(64), all.at(128)
	f.ratio("the device's own: time from 64 to 128 workgroups over that from 32 to 64", linear,
		(many.systemUS-some.systemUS)/(some.systemUS-few.systemUS))
	f.ratio("the coordinator's: time from 64 to 128 workgroups over that from 32 to 64", linear,
		(many.softwareUS-some.softwareUS)/(some.softwareUS-few.softwareUS))
}

// figure9 is the atomic addition with memory accesses, [elteir11] Figure 9.
func (r *radeon) figure9(f *findings) {
	all := r.micro(experiment.Copy, equations.KernelWork{UniformLoads: 1, Stores: 1})
	alone := r.micro(experiment.AtomicOnly, equations.KernelWork{})
	f.copyRows(all, alone)
	f.Table(all.table("figure9", "An atomic addition, a load and a store", "workgroups"))
	f.Page = all.page("An atomic addition, a load and a store", "workgroups", nil)
}

// significantly reports whether values rise all the way, and to twice the first at least.
func significantly(values []float64) bool {
	return papers.Rises(values) && values[len(values)-1] >= 2*values[0]
}

// copyRows compares with the atomic addition alone.
func (f *findings) copyRows(all, alone comparisons) {
	gain := papers.List(len(all), func(i int) float64 {
		return all[i].speedup() / alone[i].speedup()
	})
	f.State("speedup with the number of workgroups",
		papers.Interval(all[0].speedup(), all.last().speedup()), significantly(all.column(comparison.speedup)))
	f.State("speedup over that without memory accesses, Figure 8", gain, slices.Min(gain) > 1)
}
