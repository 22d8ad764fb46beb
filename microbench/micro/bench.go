// Package micro measures single quantities of a GPU: what launches, memories, warp
// instructions and atomics cost, and the hardware counters of some launches.
//
// To add a measurement: its kernel in bindings/cuda/kernels, then script/ptx where nvcc is installed, its row in
// bindings/cuda/ptx/expected_test.go, a suite here, and an estimator in package fit.
package micro

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/bindings/cuda/ptx"
	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/microbench/job"
)

const (
	warpLanes    = 32
	blockThreads = 1024 // of a block that is to keep an SM busy
	chainLength  = 64   // operations between two readings of the clock
)

// Options say how much is measured.
type Options struct {
	Quick   bool
	Repeats int // 0: 3 when quick, else 5
}

// row is some jobs of a suite that measure alike: one of each operation, by the key
// prefix + operation, or a single one.
type row struct {
	suite, prefix string
	operations    []string
	measure       func(b *bench, operation string)
}

var bandwidths = []string{"copy_bandwidth", "read_bandwidth", "atomic_kernel_bandwidth"}

var once = []string{""}

// rows are all jobs in the order in which they run.
var rows = []row{
	{"device", "attributes", once, (*bench).attributes},
	{"call", "sm_clock", once, (*bench).clock},
	{"call", "empty_kernels", once, (*bench).emptyKernels},
	{"call", "clear_kernel", once, (*bench).clearKernel},
	{"call", "dependent_kernels", once, (*bench).dependentKernels},
	{"call", "host_relayout", once, func(b *bench, _ string) { b.hostRelayout(1 << 20) }},
	{"memory", "", bandwidths, (*bench).bandwidth},
	{"memory", "load_latency", once, (*bench).loadLatency},
	{"warp", "", []string{"latency", "throughput"}, (*bench).warpInstructions},
	{"warp", "barrier", once, (*bench).barriers},
	{"warp", "issue", once, (*bench).issue},
	{"shared", "throughput ", sharedOperations, (*bench).sharedThroughput},
	{"shared", "contention ", contendedOperations, (*bench).sharedContention},
	{"scratchpad", "", scratchpadColumns, (*bench).scratchpad},
	{"global", "chain ", chainOperations, (*bench).globalChain},
	{"global", "throughput ", spreads, (*bench).globalThroughput},
	{"global", "footprint ", []string{"u32", "f32", "f64"}, (*bench).footprint},
	{"returns", "", []string{"u32", "f32", "u64", "f64"}, (*bench).returns},
	{"instruction", "chain ", writtenOperations, (*bench).instructionChains},
	{"instruction", "throughput ", writtenOperations, (*bench).instructionThroughputs},
}

// Suites returns the names of the suites in the order in which they run.
func Suites() []string {
	var names []string
	for _, r := range rows {
		names = append(names, r.suite)
	}
	return slices.Compact(names)
}

func Jobs(suite string, d driver.Description, o Options) []job.Job {
	var jobs []job.Job
	for _, r := range rows {
		for _, op := range r.operations {
			run := func(ctx context.Context, g driver.GPU, _ any) (job.Result, error) {
				b := newBench(ctx, g, d, o, suite)
				defer b.Scope()()
				r.measure(b, op)
				return b.result, b.Err()
			}
			if r.suite == suite {
				jobs = append(jobs, job.Job{Suite: suite, Key: r.prefix + op, Run: run})
			}
		}
	}
	return jobs
}

// bench measures single quantities for one job.
type bench struct {
	*driver.Session
	device  driver.Description
	suite   string
	repeats int
	quick   bool
	result  job.Result
}

func newBench(ctx context.Context, g driver.GPU, d driver.Description, o Options, suite string) *bench {
	b := &bench{Session: driver.NewSession(ctx, g), device: d, suite: suite, quick: o.Quick}
	b.repeats = cmp.Or(o.Repeats, pick(b, 5, 3))
	return b
}

