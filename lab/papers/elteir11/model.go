package elteir11

import (
	"context"
	"errors"
	"fmt"

	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/hwsim/coordinator/experiment"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
	"github.com/atomtune/atomtune/speedup/elteir/equations"
)

// section4 is the number of workgroups that run at once, [elteir11]
// section IV-A.
func (r *radeon) section4(context.Context, papers.Options) (papers.Outcome, error) {
	var f findings
	t := papers.Table{Name: "section4", Title: "Workgroups that run at once", Columns: []string{"wavefronts of a workgroup", "workgroups"}}
	for _, wavefronts := range []int{1, 2, 4} {
		t.Cells = append(t.Cells, papers.Cells(wavefronts, coordinator.Resident(r.device, wavefronts)))
	}
	f.Table(t)
	room := coordinator.Resident(r.device, 1)
	f.Enforce(papers.Row{
		Item: "most workgroups of a simple kernel with a coordinator", PaperValue: papers.Number(140), Ours: papers.Number(float64(room)), Unit: "workgroups",
		Reason: "seven on each of 20 compute units", Holds: room == 140,
	})
	_, fits := r.launch(experiment.AtomicOnly(room-1, 1, coordinator.WavefrontLanes), coordinator.Software)
	_, more := r.launch(experiment.AtomicOnly(room, 1, coordinator.WavefrontLanes), coordinator.Software)
	f.Enforce(papers.Row{
		Item: "a launch of one workgroup more", PaperValue: papers.Text("not supported"), Ours: papers.Text(outcome(more)),
		Reason: "139 workgroups and the coordinator's run, 140 and the coordinator's do not", Holds: fits == nil && errors.Is(more, coordinator.ErrOccupancy),
	})
	return f.Outcome, nil
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

func (r *radeon) modelTimes(groups int) (modelTimes, error) {
	c := equations.Concurrency{Lanes: coordinator.WavefrontLanes, Workgroups: float64(groups)}
	m := modelTimes{groups: groups, published: equations.AtomicSpeedup(c, r.x(), localShare), corrected: r.form.Speedup(c, 1)}
	k := experiment.AtomicOnly(groups, 1, coordinator.WavefrontLanes)
	const fast = 1400 // cycles; only ratios matter, and 1/14 of it is whole
	o := coordinator.Options{Device: r.device, Regime: experiment.Serial{Fast: fast, Complete: r.x() * fast, Local: localShare * fast}}
	software, err := coordinator.Run(k, o)
	if err != nil {
		return m, err
	}
	o.Atomics = coordinator.System
	system, err := coordinator.Run(k, o)
	if err != nil {
		return m, err
	}
	m.serial = experiment.AtomicCycles(system) / experiment.AtomicCycles(software)
	d, err := r.comparison(k)
	m.measured = d.speedup()
	return m, err
}

// section5 holds equations (3) and (4) against the measurements, which
// the paper does not, and the corrected form beside them.
func (r *radeon) section5(context.Context, papers.Options) (papers.Outcome, error) {
	var all []modelTimes
	for n := 2; n <= mostGroups; n *= 2 {
		m, err := r.modelTimes(n)
		if err != nil {
			return papers.Outcome{}, err
		}
		all = append(all, m)
	}
	var f findings
	f.modelRows(all, r.form.Crossover(coordinator.WavefrontLanes, 1, equations.KernelWork{}))
	whole, err := r.comparison(experiment.AtomicOnly(mostGroups, 1, coordinator.WavefrontLanes))
	if err != nil {
		return papers.Outcome{}, err
	}
	part, err := r.comparison(experiment.AtomicOnly(mostGroups, 1, coordinator.WavefrontLanes/4))
	if err != nil {
		return papers.Outcome{}, err
	}
	f.divergenceRow(part.speedup() / whole.speedup())
	t := papers.Table{Name: "section5", Title: "Speedup of an atomic addition alone, 64 threads per workgroup", Columns: []string{
		"workgroups", "equations (3) and (4)", "simulated as they assume", "corrected form", "simulated queues",
	}}
	var groups []float64
	lines := []plot.Line{
		{Name: "equations (3) and (4)", Style: plot.Dashed}, {Name: "simulated as they assume", Style: plot.Markers},
		{Name: "corrected form", Style: plot.Dashed}, {Name: "simulated queues"},
	}
	for _, m := range all {
		t.Cells = append(t.Cells, papers.Cells(m.groups, m.published, m.serial, m.corrected, m.measured))
		groups = append(groups, float64(m.groups))
		for i, v := range []float64{m.published, m.serial, m.corrected, m.measured} {
			lines[i].Y = append(lines[i].Y, v)
		}
	}
	for i := range lines {
		lines[i].X = groups
	}
	lines = append(lines, plot.Line{Name: "paper, Figure 8", X: []float64{mostGroups}, Y: []float64{1.9}, Style: plot.Markers})
	f.Table(t)
	f.Page = plot.Page{Title: "An atomic addition alone: equations, corrected form, simulation (Radeon HD 5870)", Panels: []plot.Panel{plot.Figure{
		XLabel: "workgroups of 64 threads", YLabel: "speedup of the coordinator", XLog: true, YLog: true, Lines: lines,
	}}}
	return f.Outcome, nil
}

func (f *findings) modelRows(all []modelTimes, crossover float64) {
	last := all[len(all)-1]
	f.Gap(ratioOf("equations (3) and (4) at 128 workgroups, which Figure 8 measured", 1.9, last.published,
		"equation (4) charges t_comp for every thread, where the atomic units work in a pipeline; equation (3) leaves out polling, scans, fences and queues"))
	f.Enforce(ratioOf("equations (3) and (4) at 128 workgroups, simulated as they assume", last.published, last.serial,
		"the paper's value is the equations'; wholly serial atomic operations, and requests that are seen at once, but a search that ends at the first wavefront, where equation (3) has N_cwg/2 comparisons"))
	f.Enforce(ratioOf("corrected form at 128 workgroups", 1.9, last.corrected, "equations (3) and (4) with a pipeline, polling, scans, fences and queues"))
	f.Enforce(ratioOf("workgroups from which the coordinator wins, by the corrected form", 32, crossover, "solved for; Figure 8 has about 32"))
	rising := func(value func(m modelTimes) float64) bool {
		for i := 1; i < len(all); i++ {
			if value(all[i]) <= value(all[i-1]) {
				return false
			}
		}
		return true
	}
	f.Enforce(papers.Row{
		Item: "speedup with the number of workgroups", PaperValue: papers.Text("increases"), Ours: papers.Interval(all[0].measured, last.measured), Unit: "times",
		Reason: "from 2 to 128 workgroups, at every doubling, in equations, corrected form and simulation",
		Holds: rising(func(m modelTimes) float64 { return m.published }) && rising(func(m modelTimes) float64 { return m.corrected }) &&
			rising(func(m modelTimes) float64 { return m.measured }),
	})
}

// divergenceRow is about a kernel in which a quarter of each wavefront's lanes
// execute the operation: its speedup over that of one in which all do.
func (f *findings) divergenceRow(part float64) {
	f.Enforce(papers.Row{
		Item: "speedup where a quarter of the lanes execute the operation, over all lanes'", PaperValue: papers.Text("smaller"),
		Ours: papers.Number(part), Unit: "times", Reason: fmt.Sprintf("%d workgroups, simulated; below 1", mostGroups), Holds: part < 1,
	})
}
