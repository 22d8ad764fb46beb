// Package egielski14 simulates the applications of [egielski14], in all forms of
// their atomic updates, and the choice among these forms by a regression tree.
//
// At scale 1 inputs are as large as the paper's, and statuses are judged there. The simulated
// times of that scale are in testdata/times.csv. After a change of the simulator or of a
// profile, remove the file and make it again, which takes long:
//
//	atomlab reproduce egielski14 --journal lab/papers/egielski14/testdata/times.csv
//
// The command resumes where it was interrupted, and names each status that is now wrong. Tests
// simulate a few of these runs again, and one of each kind at a small scale, whose times
// ATOMTUNE_UPDATE_GOLDEN=1 renews.
//
// # The baseline of Tables 1 and 2
//
// Their rows are judged over the level's own naive atomics. The text names the non-atomic
// implementation, but there is one for all levels, and other sentences of the paper contradict it:
//
//   - Over one baseline, the largest speedups of Table 2, 15.40 without private copies and 9.51 with
//     those of blocks, say that on some image Fermi is 1.6 times as fast without copies. The text
//     with Figure 7 has VR faster with private copies, even on Kepler with its faster L2.
//   - The text with Figure 7 calls the non-atomic histogram typically much slower than naive atomics.
//     The minima, 0.58 to 0.99, would be slower than that. Over naive atomics they are what section
//     3.3 leads to: the non-atomic histogram is a choice, and sometimes the wrong one.
//   - Figure 10 has block-private naive atomics for the baseline of histograms and goes up to about 15,
//     as the block-private line of Table 1 does, 14.74. Were that over much slower code, the figure
//     would end lower.
//
// References:
//
//	[egielski14]    I. Egielski, J. Huang, E. Z. Zhang. Massive Atomics for Massive
//	                Parallelism on GPUs. ISMM 2014.
//	[bell08]        N. Bell, M. Garland. Efficient Sparse Matrix-Vector Multiplication
//	                on CUDA. NVIDIA Technical Report NVR-2008-004, 2008.
//	[mpakos23]      P. Mpakos, D. Galanopoulos, P. Anastasiadis, N. Papadopoulou, N. Koziris,
//	                G. Goumas. Feature-based SpMV Performance Analysis on Contemporary
//	                Devices. IPDPS 2023. The features of each file stand in its repository,
//	                github.com/cslab-ntua/SpMV-Research, benchmark_code/CPU/AMD/config.sh.
//	[gomezluna13]   J. Gómez-Luna, J. M. González-Linares, J. I. Benavides, N. Guil.
//	                Performance Modeling of Atomic Additions on GPU Scratchpad
//	                Memory. IEEE TPDS 24(11), 2013.
package egielski14

import (
	"context"
	_ "embed"
	"fmt"
	"sync"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/papers"
)

//go:embed statements.csv
var statements string

// Paper lists the experiments of [egielski14] in the order of the paper.
// What one of them has simulated, the others that come from the same call use.
func Paper() papers.Paper { return newSimulations().experiments() }

func (c *simulations) experiments() papers.Paper {
	return papers.NewPaper(papers.Paper{Key: "egielski14", Scaled: true, Memo: true, Published: numbers,
		Data: c.data,
		Reference: "I. Egielski, J. Huang, E. Z. Zhang. Massive Atomics for Massive Parallelism on GPUs. " +
			"ISMM 2014",
		Experiments: []papers.Experiment{
			{Name: "figure2", Title: "Naive atomics in SpMV", Make: c.figure2},
			{Name: "figure5", Title: "SpMV with fewer collisions, and the form chosen", Make: c.figure5},
			{Name: "table1", Title: "Histogram, the chosen form on Kepler",
				Make: c.histogramTable(1, kepler)},
			{Name: "table2", Title: "Histogram, the chosen form on Fermi", Make: c.histogramTable(2, fermi)},
			{Name: "figure7", Title: "Histograms, all forms", Make: c.figure7},
			{Name: "figure8", Title: "SpMV, all forms", Make: c.figure8},
			{Name: "table3", Title: "SpMV, the chosen form", Make: c.table3},
			{Name: "figure10", Title: "All benchmarks", Make: c.figure10},
		}}, statements)
}