// note keeps a reading, a name and its parameters: the median of the values, with the least and the
// greatest. The kernel is nil where none ran.
func (b *bench) note(reading, unit string, k driver.Kernel, l device.Shape, values []float64) {
	if !b.OK() {
		return
	}
	name, parameters, _ := strings.Cut(reading, " ")
	r := recordings.Reading{
		Suite: b.suite, Name: name, Parameters: parameters, Unit: unit, Repeats: len(values),
		Value: quantile.Of(values, 0.5), Low: slices.Min(values), High: slices.Max(values),
	}
	if k != nil {
		r.Kernel, r.Instruction = k.Name(), ptx.Atomics(k.Module(), k.Name())
		r.Launch, r.Unroll = l.Recorded(), unrollOf(k.Name())
	}
	b.result.Readings = append(b.result.Readings, r)
}

// skip says what the device cannot do, and so is not measured.
func (b *bench) skip(format string, args ...any) {
	b.result.Warnings = append(b.result.Warnings, fmt.Sprintf("suite "+b.suite+": "+format, args...))
}

// capable reports whether the device has the compute capability that a thing needs, and
// skips it if not.
func (b *bench) capable(major int, thing string) bool {
	if b.device.Major < major {
		b.skip("%s needs compute capability %d.0, the device has %s", thing, major, b.device.Capability())
	}
	return b.device.Major >= major
}

func (b *bench) sms() int { return int(b.device.Attribute("sm_count")) }

func sharedLimit(d driver.Description) uint64 { return uint64(d.Attribute("shared_bytes_per_block")) }

// blocksAlone is a launch whose blocks have an SM each to themselves: a block takes
// all the shared memory that it can get.
func (b *bench) blocksAlone(blocks, threads int) device.Shape {
	return device.Shape{Blocks: uint64(blocks), Threads: threads, SharedBytes: sharedLimit(b.device)}
}

// memoryLimit is the most memory that a measurement takes on the device: an eighth of all.
func (b *bench) memoryLimit() uint64 {
	if all := b.device.Attribute("global_bytes"); all > 0 {
		return uint64(all) / 8
	}
	return 1 << 62
}

func pick[T any](b *bench, full, quick T) T {
	if b.quick {
		return quick
	}
	return full
}

func powers(from, to, factor uint64) []uint64 {
	var all []uint64
	for n := from; n <= to; n *= factor {
		all = append(all, n)
	}
	return all
}

func (b *bench) attributes(string) {
	for _, a := range b.device.Attributes {
		b.note(a.Name, a.Unit, nil, device.Shape{}, []float64{a.Value})
	}
}

// unrolls are how many operations of a warp are in one iteration of the loop of the kernels of that
// prefix, as bindings/cuda/kernels writes them; others have no loop. No prefix begins another.
var unrolls = map[string]int{
	"warp_chain_": 64, "warp_barrier": 64, "warp_throughput_": 4 * 32, "warp_issue_": 8 * 16,
	"scratchpad_": 8, "shared_throughput_": 8, "shared_contention_": 1, "global_chain_": 8,
	"global_throughput_": 4, "global_returns_": 8, "instruction_": 8, "copy_words": 8, "read_words": 8,
	"read_and_add": 8, "chase": 8,
}

func unrollOf(kernel string) int {
	for prefix, operations := range unrolls {
		if strings.HasPrefix(kernel, prefix) {
			return operations
		}
	}
	return 0
}

// operand is a value of the type with which an operation's name begins, as the argument
// of a kernel.
func operand(operation string, value uint32) any {
	switch operation[:3] {
	case "i32":
		return int32(value)
	case "f32":
		return float32(value)
	case "u64":
		return uint64(value)
	case "i64":
		return int64(value)
	case "f64":
		return float64(value)
	}
	return value
}

func elementBytes(operation string) uint64 {
	if operation[1:3] == "64" {
		return 8
	}
	return 4
}
