package probe

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// callRun is one stream on one GPU.
type callRun struct {
	suite  *callSuite
	g      GPU
	in     *callInput
	stream *streamMemory
	file   string // the indices, for the companion
}

// run measures every kind of call in every implementation on the stream. Beside an
// error stands what was measured before.
func (c *callSuite) run(ctx context.Context, g GPU, in *callInput) (result Result, err error) {
	r := &callRun{suite: c, g: g, in: in}
	if r.stream, err = loadStream(g, in, c.flatBlocks(uint64(len(in.indices)))); err != nil {
		return Result{}, err
	}
	defer r.stream.free()
	if c.companion != nil {
		if r.file, err = writeIndices(in.indices); err != nil {
			return Result{}, err
		}
		defer removeFile(&err, r.file)
	}
	for _, t := range device.Types() {
		if err := r.runType(ctx, t, &result); err != nil {
			return result, err
		}
	}
	result.Stream = &StreamStats{Label: in.label, Stats: in.stats}
	return result, nil
}

// runType measures the kinds of call on targets of one type.
func (r *callRun) runType(ctx context.Context, t device.Type, result *Result) error {
	m := &typeMemory{pool: pool{g: r.g}, t: t}
	defer m.free()
	for _, kind := range r.suite.kinds {
		if kind.Type != t {
			continue
		}
		if m.target.Address == 0 {
			var err error
			if m.target, err = m.alloc(r.in.bins * uint64(t.Bytes())); err != nil {
				return err
			}
		}
		for _, v := range r.suite.asked(kind) {
			if !r.suite.runs(v, t, r.in.bins) || (v.Base == variant.SegReduce && !r.in.stats.Grouped()) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := r.measure(ctx, m, kind, v, result); err != nil {
				return fmt.Errorf("%s %s %s: %w", kind.Type, kind.Operand, v, err)
			}
		}
	}
	return nil
}

// measure adds one call to the result.
func (r *callRun) measure(ctx context.Context, m *typeMemory, kind device.Call, v variant.Variant, result *Result) error {
	call := recordings.Call{
		Label: r.in.label, Updates: uint64(len(r.in.indices)), Bins: r.in.bins, Call: kind,
		Implementation: v, Origin: recordings.Measured,
	}
	var wrong string
	var err error
	switch {
	case v.Base != variant.Sort && v.Base != variant.SegReduce:
		wrong, err = r.measureKernels(ctx, m, &call)
	case r.suite.companion != nil:
		wrong, err = r.measureByCompanion(ctx, &call)
	default:
		err = r.predict(&call)
	}
	if err != nil {
		return err
	}
	if wrong != "" {
		result.Wrong = append(result.Wrong, fmt.Sprintf("%s: %s %s %s: %s", call.Label, kind.Type, kind.Operand, v, wrong))
	}
	result.Calls = append(result.Calls, call)
	return nil
}

// measureKernels times the call's kernels and has the device check what the
// last repeat left. wrong says what is wrong, "" for nothing.
func (r *callRun) measureKernels(ctx context.Context, m *typeMemory, call *recordings.Call) (wrong string, err error) {
	var own pool
	own.g = r.g
	defer own.free()
	l, err := r.launches(m, &own, call)
	if err != nil {
		return "", err
	}
	us, err := r.suite.timeCalls(ctx, r.g, func() error { return l.enqueue(r.g) })
	if err != nil {
		return "", err
	}
	call.MedianUS, call.MinUS, call.MaxUS, call.Repeats = middle(us), us[0], us[len(us)-1], len(us)
	wrong, err = r.check(m, call.Call, call.Implementation)
	call.Correct = wrong == ""
	return wrong, err
}

// flatBlocks is the grid of kernels that go over so many items once: no more
// blocks of 256 threads than the device holds.
func (c *callSuite) flatBlocks(items uint64) int {
	held := uint64(max(1, c.limits.SMs*c.limits.MaxWarps*c.limits.WarpLanes/256))
	return int(max(1, min(held, (items+255)/256)))
}

// keyBits is the number of low bits that tell the targets apart.
func keyBits(bins uint64) int { return max(1, bits.Len64(bins-1)) }
