// Package micro measures single quantities of a GPU: what launches, memories, warp
// instructions and atomics cost, and the hardware counters of some launches.
package micro

import (
	"context"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/cuda/ptx"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/probe/gpu"
	"github.com/atomtune/atomtune/probe/job"
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

// Options say how much is measured.
type Options struct {
	Quick   bool
	Repeats int // 0: 3 when quick, else 5
}

// measurement is a job of a suite.
type measurement struct {
	key     string
	measure func(*bench)
}

// suites are all suites of single quantities in the order in which they run.
var suites = []struct {
	name         string
	measurements func() []measurement
}{
	{"device", deviceSuite},
	{"call", callSuite},
	{"memory", memorySuite},
	{"warp", warpSuite},
	{"shared", sharedSuite},
	{"scratchpad", scratchpadSuite},
	{"global", globalSuite},
	{"instruction", instructionSuite},
}

// Suites returns the names of the suites in the order in which they run.
func Suites() []string {
	var names []string
	for _, s := range suites {
		names = append(names, s.name)
	}
	return names
}

// Jobs returns the jobs of a suite.
func Jobs(suite string, d gpu.Description, o Options) []job.Job {
	var jobs []job.Job
	for _, s := range suites {
		if s.name != suite {
			continue
		}
		for _, m := range s.measurements() {
			run := func(ctx context.Context, g gpu.GPU, _ any) (job.Result, error) {
				b := newBench(ctx, g, d, o, suite)
				defer b.Scope()()
				m.measure(b)
				return b.result, b.Err()
			}
			jobs = append(jobs, job.Job{Suite: suite, Key: m.key, Run: run})
		}
	}
	return jobs
}

// bench measures single quantities for one job.
type bench struct {
	*gpu.Session
	device  gpu.Description
	suite   string
	repeats int
	quick   bool
	shapes  map[string]gpu.Launch // of the last launch of each kernel
	result  job.Result
}

func newBench(ctx context.Context, g gpu.GPU, d gpu.Description, o Options, suite string) *bench {
	b := &bench{
		Session: gpu.NewSession(ctx, g), device: d, suite: suite, repeats: o.Repeats, quick: o.Quick,
		shapes: map[string]gpu.Launch{},
	}
	if b.repeats == 0 {
		b.repeats = pick(b, 5, 3)
	}
	return b
}

// Launch enqueues a kernel and keeps its shape for the reading.
func (b *bench) Launch(k gpu.Kernel, l gpu.Launch, args ...any) {
	if k != nil {
		b.shapes[k.Name()] = l
	}
	b.Session.Launch(k, l, args...)
}

// repeat calls measure once for each repeat, from 0 on.
func (b *bench) repeat(measure func(repeat int) float64) []float64 {
	return b.Repeat(b.repeats, measure)
}

// note keeps a reading: the median of the values, with the least and the greatest.
// The kernel is nil where none ran.
func (b *bench) note(name, parameters string, values []float64, unit string, k gpu.Kernel) {
	if b.Err() != nil {
		return
	}
	r := recordings.Reading{
		Suite: b.suite, Name: name, Parameters: parameters, Unit: unit, Repeats: len(values),
		Value: job.Median(values), Low: slices.Min(values), High: slices.Max(values),
	}
	if k != nil {
		r.Kernel, r.Instruction = k.Name(), ptx.Atomics(k.Module(), k.Name())
		r.Launch, r.Unroll = b.shapes[k.Name()].String(), unrollOf(k.Name())
	}
	b.result.Readings = append(b.result.Readings, r)
}

// skip says what the device cannot do, and so is not measured.
func (b *bench) skip(format string, args ...any) {
	b.result.Warnings = append(b.result.Warnings, fmt.Sprintf("suite "+b.suite+": "+format, args...))
}

// capable tells whether the device has the compute capability that the thing
// needs, and skips it if not.
func (b *bench) capable(major int, thing string) bool {
	if b.device.Major < major {
		b.skip("%s needs compute capability %d.0, the device has %s", thing, major, b.device.Capability())
	}
	return b.device.Major >= major
}

func (b *bench) sms() int { return int(b.device.Attribute("sm_count")) }

func (b *bench) sharedLimit() uint64 { return sharedLimit(b.device) }

// sharedLimit is the shared memory that a block can get.
func sharedLimit(d gpu.Description) uint64 { return uint64(d.Attribute("shared_bytes_per_block")) }

// blocksAlone is a launch whose blocks have an SM each to themselves: a block takes
// all the shared memory that it can get.
func (b *bench) blocksAlone(blocks, threads int) gpu.Launch {
	return gpu.Launch{Blocks: blocks, Threads: threads, SharedBytes: b.sharedLimit()}
}

// memoryLimit is the most memory that a measurement takes on the device: an eighth
// of all.
func (b *bench) memoryLimit() uint64 {
	if all := b.device.Attribute("global_bytes"); all > 0 {
		return uint64(all) / 8
	}
	return 1 << 62
}

// pick is full, or quick for a quick run.
func pick[T any](b *bench, full, quick T) T {
	if b.quick {
		return quick
	}
	return full
}

// powers returns from, from*factor and so on, up to to.
func powers(from, to, factor uint64) []uint64 {
	var all []uint64
	for n := from; n <= to; n *= factor {
		all = append(all, n)
	}
	return all
}

// scaled returns the values times a factor.
func scaled(values []float64, factor float64) []float64 {
	all := make([]float64, len(values))
	for i, v := range values {
		all[i] = factor * v
	}
	return all
}

// each makes a measurement of every operation.
func each(prefix string, operations []string, measure func(b *bench, op string)) []measurement {
	var all []measurement
	for _, op := range operations {
		all = append(all, measurement{prefix + op, func(b *bench) { measure(b, op) }})
	}
	return all
}

// deviceSuite notes what the driver says of the GPU.
func deviceSuite() []measurement {
	return []measurement{{"attributes", func(b *bench) {
		for _, a := range b.device.Attributes {
			b.note(a.Name, "", []float64{a.Value}, a.Unit, nil)
		}
	}}}
}
