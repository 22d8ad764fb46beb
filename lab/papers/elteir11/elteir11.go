// Package elteir11 simulates the atomic operations of a Radeon HD 5870 and those
// of a coordinator workgroup, and holds the equations of [elteir11] beside them.
//
// References:
//
//	[elteir11]      M. Elteir, H. Lin, W. Feng. Performance Characterization and
//	                Optimization of Atomic Operations on AMD GPUs. IEEE CLUSTER
//	                2011.
package elteir11

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/hwsim/coordinator/experiment"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/speedup/elteir/equations"
)

//go:embed statements.csv
var statements string

// Paper lists the experiments of [elteir11] in the order of the paper.
func Paper() papers.Paper {
	return papers.NewPaper(papers.Paper{Key: "elteir11", Reference: "M. Elteir, H. Lin, W. Feng. " +
		"Performance Characterization and Optimization of Atomic Operations on AMD GPUs. IEEE CLUSTER 2011",
		Experiments: []papers.Experiment{
			{Name: "figure1", Title: "Bandwidth of the two ways to memory",
				Make: onRadeon((*radeon).figure1)},
			{Name: "figure4", Title: "What an atomic operation does to memory accesses",
				Make: onRadeon((*radeon).figure4)},
			{Name: "section4", Title: "How many workgroups a coordinator serves",
				Make: onRadeon((*radeon).section4)},
			{Name: "section5", Title: "The equations beside the measurements",
				Make: onRadeon((*radeon).section5)},
			{Name: "figure8", Title: "Atomic operations alone", Make: onRadeon((*radeon).figure8)},
			{Name: "figure9", Title: "Atomic operations and memory accesses",
				Make: onRadeon((*radeon).figure9)},
			{Name: "figure10", Title: "Matrix multiplication", Make: onRadeon((*radeon).figure10)},
			{Name: "figure11", Title: "Map phase of k-means", Make: onRadeon((*radeon).figure11)},
			{Name: "figure12", Title: "Scalar product", Make: onRadeon((*radeon).figure12)},
			{Name: "figure13", Title: "String match", Make: onRadeon((*radeon).figure13)},
			{Name: "figure14", Title: "Speedup over accesses and arithmetic",
				Make: onRadeon((*radeon).figure14)},
			{Name: "accesses", Title: "Accesses by path", Make: onRadeon((*radeon).accesses)},
		}, Published: published}, statements)
}

// ratio adds a statement about a published ratio, of inputs that the paper describes.
func (f *findings) ratio(item string, paper, ours float64, args ...any) {
	f.StateRatio(item, papers.Average, paper, ours, args...)
}

// comparison is one kernel with the device's own atomic operation and with a
// coordinator.
type comparison struct {
	at                   int // place on the figure's x axis
	groups               int
	systemUS, softwareUS float64
	// published and corrected are the ratios that equations (3) and (4) and
	// their corrected form give; 0 where they were not asked for.
	published, corrected float64
}

// speedup returns how many times as fast the coordinator is.
func (d comparison) speedup() float64 { return d.systemUS / d.softwareUS }

// radeon simulates the device of [elteir11]. Its first error stays: after it every answer is
// zero.
type radeon struct {
	device  *device.Profile
	form    equations.Pipelined // its closed forms
	ctx     context.Context     // of the experiment
	options papers.Options
	err     error
}

func newRadeon(ctx context.Context, d *device.Profile, o papers.Options) *radeon {
	form, err := equations.NewPipelined(d)
	return &radeon{d, form, ctx, o, err}
}

// onRadeon gives an experiment of [elteir11] its device.
func onRadeon(run func(*radeon, *findings)) func(context.Context, papers.Options) (papers.Outcome,
	error) {
	return func(ctx context.Context, o papers.Options) (papers.Outcome, error) {
		d, err := device.Builtin("hd5870")
		if err != nil {
			return papers.Outcome{}, err
		}
		r, f := newRadeon(ctx, d, o), findings{}
		run(r, &f)
		return f.Outcome, r.err
	}
}

// keep keeps the first error, the context's among them, and reports whether there is none.
func (r *radeon) keep(err error) bool {
	r.err = cmp.Or(r.err, r.ctx.Err(), err)
	return r.err == nil
}

