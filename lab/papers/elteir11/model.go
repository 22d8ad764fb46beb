package elteir11

import (
	"errors"

	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/hwsim/coordinator/experiment"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
	"github.com/atomtune/atomtune/speedup/elteir/equations"
)

// section4 is the number of workgroups that run at once, [elteir11]
// section IV-A.
func (r *radeon) section4(f *findings) {
	t := papers.NewTable("section4", "Workgroups that run at once",
		"wavefronts of a workgroup|workgroups")
	for _, wavefronts := range []int{1, 2, 4} {
		t.Add(wavefronts, coordinator.Resident(r.device, wavefronts))
	}
	f.Table(t)
	room := coordinator.Resident(r.device, 1)
	f.StateNumber("most workgroups of a simple kernel with a coordinator", statedRoom, room,
		float64(room) == statedRoom)
	launch := func(groups int) error {
		_, err := coordinator.Run(experiment.AtomicOnly(groups, 1, coordinator.WavefrontLanes),
			coordinator.Options{Device: r.device, Regime: experiment.Paths{},
				Atomics: coordinator.Software, AsPrinted: true})
		return err
	}
	fits, more := launch(room-1), launch(room)
	f.State("a launch of one workgroup more", outcome(more),
		fits == nil && errors.Is(more, coordinator.ErrOccupancy))
}

// outcome says in a word how a launch went.
func outcome(err error) string {
	if err == nil {
		return "runs"
	}
	return "refused"
}

// modelTimes are one number of workgroups under the equations and under the
// device's queues.
type modelTimes struct {
	groups                                 int
	published, serial, corrected, measured float64 // speedups
}

func (r *radeon) modelTimes(groups int) modelTimes {
	c := equations.Concurrency{Lanes: coordinator.WavefrontLanes, Workgroups: float64(groups)}
	k := experiment.AtomicOnly(groups, 1, coordinator.WavefrontLanes)
	const fast = 1400 // cycles; only ratios matter, and 1/14 of it is whole
	o := coordinator.Options{Regime: experiment.Serial{Fast: fast, Complete: r.x() * fast,
		Local: localShare * fast}}
	software := r.run(k, o)
	o.Atomics = coordinator.System
	system := r.run(k, o)
	return modelTimes{groups: groups, published: equations.AtomicSpeedup(c, r.x(), localShare),
		corrected: r.form.Speedup(c, 1),
		serial:    experiment.AtomicCycles(system) / experiment.AtomicCycles(software),
		measured:  r.comparison(k).speedup()}
}

// printed is the speedup by equation (3) as it is printed, of a kernel whose workgroups all
// execute the operation but for the coordinator's.
func (r *radeon) printed(groups int) float64 {
	c := equations.Concurrency{Lanes: coordinator.WavefrontLanes, Workgroups: float64(groups)}
	return equations.SystemAtomic(c, r.x()) /
		equations.PrintedSoftwareAtomic(c, float64(groups+1), localShare)
}

// section5 holds equations (3) and (4) against the measurements, which
// the paper does not, and the corrected form beside them.
func (r *radeon) section5(f *findings) {
	var all []modelTimes
	for n := 2; n <= mostGroups; n *= 2 {
		all = append(all, r.modelTimes(n))
	}
	f.modelRows(all, r.form.Crossover(coordinator.WavefrontLanes, 1, equations.KernelWork{}))
	whole := r.comparison(experiment.AtomicOnly(mostGroups, 1, coordinator.WavefrontLanes))
	part := r.comparison(experiment.AtomicOnly(mostGroups, 1, coordinator.WavefrontLanes/4))
	f.divergenceRows(whole, part)
	t := papers.NewTable("section5", "Speedup of an atomic addition alone, 64 threads per workgroup; "+
		"equation (3) is printed with N_wg, all workgroups, and used with N_cwg, which execute it",
		"workgroups|equations (3) as printed and (4)|equations (3) and (4)|simulated as they assume|"+
			"corrected form|simulated queues")
	var groups []float64
	lines := []plot.Line{
		{Name: "equations (3) and (4)", Style: plot.Dashed},
		{Name: "simulated as they assume", Style: plot.Markers},
		{Name: "corrected form", Style: plot.Dashed}, {Name: "simulated queues"},
	}
	for _, m := range all {
		t.Add(m.groups, r.printed(m.groups), m.published, m.serial, m.corrected, m.measured)
		groups = append(groups, float64(m.groups))
		for i, v := range []float64{m.published, m.serial, m.corrected, m.measured} {
			lines[i].Y = append(lines[i].Y, v)
		}
	}
	for i := range lines {
		lines[i].X = groups
	}
	lines = append(lines, plot.Line{Name: "paper, Figure 8", X: []float64{mostGroups},
		Y: []float64{statedAlone}, Style: plot.Markers})
	f.Table(t)
	f.Page = plot.Page{Title: "An atomic addition alone: equations, corrected form, simulation " +
		"(Radeon HD 5870)", Panels: []plot.Panel{plot.Figure{
		XLabel: "workgroups of 64 threads", YLabel: "speedup of the coordinator", XLog: true, YLog: true,
		Lines: lines,
	}}}
}

func (f *findings) modelRows(all []modelTimes, crossover float64) {
	last := all[len(all)-1]
	f.ratio("equations (3) and (4) at 128 workgroups, which Figure 8 measured", statedAlone,
		last.published, f.closed(statedAlone, last.corrected))
	f.ratio("equations (3) and (4) at 128 workgroups, simulated as they assume", last.published,
		last.serial)
	f.ratio("corrected form at 128 workgroups", statedAlone, last.corrected)
	f.ratio("workgroups from which the coordinator wins, by the corrected form", statedCrossover,
		crossover)
	rising := func(value func(m modelTimes) float64) bool {
		return significantly(papers.List(len(all), func(i int) float64 { return value(all[i]) }))
	}
	f.State("speedup with the number of workgroups", papers.Interval(all[0].measured, last.measured),
		rising(func(m modelTimes) float64 { return m.published }) &&
			rising(func(m modelTimes) float64 { return m.corrected }) &&
			rising(func(m modelTimes) float64 { return m.measured }))
}

// divergenceRows are about a kernel of whose lanes a quarter execute the operation, beside one in
// which all do. The device's own time is proportional to the lanes, the coordinator's almost the same.
func (f *findings) divergenceRows(whole, part comparison) {
	const lanes, almost = 1.0 / 4, 1.05
	f.ratio("speedup where a quarter of the lanes execute the operation, over all lanes'", lanes,
		part.speedup()/whole.speedup())
	same := part.softwareUS / whole.softwareUS
	f.StateNumber("the coordinator's time where a quarter of the lanes execute the operation, over all "+
		"lanes'", 1, same, papers.Within(same, 1, almost))
}
