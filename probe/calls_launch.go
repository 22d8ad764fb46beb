package probe

import (
	"fmt"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// callLaunches is what one call enqueues: the targets are cleared, then the
// kernels run.
type callLaunches struct {
	target  Memory
	bytes   uint64 // of the targets
	kernels []callKernel
}

type callKernel struct {
	kernel Kernel
	shape  Launch
	args   []any
}

func (l *callLaunches) enqueue(g GPU) error {
	if err := g.Clear(l.target, l.bytes); err != nil {
		return err
	}
	for _, k := range l.kernels {
		if err := g.Launch(k.kernel, k.shape, k.args...); err != nil {
			return err
		}
	}
	return nil
}

// arranged tells in which order an implementation performs the updates.
func arranged(v variant.Variant) arrangement {
	switch {
	case v.Scatter && v.Reduction == variant.SR:
		return dealtByWarp
	case v.Scatter:
		return dealt
	}
	return asGiven
}

// launches puts the call's kernels together and notes their shape in call. The
// memory that only this call needs comes from own.
func (r *callRun) launches(m *typeMemory, own *pool, call *recordings.Call) (*callLaunches, error) {
	v, t := call.Implementation, call.Call.Type
	module, name := updateKernel(v, call.Call)
	k, err := r.g.Kernel(module, name)
	if err != nil {
		return nil, err
	}
	shape, err := r.suite.shape(r.g, k, v, t, call.Bins, call.Updates)
	if err != nil {
		return nil, err
	}
	call.Kernel, call.Blocks, call.Threads = name, uint64(shape.Blocks), uint64(shape.Threads)
	call.SharedBytes = shape.SharedBytes
	l := &callLaunches{target: m.target, bytes: call.Bins * uint64(t.Bytes())}
	args, err := r.updateArgs(m, call.Call, arranged(v))
	if err != nil {
		return nil, err
	}
	bins := uint32(call.Bins) // copies of more do not fit
	switch v.Base {
	case variant.Private:
		args = append(args, bins, uint32(v.R()), uint32(v.Pad), uint32(v.Map))
	case variant.ThreadPrivate:
		partial, err := own.alloc(l.bytes * call.Blocks)
		if err != nil {
			return nil, err
		}
		sum, err := r.g.Kernel(module, "sum_partials_"+kernelType(t))
		if err != nil {
			return nil, err
		}
		args[0] = partial
		args = append(args, bins)
		l.kernels = append(l.kernels, callKernel{k, shape, args}, callKernel{
			sum, Launch{Blocks: int(bins+7) / 8, Threads: 256}, []any{m.target, partial, bins, uint32(call.Blocks)},
		})
		return l, nil
	}
	l.kernels = append(l.kernels, callKernel{k, shape, args})
	return l, nil
}

// updateArgs are the arguments that all updating kernels begin with: targets,
// old values where they are returned, indices, values unless they are one, and
// the number of updates.
func (r *callRun) updateArgs(m *typeMemory, c device.Call, a arrangement) ([]any, error) {
	updates := uint64(len(r.in.indices))
	args := []any{m.target}
	if c.Returns {
		old, err := m.oldFor(updates)
		if err != nil {
			return nil, err
		}
		args = append(args, old)
	}
	args = append(args, r.stream.index[a])
	if c.Operand == device.Loaded {
		values, err := m.valuesIn(a, r.stream, updates, r.suite.flatBlocks(updates))
		if err != nil {
			return nil, err
		}
		args = append(args, values)
	}
	return append(args, updates), nil
}

// shape is the launch that device.Limits.Shape rules, on a device whose
// registers or reserved shared memory hold fewer blocks with fewer of them.
func (c *callSuite) shape(g GPU, k Kernel, v variant.Variant, t device.Type, bins, updates uint64) (Launch, error) {
	s := c.limits.Shape(v, t, bins, updates)
	perSM, err := g.Resident(k, s.Threads, s.SharedBytes)
	if err != nil {
		return Launch{}, err
	}
	if perSM < 1 {
		return Launch{}, fmt.Errorf("%w: no block of %d threads and %d bytes of shared memory of %s runs on an SM",
			ErrShape, s.Threads, s.SharedBytes, k.Name())
	}
	blocks := min(s.Blocks, uint64(perSM*c.limits.SMs))
	return Launch{Blocks: int(blocks), Threads: s.Threads, SharedBytes: s.SharedBytes}, nil
}