// changed is the radeon with another profile.
func (r *radeon) changed(change func(d *device.Profile)) *radeon {
	d := *r.device
	change(&d)
	return newRadeon(r.ctx, &d, r.options)
}

func (r *radeon) microseconds(cycles float64) float64 { return cycles / r.device.Core.Clock.Value }

// x is t_comp/t_fast of equation (4), from the bandwidths of Figure 1.
func (r *radeon) x() float64 {
	return r.device.Memory.DRAMRate.Value / r.device.Memory.AtomicRate.Value
}

// localShare is x_l of equation (3): local memory has more than 14 times the
// bandwidth of global memory, section II-A.
var localShare = 1 / statedLocal

// launch simulates a kernel on the device's queues.
func (r *radeon) launch(k *coordinator.Kernel, how coordinator.Atomics) coordinator.Result {
	return r.run(k, coordinator.Options{Regime: experiment.Paths{}, Atomics: how, AsPrinted: true})
}

// run simulates a kernel.
func (r *radeon) run(k *coordinator.Kernel, o coordinator.Options) (result coordinator.Result) {
	if r.keep(nil) {
		var err error
		o.Device = r.device
		result, err = coordinator.Run(k, o)
		r.keep(err)
	}
	return result
}

// errFinal reports that two ways of updating gave different values.
var errFinal = errors.New("the coordinator's final values are not the device's")

// comparison simulates a kernel both ways and compares the shared variables.
func (r *radeon) comparison(k *coordinator.Kernel) comparison {
	system, software := r.launch(k, coordinator.System), r.launch(k, coordinator.Software)
	if !slices.Equal(system.Final, software.Final) {
		r.keep(fmt.Errorf("%w: %v and %v", errFinal, software.Final, system.Final))
	}
	return comparison{groups: len(k.Groups), systemUS: r.microseconds(system.Cycles),
		softwareUS: r.microseconds(software.Cycles)}
}

// fastest is comparison with the fastest of 64, 128 and 256 threads per workgroup,
// as the micro-benchmarks of section VI-A are run.
func (r *radeon) fastest(kernel func(groups, wavefronts, lanes int) *coordinator.Kernel,
	groups int) comparison {
	us := func(how coordinator.Atomics) float64 {
		if !r.keep(nil) {
			return 0
		}
		cycles, err := experiment.Fastest(kernel, groups, coordinator.Options{Device: r.device,
			Regime: experiment.Paths{}, AsPrinted: true, Atomics: how})
		r.keep(err)
		return r.microseconds(cycles)
	}
	return comparison{groups: groups, systemUS: us(coordinator.System),
		softwareUS: us(coordinator.Software)}
}

// closed sets the ratios of the closed forms for a kernel that does that work
// and an atomic operation so many times per thread. The corrected form sees one
// time of it.
func (r *radeon) closed(d *comparison, elements int, w equations.KernelWork) {
	c := equations.Concurrency{Lanes: coordinator.WavefrontLanes, Workgroups: float64(d.groups)}
	accesses := float64(elements) * (w.Loads + w.UniformLoads + w.Stores)
	k := equations.AtomicKernel{
		Concurrency: c, Sides: 1, Atomics: float64(elements),
		System: equations.Accesses{Complete: accesses}, Software: equations.Accesses{Fast: accesses},
	}
	if accesses > 0 {
		k.ALUFetch = r.form.ALUFetch(w)
	}
	d.published = k.Speedup(equations.AccessTimes{FastCycles: 1, CompleteCycles: r.x(),
		LocalCycles: localShare})
	d.corrected = r.form.KernelSpeedup(c, 1, w)
}

// findings collects the outcome of one experiment.
type findings struct {
	papers.Findings
	causes int      // of known gaps that were taken away
	open   []string // gaps that stay then, by what is found
}

// closed says what is found of a ratio where the cause of its gap is taken away.
func (f *findings) closed(paper, without float64) papers.Value {
	return f.without(papers.Number(without), papers.Average.Met(without, paper))
}

func (f *findings) without(found papers.Value, holds bool) papers.Value {
	f.causes++
	if holds {
		return papers.Text(found.String() + ", which closes the gap")
	}
	f.open = append(f.open, found.String())
	return papers.Text(found.String() + ", which does not close the gap")
}
