// Package calls measures whole calls: every implementation on every stream.
package calls

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/bindings/gpu/kernels"
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/impl/relayout"
	"github.com/atomtune/atomtune/microbench/job"
)

const Suite = "calls"

// Options say which calls are measured.
type Options struct {
	Quick           bool          // fewer streams, fewer repeats
	Repeats         int           // of each measurement; 0: by the length of a call
	Types           []device.Type // of the targets; empty for u32, f32 and f64
	Implementations []impl.Spec   // to measure; empty for all
	// Drawn, if not 0, is the number of streams that are drawn from Seed, in place of
	// the built-in list: see drawSpecs.
	Drawn int
	Seed  uint64
	// Specs, if not empty, is a file of specifications of the streams, one a line, in
	// place of the built-in list: see parseSpecs.
	Specs string
	// Launches are measured besides the rule's: those of device.Limits.Launches that have a kernel,
	// all of whose blocks have updates and whose threads fit.
	Launches  bool
	Keeps     bool     // nothing clears the targets in a timed call
	Files     []string // index streams to measure beside the synthetic ones
	Companion string   // the program that measures sort, segreduce and partition; empty for none
}

const mostDrawn = 10000

// Validate reports what there is not.
func (o Options) Validate() error {
	if o.Drawn < 0 || o.Drawn > mostDrawn {
		return fmt.Errorf("%d streams to draw, want 0 to %d", o.Drawn, mostDrawn)
	}
	if o.Drawn > 0 && o.Specs != "" {
		return fmt.Errorf("streams to draw, and %s to read them from", o.Specs)
	}
	for i, v := range o.Implementations {
		if _, there := kernels.Update(v, device.Call{}, 1); !there && !inLibrary(v) {
			return fmt.Errorf("there are no kernels of %s (only of %s)", v,
				strings.Trim(fmt.Sprint(implementations(device.Call{}, false)), "[]"))
		}
		if slices.Contains(o.Implementations[:i], v) {
			return fmt.Errorf("implementation %s is named twice", v)
		}
	}
	return nil
}

type suite struct {
	Options
	device    driver.Description
	limits    device.Limits
	calls     []device.Call // made with each stream
	companion *companion    // nil: what only it can measure is left out
	// allLaunched: every implementation is measured in other launches than the rule's, and not a few.
	allLaunched bool
	asGiven     bool // what performs the updates in another order is left out
}

func newSuite(d driver.Description, o Options) *suite {
	c := &suite{Options: o, device: d, calls: callsOf(o), limits: kernels.Limits(&d)}
	if o.Companion != "" {
		c.companion = &companion{path: o.Companion, device: d}
	}
	return c
}

// callsOf lists what is done with each stream. Every type adds loaded values, with
// and without the old value of the target returned. The constant 1 is added
// besides, as histograms do: to u32 where no types are named, else to each type.
func callsOf(o Options) []device.Call {
	types := o.Types
	ones := types
	if len(types) == 0 {
		types = []device.Type{device.U32, device.F32, device.F64}
		ones = types[:1]
	}
	var all []device.Call
	for _, t := range device.Types() { // in the order of the tables, each once
		if !slices.Contains(types, t) {
			continue
		}
		all = append(all, device.Call{Type: t, Keeps: o.Keeps})
		if slices.Contains(ones, t) {
			all = append(all, device.Call{Type: t, Operand: device.One, Keeps: o.Keeps})
		}
		all = append(all, device.Call{Type: t, Returns: true, Keeps: o.Keeps})
	}
	return all
}

// Jobs plans the suite, one job for each stream. Errors wrap those of datasets or ErrStream.
func Jobs(d driver.Description, o Options) ([]job.Job, error) {
	var specs []synth.Spec
	var err error
	switch {
	case o.Drawn > 0:
		specs = drawSpecs(o.Drawn, o.Seed)
	case o.Specs != "":
		specs, err = ReadSpecs(o.Specs)
	default:
		specs = Streams(o.Quick)
	}
	var sources []source
	for _, spec := range specs {
		load := func() ([]uint32, uint64, error) {
			indices, err := synth.Generate(spec)
			return indices, uint64(spec.K), err
		}
		sources = append(sources, source{spec.String(), spec.String(), "", spec.N, load})
	}
	if err == nil {
		sources, err = appendFiles(sources, o.Files)
	}
	if err != nil {
		return nil, err
	}
	jobs := newSuite(d, o).jobs(sources)
	if o.Companion != "" {
		var content string
		content, err = contentOf(o.Companion)
		for i := range jobs {
			jobs[i].Content += " " + content
		}
	}
	return jobs, err
}

// jobs are the jobs of the streams. The last one ends the companion.
func (c *suite) jobs(sources []source) []job.Job {
	jobs := make([]job.Job, len(sources))
	for i, s := range sources {
		last := i == len(sources)-1
		jobs[i] = job.Job{
			Suite: Suite, Key: s.label, Content: s.content,
			Prepare: func() (any, error) { return c.prepare(s) }, Updates: s.updates,
			Run: func(ctx context.Context, g driver.GPU, prepared any) (job.Result, error) {
				if last {
					defer c.companion.close()
				}
				return c.runOrSkip(ctx, g, prepared.(*input))
			},
		}
	}
	return jobs
}

// runOrSkip measures a stream, or says in a warning that the device has no room for
// it.
func (c *suite) runOrSkip(ctx context.Context, g driver.GPU, in *input) (job.Result, error) {
	result, err := c.run(ctx, g, in)
	if !errors.Is(err, driver.ErrMemory) {
		return result, err
	}
	warning := fmt.Sprintf("suite %s, %s: skipped because it does not fit on the device: %v", Suite,
		in.label, err)
	return job.Result{Wrong: result.Wrong, Warnings: []string{warning}}, nil
}

// input is a stream with all that the host makes of it.
type input struct {
	label   string
	indices []uint32
	bins    uint64
	want    reference
	orders  [arrangements][]uint32 // in which the updates are performed; none as given
	stats   collision.Stats
}

func (c *suite) prepare(s source) (*input, error) {
	indices, bins, err := s.load()
	switch {
	case err != nil:
		return nil, err
	case len(indices) > synth.MaxUpdates:
		return nil, fmt.Errorf("%w: %d updates, more than %d", ErrStream, len(indices), synth.MaxUpdates)
	case bins > mostBins:
		return nil, fmt.Errorf("%w: %s: index %d: %d targets at most can be measured",
			ErrStream, s.place, bins-1, uint64(mostBins))
	}
	in := &input{label: s.label, indices: indices, bins: bins, want: newReference(indices, bins)}
	if c.arranges(scattered) {
		in.orders[scattered] = relayout.Order(indices, bins)
	}
	if c.arranges(scatteredWarps) {
		in.orders[scatteredWarps] = relayout.Warps(indices, bins, c.limits.WarpLanes)
	}
	in.stats, err = collision.Analyze(indices,
		collision.Options{WarpSize: 32, BlockSize: 256, Bins: bins})
	return in, err
}

// arranges reports whether an implementation that is measured performs the updates in that order.
func (c *suite) arranges(a arrangement) bool {
	return slices.ContainsFunc(c.calls, func(call device.Call) bool {
		return slices.ContainsFunc(c.asked(call),
			func(v impl.Spec) bool { return arrangementOf(v) == a })
	})
}
