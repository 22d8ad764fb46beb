package elteir11

import (
	"context"
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
func (r *radeon) micro(kernel func(groups, wavefronts, lanes int) *coordinator.Kernel, w equations.KernelWork) (comparisons, error) {
	var all comparisons
	for _, n := range workgroupCounts() {
		d, err := r.fastest(kernel, n)
		if err != nil {
			return nil, err
		}
		r.closed(&d, 1, w)
		all = append(all, d)
	}
	return all, nil
}

// figure8 is the atomic addition alone, [elteir11] Figure 8.
func (r *radeon) figure8(context.Context, papers.Options) (papers.Outcome, error) {
	all, err := r.micro(experiment.AtomicOnly, equations.KernelWork{})
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	f.aloneRows(all)
	f.Table(all.table("figure8", "An atomic addition alone", "workgroups"))
	f.Page = all.page("An atomic addition alone", "workgroups", []point{{128, 1.9}})
	return f.Outcome, nil
}

func (f *findings) aloneRows(all comparisons) {
	small := all[:slices.IndexFunc(all, func(d comparison) bool { return d.at >= 32 })]
	speedups := small.column(comparison.speedup)
	const fitted = "simulated, fastest of 64, 128 and 256 threads; a fence and the time around a kernel were chosen, once, to fit this figure"
	f.Enforce(ratioOf("mean speedup below 32 workgroups", 0.5, small.mean(), fitted))
	f.Enforce(papers.Row{
		Item: "speedup below 32 workgroups", PaperValue: papers.Text("below 1"), Ours: papers.Interval(slices.Min(speedups), slices.Max(speedups)), Unit: "times",
		Reason: "2 to 16 workgroups, simulated", Holds: slices.Max(speedups) < 1,
	})
	f.Enforce(ratioOf("speedup at 128 workgroups", 1.9, all.at(128).speedup(), fitted))
	f.Enforce(papers.Row{
		Item: "speedup with the number of workgroups", PaperValue: papers.Text("increases"), Ours: papers.Interval(speedups[0], all.last().speedup()), Unit: "times",
		Reason: "at every doubling", Holds: all.rises(),
	})
	growth := func(us func(d comparison) float64) float64 { return us(all.at(128)) - us(all.at(64)) }
	system := growth(func(d comparison) float64 { return d.systemUS })
	f.Enforce(ratioOf("the device's own: time from 64 to 128 workgroups over that from 32 to 64", 2, system/(all.at(64).systemUS-all.at(32).systemUS), "linear in the number of threads"))
	software := growth(func(d comparison) float64 { return d.softwareUS })
	f.Enforce(papers.Row{
		Item: "the coordinator's time grows from 64 to 128 workgroups, over the device's own", PaperValue: papers.Text("less"), Ours: papers.Number(software / system), Unit: "times",
		Reason: "below 1: proportional to wavefronts, not to threads", Holds: software > 0 && software < system,
	})
}

// figure9 is the atomic addition with memory accesses, [elteir11] Figure 9.
func (r *radeon) figure9(context.Context, papers.Options) (papers.Outcome, error) {
	all, err := r.micro(experiment.Copy, equations.KernelWork{UniformLoads: 1, Stores: 1})
	if err != nil {
		return papers.Outcome{}, err
	}
	alone, err := r.micro(experiment.AtomicOnly, equations.KernelWork{})
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	f.copyRows(all, alone)
	f.Table(all.table("figure9", "An atomic addition, a load and a store", "workgroups"))
	f.Page = all.page("An atomic addition, a load and a store", "workgroups", nil)
	return f.Outcome, nil
}

// copyRows compares with the atomic addition alone.
func (f *findings) copyRows(all, alone comparisons) {
	gain := make([]float64, len(all))
	for i, d := range all {
		gain[i] = d.speedup() / alone[i].speedup()
	}
	f.Enforce(papers.Row{
		Item: "speedup with the number of workgroups", PaperValue: papers.Text("increases significantly"),
		Ours: papers.Interval(all[0].speedup(), all.last().speedup()), Unit: "times",
		Reason: "at every doubling, and at least twice from 2 to 128 workgroups", Holds: all.rises() && all.last().speedup() >= 2*all[0].speedup(),
	})
	f.Enforce(papers.Row{
		Item: "speedup over that without memory accesses, Figure 8", PaperValue: papers.Text("larger"), Ours: papers.Interval(slices.Min(gain), slices.Max(gain)), Unit: "times",
		Reason: "above 1 at every number of workgroups", Holds: slices.Min(gain) > 1,
	})
}
