package probe

import (
	"context"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/datasets/recordings"
)

const (
	warpLanes    = 32
	blockThreads = 1024 // of a block that is to keep an SM busy
	chainLength  = 64   // operations between two readings of the clock
)

// Units of readings.
const (
	unitUS    = "us"
	unitNS    = "ns"
	unitCycle = "cycle"
	unitRate  = "byte/s"
)

// bench measures single quantities for one job.
type bench struct {
	pool
	ctx      context.Context
	device   Description
	suite    string
	repeats  int
	quick    bool
	readings []recordings.Reading
	warnings []string
}

// benchJob is a job that measures single quantities.
func benchJob(d Description, o Options, suite, key string, measure func(b *bench) error) Job {
	return Job{Suite: suite, Key: key, Run: func(ctx context.Context, g GPU, _ any) (Result, error) {
		b := newBench(ctx, g, d, o, suite)
		defer b.free()
		err := measure(b)
		return Result{Readings: b.readings, Warnings: b.warnings}, err
	}}
}

func newBench(ctx context.Context, g GPU, d Description, o Options, suite string) *bench {
	return &bench{pool: pool{g: shapes{g, map[string]Launch{}}}, ctx: ctx, device: d, suite: suite, repeats: benchRepeats(o), quick: o.Quick}
}

func benchRepeats(o Options) int {
	switch {
	case o.Repeats > 0:
		return o.Repeats
	case o.Quick:
		return 3
	}
	return 5
}

// benchKernel is a kernel with the module where it stands.
type benchKernel struct {
	Kernel
	module string
}

func (b *bench) kernel(module, name string) (benchKernel, error) {
	k, err := b.g.Kernel(module, name)
	return benchKernel{k, module}, err
}

// zeros returns so many bytes of device memory that are zero.
func (b *bench) zeros(bytes uint64) (Memory, error) {
	m, err := b.alloc(bytes)
	if err != nil {
		return m, err
	}
	return m, b.g.Clear(m, m.Bytes)
}

// repeat calls measure once for each repeat, from 0 on.
func (b *bench) repeat(measure func(repeat int) (float64, error)) ([]float64, error) {
	values := make([]float64, b.repeats)
	for r := range values {
		if err := b.ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		if values[r], err = measure(r); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// note keeps a reading: the median of the values, with the least and the greatest.
// The kernel is empty where none ran, and otherwise that which was launched last of
// its name.
func (b *bench) note(name, parameters string, values []float64, unit string, k benchKernel) {
	r := recordings.Reading{
		Suite: b.suite, Name: name, Parameters: parameters, Unit: unit, Repeats: len(values),
		Value: median(values), Low: slices.Min(values), High: slices.Max(values),
	}
	if k.Kernel != nil {
		r.Kernel = k.Name()
		r.Instruction, r.Launch, r.Unroll = b.how(k)
	}
	b.readings = append(b.readings, r)
}

// median is that of at least one number. The numbers stay as they are.
func median(values []float64) float64 { return middle(slices.Sorted(slices.Values(values))) }

// skip says what the device cannot do, and so is not measured.
func (b *bench) skip(format string, args ...any) {
	b.warnings = append(b.warnings, fmt.Sprintf("suite %s: %s", b.suite, fmt.Sprintf(format, args...)))
}

// capable tells whether the device has the compute capability that the thing
// needs, and skips it if not.
func (b *bench) capable(major int, thing string) bool {
	if b.device.Major >= major {
		return true
	}
	b.skip("%s needs compute capability %d.0, the device has %d.%d", thing, major, b.device.Major, b.device.Minor)
	return false
}

// powers returns from, from*factor and so on, up to to.
func powers(from, to, factor uint64) []uint64 {
	var all []uint64
	for n := from; n <= to; n *= factor {
		all = append(all, n)
	}
	return all
}

// pick is full, or quick for a quick run.
func pick[T any](b *bench, full, quick T) T {
	if b.quick {
		return quick
	}
	return full
}