// The devices of [egielski14], by profile and by the names of its figures.
const (
	kepler = "gtx680"
	fermi  = "c2075"
)

// generationOf is what the paper calls a device.
var generationOf = map[string]string{kepler: "Kepler", fermi: "Fermi"}

// bothDevices are both devices in the order of the paper's tables.
var bothDevices = []string{kepler, fermi}

// appForm is one way of running a benchmark.
type appForm struct {
	name     string // as the paper's figures have it
	original bool
	level    apps.Level // of an original; others run at the benchmark's
	method   impl.Spec
}

// The forms of [egielski14] section 4. AA are the device's own atomic
// additions. The histogram without atomics is the thread-private one.
var (
	formOriginal = appForm{name: "original", original: true}
	formPrivate  = appForm{name: "thread-private", original: true, level: apps.ThreadPrivate}
	formAA       = appForm{name: "AA"}
	formSR       = appForm{name: "SR", method: impl.Spec{Reduction: impl.SR}}
	formVR       = appForm{name: "VR", method: impl.Spec{Reduction: impl.VR}}
	formSRSS     = appForm{name: "SR+SS", method: impl.Spec{Reduction: impl.SR,
		Scatter: true}}
)

// benchmark is one of the paper's applications. Its first form has no atomics.
type benchmark struct {
	name        string
	application apps.Application
	of          device.Type
	level       apps.Level
	forms       []appForm
	inputs      func(papers.Options) []input
}

// place returns the place of the form, which the benchmark has.
func (b benchmark) place(f appForm) int {
	for i := range b.forms {
		if b.forms[i] == f {
			return i
		}
	}
	panic("no form " + f.name + " of " + b.name)
}

// simulations simulates the applications of [egielski14] for its experiments, each
// run once for all of them.
type simulations struct {
	profile  func(name string) (*device.Profile, error)
	simulate func(apps.AppConfig, apps.AppInput) (apps.AppResult, error)
	memo     *papers.Memo // where the options have none
}

func newSimulations() *simulations {
	return &simulations{profile: device.Builtin, simulate: apps.RunApplication,
		memo: papers.NewMemo(nil)}
}

// kernelTime is the time of all kernels in microseconds. [egielski14] section 4
// takes the total time of all kernel invocations. Launching them, 6 us and more,
// is left out: beside the paper's inputs, which are larger, it is little.
func kernelTime(r apps.AppResult, d *device.Profile) float64 {
	cycles := uint64(0)
	for _, k := range r.Kernels {
		cycles += k.Cycles
	}
	return float64(cycles) / d.Core.Clock.Value
}

// us returns the time of a form on an input in microseconds, simulated once.
func (c *simulations) us(o papers.Options, j job, f appForm, in input) (float64, error) {
	us, err := o.Simulated(j.run(o, f, in), func() (float64, error) {
		return c.simulated(o, j, f, in)
	})
	if err != nil {
		return 0, fmt.Errorf("%s of %s on %s: %w", f.name, in.name, j.gpu, err)
	}
	return us, nil
}

// simulated runs the simulator. The host's time for re-laying updates is left
// out: the paper hides it behind other work.
func (c *simulations) simulated(o papers.Options, j job, f appForm, in input) (float64, error) {
	profile, err := c.profile(j.gpu)
	if err != nil {
		return 0, err
	}
	drawn, err := in.draw()
	if err != nil {
		return 0, err
	}
	level := j.level
	if f.original {
		level = f.level
	}
	result, err := c.simulate(apps.AppConfig{
		Device: profile, Application: j.application, Type: j.of, Level: level,
		Original: f.original, Method: f.method, Seed: o.Seed, Relaid: true,
	}, drawn)
	us := kernelTime(result, profile)
	if err == nil && (!result.Correct || !(us > 0)) {
		err = fmt.Errorf("%w: the output is not the serial one", hwsim.ErrSimulation)
	}
	return us, err
}

