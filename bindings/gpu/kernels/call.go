package kernels

import (
	"errors"
	"fmt"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

var (
	ErrNone  = errors.New("no such kernels")
	ErrShape = errors.New("kernel does not fit") // no block of it runs on an SM
)

// Call is one call on data in device memory.
type Call struct {
	Implementation impl.Spec
	Does           device.Call
	Fixed          device.Launch // what is fixed of the launch of the main kernel
	Bins, Updates  uint64
	Target         driver.Memory // Bins elements, to which the call adds
	Old            driver.Memory // gets an element for each update; where the call returns old values
	Index          driver.Memory // u32, each below Bins
	Values         driver.Memory // of the updates; where the call loads them
	Tags           driver.Memory // of hot targets that are known: impl.Tags
}

type Step struct {
	Kernel driver.Kernel
	Launch device.Shape
	Args   []any
}

type Steps []Step

func (l Steps) Enqueue(s *driver.Session) {
	for _, step := range l {
		s.Launch(step.Kernel, step.Launch, step.Args...)
	}
}

// Limits are the numbers of a device that shape a launch, as its driver says them.
func Limits(d *driver.Description) device.Limits {
	number := func(name string) int { return int(d.Attribute(name)) }
	lanes := max(1, number("warp_lanes"))
	return device.Limits{
		SMs: number("sm_count"), WarpLanes: lanes, MaxWarps: number("max_threads_per_sm") / lanes,
		MaxBlocks: number("max_blocks_per_sm"), MaxThreadsPerBlock: number("max_threads_per_block"),
		SharedBytesPerSM: uint64(number("shared_bytes_per_sm")),
		SharedBytes:      uint64(number("shared_bytes_per_block")),
	}
}

// Lacks returns why a device cannot run the call, "" if it can.
func (c *Call) Lacks(d *driver.Description) (why string) {
	v, t, l := c.Implementation, c.Does.Type, Limits(d)
	capability := 10*d.Major + d.Minor
	k, there := Update(v, c.Does, c.Fixed.Unroll)
	bytes := v.SharedBytes(c.Bins, t.Bytes())
	switch {
	case !there && c.Fixed.Unroll > 1:
		return fmt.Sprintf("there is no kernel of it with unroll %d", c.Fixed.Unroll)
	case !there:
		return "there are no kernels of it"
	case capability < k.Target:
		return fmt.Sprintf("it takes compute capability %d.%d", k.Target/10, k.Target%10)
	case bytes > l.SharedBytes:
		return fmt.Sprintf("it takes %d bytes of shared memory, of %d", bytes, l.SharedBytes)
	case v.Site() == impl.PerThread &&
		impl.ThreadPrivateThreads(c.Bins, t.Bytes(), l.WarpLanes, l.SharedBytes) == 0:
		return fmt.Sprintf("copies of %d targets for each thread of a warp do not fit", c.Bins)
	}
	return l.Lacks(v, t, c.Bins, c.Fixed)
}

// Prepare loads the kernels and allocates what they need besides. It returns the step of the kernel of the
// implementation's name and all steps in their order. The targets are not cleared.
// Copies of each thread leave partial sums of each block, which a second kernel adds. Errors are
// the session's, and wrap ErrNone, ErrShape or those of package driver.
func (c *Call) Prepare(s *driver.Session, l device.Limits) (main Step, all Steps) {
	v := c.Implementation
	k, shape, perSM := c.main(s, l)
	if s.Err() == nil && perSM < 1 {
		s.Fail(fmt.Errorf("%w: no block of %d threads and %d bytes of shared memory of %s runs on an SM",
			ErrShape, shape.Threads, shape.SharedBytes, k.Name()))
	}
	if s.Err() != nil {
		return Step{}, nil
	}
	main = Step{k, shape, c.arguments()}
	bins := uint32(c.Bins) // copies of more do not fit
	var before, after []Step
	switch {
	case v.Slots > 0:
		tags := c.Tags
		if v.Sample > 0 {
			tags = s.Alloc(4 * uint64(v.Slots))
			before = []Step{c.sample(s, l, tags)}
		}
		main.Args = append(main.Args, tags, uint32(v.Slots), uint32(v.R()))
	case v.Site() == impl.PerBlock:
		main.Args = append(main.Args, bins, uint32(v.R()), uint32(v.Pad), uint32(v.Map))
		if v.G() > 1 {
			main.Args = append(main.Args, uint32(v.G()))
		}
	case v.Site() == impl.PerThread:
		blocks := main.Launch.Blocks
		partial := s.Alloc(c.Bins * uint64(c.Does.Type.Bytes()) * blocks)
		main.Args[0] = partial
		main.Args = append(main.Args, bins)
		after = []Step{{s.Kernel(k.Module(), "sum_partials_"+Type(c.Does.Type)),
			device.Shape{Blocks: uint64(bins+7) / 8, Threads: driver.FlatThreads},
			[]any{c.Target, partial, bins, uint32(blocks)}}}
	}
	return main, append(append(before, main), after...)
}

// arguments are those that all updating kernels begin with: targets, old values where they are
// returned, indices, values unless they are one, and the number of updates.
func (c *Call) arguments() []any {
	args := []any{c.Target}
	if c.Does.Returns {
		args = append(args, c.Old)
	}
	args = append(args, c.Index)
	if c.Does.Operand == device.Loaded {
		args = append(args, c.Values)
	}
	return append(args, c.Updates)
}

// sample looks for the hot targets in a sample of the stream.
func (c *Call) sample(s *driver.Session, l device.Limits, tags driver.Memory) Step {
	v := c.Implementation
	return Step{s.Kernel(all()[sampleKernel].Module, sampleKernel), l.SampleShape(v),
		[]any{tags, c.Index, c.Updates, uint32(v.Slots), uint32(v.Sample)}}
}

// Fits reports whether an SM holds a block of the main kernel. Errors are the session's.
func (c *Call) Fits(s *driver.Session, l device.Limits) bool {
	_, _, perSM := c.main(s, l)
	return s.Err() == nil && perSM > 0
}

// main returns the main kernel, its launch that device.Limits.Shape rules, on a device whose registers or
// reserved shared memory hold fewer blocks with fewer of them where they are not fixed, and how many of them
// an SM holds.
func (c *Call) main(s *driver.Session, l device.Limits) (driver.Kernel, device.Shape, int) {
	known, there := Update(c.Implementation, c.Does, c.Fixed.Unroll)
	if !there {
		s.Fail(fmt.Errorf("%w: of %s", ErrNone, c.Implementation))
		return nil, device.Shape{}, 0
	}
	k := s.Kernel(known.Module, known.Name)
	shape := l.Shape(c.Implementation, c.Does, c.Bins, c.Updates, c.Fixed)
	perSM := s.Resident(k, shape.Threads, shape.SharedBytes)
	if c.Fixed.Blocks == 0 {
		shape.Blocks = min(shape.Blocks, uint64(perSM*l.SMs))
	}
	return k, shape, perSM
}
