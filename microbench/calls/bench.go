package calls

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/bindings/gpu/kernels"
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

type Stream struct {
	Name    string
	Indices []uint32 // each below Bins
	Bins    uint64
}

// Bench times calls of one kind on one stream, which is on the GPU: one implementation in one
// launch after the other, as the caller asks.
type Bench struct {
	m    *measurement
	call device.Call
}

// NewBench brings the stream to the GPU. Of the options, Implementations, Repeats and Companion
// count. relaid says that the updates may be had in the order that ss and sr+ss want, which costs
// no timed call anything; else these two are left out. Close ends it. Errors wrap ErrStream, or are
// those of package driver or of the context.
func NewBench(ctx context.Context, g driver.GPU, s Stream, call device.Call, relaid bool,
	o Options) (b *Bench, err error) {
	if len(s.Indices) == 0 {
		return nil, fmt.Errorf("%w: %s: there are no updates to time", ErrStream, s.Name)
	}
	o.Types, o.Keeps, o.Launches = []device.Type{call.Type}, call.Keeps, true
	c := newSuite(g.Describe(), o)
	c.calls, c.allLaunched, c.asGiven = []device.Call{call}, true, !relaid
	in, err := c.prepare(source{label: s.Name, place: s.Name,
		load: func() ([]uint32, uint64, error) { return s.Indices, s.Bins, nil }})
	if err != nil {
		return nil, err
	}
	m, err := c.begin(ctx, g, in)
	b = &Bench{m, call}
	m.typed = typeMemory{t: call.Type, target: m.Alloc(s.Bins * uint64(call.Type.Bytes()))}
	if err = cmp.Or(err, m.Err()); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// Close frees what the bench holds on the GPU, and ends the companion.
func (b *Bench) Close() error {
	b.m.suite.companion.close()
	return b.m.close()
}

// Stats are the exact statistics of the stream, of warps of 32 and blocks of 256.
func (b *Bench) Stats() *collision.Stats { return &b.m.in.stats }

func (b *Bench) Limits() device.Limits { return b.m.suite.limits }

// Implementations lists what can be timed: what has kernels that the GPU can run on this stream, or
// what the companion measures.
func (b *Bench) Implementations() (list []impl.Spec) {
	for _, v := range b.m.suite.asked(b.call) {
		if b.Lacks(v, device.Launch{}) == "" && b.m.suite.runs(v, b.call, b.m.in) {
			list = append(list, v)
		}
	}
	return list
}

// Lacks says why an implementation cannot be timed in a launch, "" where it can. It does not ask
// what registers hold.
func (b *Bench) Lacks(v impl.Spec, fixed device.Launch) string {
	switch {
	case v.Scatter && b.m.suite.asGiven:
		return "it needs updates re-laid out by the host"
	case inLibrary(v) && b.m.suite.companion == nil:
		return "it is a kernel of the companion, not of this program"
	case inLibrary(v):
		return ""
	}
	return b.m.asked(b.call, v, fixed).Lacks(&b.m.suite.device)
}

// Fits reports whether an implementation can be timed in a launch that is not the rule's. It loads
// the kernel.
func (b *Bench) Fits(v impl.Spec, fixed device.Launch) bool {
	return b.m.OK() && b.m.fits(b.call, v, fixed)
}

// Launches lists the launches beside the rule's in which an implementation can be timed. It loads
// their kernels.
func (b *Bench) Launches(v impl.Spec) []device.Launch { return b.m.launches(b.call, v) }

// Time times a call in a launch, the zero one for the rule's, and checks its result. It says what
// is wrong with that, "" for nothing. An error that wraps driver.ErrMemory or kernels.ErrShape is of
// this call alone; after any other nothing more can be timed.
func (b *Bench) Time(v impl.Spec, fixed device.Launch) (c recordings.Call, wrong string,
	err error) {
	b.m.result.Calls, b.m.result.Wrong = nil, nil
	err = b.m.Attempt(func() { b.m.measure(b.call, v, fixed) }, driver.ErrMemory, kernels.ErrShape)
	if err != nil {
		return c, "", err
	}
	if len(b.m.result.Wrong) > 0 {
		wrong = b.m.result.Wrong[0]
	}
	return b.m.result.Calls[0], wrong, nil
}
