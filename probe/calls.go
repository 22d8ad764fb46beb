package probe

import (
	"context"
	"fmt"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/relayout"
	"github.com/atomtune/atomtune/variant"
)

// callSuite measures whole calls: every implementation on every stream.
type callSuite struct {
	device    Description
	limits    device.Limits
	quick     bool
	repeats   int // 0: by the length of a call
	kinds     []device.Call
	only      []variant.Variant // empty for all implementations
	companion *companion        // nil: what only it can measure is predicted
	price     *sortPrice        // of what is predicted; measured at the first need
}

// callsJobs plans the suite, one job for each stream: those of Streams and the
// files of the options. Errors wrap those of datasets or
// ErrStream.
func callsJobs(d Description, o Options) ([]Job, error) {
	c := &callSuite{
		device: d, limits: limitsOf(d), quick: o.Quick, repeats: o.Repeats,
		kinds: callKinds(o.Types), only: o.Implementations,
	}
	if o.Companion != "" {
		c.companion = newCompanion(o.Companion, d)
	}
	var sources []source
	specs, err := o.specs()
	if err != nil {
		return nil, err
	}
	for _, spec := range specs {
		sources = append(sources, source{label: spec.String(), updates: spec.N, load: func() ([]uint32, uint64, error) {
			indices, err := synth.Generate(spec)
			return indices, uint64(spec.K), err
		}})
	}
	files, err := fileSources(o.Files)
	if err != nil {
		return nil, err
	}
	jobs := c.jobs(append(sources, files...))
	if o.Companion != "" {
		content, err := contentOf(o.Companion)
		if err != nil {
			return nil, err
		}
		for i := range jobs {
			jobs[i].Content += " " + content
		}
	}
	return jobs, nil
}

// specs are the synthetic streams of the options.
func (o Options) specs() ([]synth.Spec, error) {
	switch {
	case o.Drawn > 0:
		return DrawnStreams(o.Drawn, o.Seed), nil
	case o.Specs != "":
		return ReadSpecs(o.Specs)
	}
	return Streams(o.Quick), nil
}

// jobs are the jobs of the streams. The last one sends the companion away.
func (c *callSuite) jobs(sources []source) []Job {
	jobs := make([]Job, len(sources))
	for i, s := range sources {
		last := i == len(sources)-1
		jobs[i] = Job{
			Suite: "calls", Key: s.label, Content: s.content,
			Prepare: func() (any, error) { return c.prepare(s) }, Updates: s.updates,
			Run: func(ctx context.Context, g GPU, prepared any) (Result, error) {
				if last {
					defer c.companion.close()
				}
				return c.runOrSkip(ctx, g, prepared.(*callInput))
			},
		}
	}
	return jobs
}

// callInput is a stream with all that the host makes of it.
type callInput struct {
	label   string
	indices []uint32
	bins    uint64
	want    reference
	order   []uint32 // in which ss performs the updates
	warps   []uint32 // in which sr+ss does: warps stay together
	stats   collision.Stats
}

func (c *callSuite) prepare(s source) (*callInput, error) {
	indices, bins, err := s.load()
	if err == nil && len(indices) > synth.MaxUpdates {
		err = fmt.Errorf("%w: %d updates, more than %d", ErrStream, len(indices), synth.MaxUpdates)
	}
	if err == nil && bins > mostBins {
		err = fmt.Errorf("%w: %s: index %d: %d targets at most can be measured", ErrStream, s.place(), bins-1, uint64(mostBins))
	}
	if err != nil {
		return nil, err
	}
	in := &callInput{label: s.label, indices: indices, bins: bins}
	in.stats, err = collision.Analyze(indices, collision.Options{WarpSize: 32, BlockSize: 256, Bins: bins})
	if err != nil {
		return nil, err
	}
	in.want = newReference(indices, bins)
	in.order = relayout.Order(indices, bins)
	in.warps = relayout.Warps(indices, bins, c.limits.WarpLanes)
	return in, nil
}