// job is a benchmark on a device.
type job struct {
	benchmark
	gpu string
}

// shared names what is the same for all benchmarks of an application.
func (b benchmark) shared() string {
	if b.application == apps.Histogram {
		return "histogram"
	}
	return b.name
}

// run names a run: what it depends on. The thread-private histogram is the same at all levels.
func (j job) run(o papers.Options, f appForm, in input) string {
	what := j.name
	if f == formPrivate {
		what = j.shared()
	}
	return fmt.Sprintf("egielski14 %s %s %s | %s%s, scale %v, seed %d", j.gpu, what, f.name, in.name,
		in.drawnAs, o.Scale, o.Seed)
}

// on returns jobs for both devices, all of the first one first.
func on(all ...benchmark) []job {
	var jobs []job
	for _, gpu := range bothDevices {
		for _, b := range all {
			jobs = append(jobs, job{b, gpu})
		}
	}
	return jobs
}

// levels counts the collisions of an input, once.
func (b benchmark) levels(o papers.Options, in input) (levels [3]float64, err error) {
	known := false
	for i, level := range collisionLevels {
		name := fmt.Sprintf("egielski14 %s %s | %s%s, scale %v, seed %d", b.shared(), level, in.name,
			in.drawnAs, o.Scale, o.Seed)
		levels[i], err = o.Simulated(name, func() (float64, error) {
			if !known {
				drawn, err := in.draw()
				if err == nil {
					in.levels, err = levelsOf(b.application, drawn)
				}
				if err != nil {
					return 0, fmt.Errorf("%s: %w", in.name, err)
				}
				known = true
			}
			return in.levels[i], nil
		})
		if err != nil {
			return levels, err
		}
	}
	return levels, nil
}

// measure runs every form of the jobs on every input and chooses.
func (c *simulations) measure(ctx context.Context, o papers.Options, jobs ...job) ([]measured,
	error) {
	if o.Memo == nil {
		o.Memo = c.memo
	}
	all := papers.List(len(jobs), func(i int) measured {
		return measured{job: jobs[i], inputs: jobs[i].inputs(o)}
	})
	tasks := c.tasks(o, all)
	err := o.Share(ctx, len(tasks), func() (func(int) error, error) {
		return func(task int) error {
			defer func() { tasks[task] = nil }() // the last one of an input lets go of it
			return tasks[task]()
		}, nil
	})
	for i := range all {
		if err == nil {
			err = c.collect(o, &all[i])
		}
	}
	return all, err
}

// tasks are the runs, each once, and the counts of collisions. Those of an input follow each other:
// it is drawn for the first of them and shared.
func (c *simulations) tasks(o papers.Options, all []measured) (tasks []func() error) {
	var names []string
	inputs, own, known := map[string]input{}, map[string][]func() error{}, map[string]bool{}
	for _, m := range all {
		for _, in := range m.inputs {
			name := m.shared() + " " + in.name + in.drawnAs
			if own[name] == nil {
				names = append(names, name)
				in.draw = sync.OnceValues(in.draw)
				inputs[name] = in
				own[name] = append(own[name], func() error {
					_, err := m.levels(o, in)
					return err
				})
			}
			in = inputs[name]
			for _, f := range m.forms {
				if run := m.run(o, f, in); !known[run] {
					known[run] = true
					own[name] = append(own[name], func() error {
						_, err := c.us(o, m.job, f, in)
						return err
					})
				}
			}
		}
	}
	for _, name := range names {
		tasks = append(tasks, own[name]...)
	}
	return tasks
}

// collect takes what the tasks have found, and chooses.
func (c *simulations) collect(o papers.Options, m *measured) (err error) {
	for i := range m.inputs {
		in, us := &m.inputs[i], make([]float64, len(m.forms))
		if in.levels, err = m.levels(o, *in); err != nil {
			return err
		}
		for f, form := range m.forms {
			if us[f], err = c.us(o, m.job, form, *in); err != nil {
				return err
			}
		}
		m.us = append(m.us, us)
	}
	return m.choose()
}

// findings collects the outcome of one experiment.
type findings struct{ papers.Findings }
