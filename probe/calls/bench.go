package calls

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/gpu/driver"
	"github.com/atomtune/atomtune/gpu/kernels"
	"github.com/atomtune/atomtune/variant"
)

// Stream is an index stream in memory.
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
	end  func()
}

// NewBench brings the stream to the GPU. Of the options, Implementations, Repeats and Companion
// count. relaid says that the updates may be had in the order that ss and sr+ss want, which costs
// no timed call anything; else these two are left out. Close ends it. Errors wrap ErrStream, or are
// those of package driver or of the context.
func NewBench(ctx context.Context, g driver.GPU, s Stream, call device.Call, relaid bool,
	o Options) (b *Bench, err error) {
	if len(s.Indices) == 0 {
		return nil, fmt.Errorf("%w: %s: no updates, so that there is nothing to time", ErrStream, s.Name)
	}
	o.Types, o.Keeps, o.Launches = []device.Type{call.Type}, call.Keeps, true
	c := newSuite(g.Describe(), o)
	c.calls, c.allLaunched, c.asGiven = []device.Call{call}, true, !relaid
	in, err := c.inputOf(s.Name, s.Name, s.Indices, s.Bins)
	if err != nil {
		return nil, err
	}
	m := &measurement{Session: driver.NewSession(ctx, g), ctx: ctx, suite: c, in: in}
	b = &Bench{m: m, call: call, end: m.Scope()}
	if c.companion != nil {
		if m.file, err = writeIndices(s.Indices); err != nil {
			return nil, err
		}
	}
	m.load()
	m.typed = typeMemory{t: call.Type, target: m.Alloc(s.Bins * uint64(call.Type.Bytes()))}
	if m.Err() != nil {
		return nil, errors.Join(m.Err(), b.Close())
	}
	return b, nil
}

// Close frees what the bench holds on the GPU, and ends the companion.
func (b *Bench) Close() (err error) {
	b.end()
	b.m.suite.companion.close()
	if b.m.file != "" {
		err = os.Remove(b.m.file)
	}
	return err
}

// Stats are the exact statistics of the stream, of warps of 32 and blocks of 256.
func (b *Bench) Stats() *collision.Stats { return &b.m.in.stats }

// Limits are those of the GPU.
func (b *Bench) Limits() device.Limits { return b.m.suite.limits }

// Implementations lists what can be timed: what has kernels that the GPU can run on this stream, or
// what the companion measures.
func (b *Bench) Implementations() (list []variant.Variant) {
	for _, v := range b.m.suite.asked(b.call) {
		if b.Lacks(v, device.Launch{}) == "" && b.m.suite.runs(v, b.call, b.m.in) {
			list = append(list, v)
		}
	}
	return list
}

// Lacks says why an implementation cannot be timed in a launch, "" where it can. It does not ask
// what registers hold.
func (b *Bench) Lacks(v variant.Variant, fixed device.Launch) string {
	switch {
	case v.Scatter && b.m.suite.asGiven:
		return "it takes updates that the host has re-laid"
	case inLibrary(v) && b.m.suite.companion == nil:
		return "it is no kernel of this program, but the companion's"
	case inLibrary(v):
		return ""
	}
	c := kernels.Call{Implementation: v, Does: b.call, Fixed: fixed, Bins: b.m.in.bins,
		Updates: b.m.updates()}
	return c.Lacks(&b.m.suite.device)
}

// Fits reports whether an implementation can be timed in a launch that is not the rule's. It loads
// the kernel.
func (b *Bench) Fits(v variant.Variant, fixed device.Launch) bool {
	return b.m.OK() && b.m.fits(b.call, v, fixed)
}

// Launches lists the launches beside the rule's in which an implementation can be timed. It loads
// their kernels.
func (b *Bench) Launches(v variant.Variant) []device.Launch { return b.m.launches(b.call, v) }

// Time times a call in a launch, the zero one for the rule's, and checks its result. It says what
// is wrong with that, "" for nothing. An error that wraps driver.ErrMemory or kernels.ErrShape is of
// this call alone; after any other nothing more can be timed.
func (b *Bench) Time(v variant.Variant, fixed device.Launch) (c recordings.Call, wrong string,
	err error) {
	b.m.result.Calls, b.m.result.Wrong = nil, nil
	err = b.m.Attempt(func() {
		if b.m.OK() {
			b.m.measure(b.call, v, fixed)
		}
	}, driver.ErrMemory, kernels.ErrShape)
	if err != nil {
		return c, "", err
	}
	if len(b.m.result.Wrong) > 0 {
		wrong = b.m.result.Wrong[0]
	}
	return b.m.result.Calls[0], wrong, nil
}
