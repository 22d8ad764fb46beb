package calls

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/gpu/driver"
	"github.com/atomtune/atomtune/probe/job"
	"github.com/atomtune/atomtune/variant"
)

// ErrShape reports a kernel of which no block fits an SM.
var ErrShape = errors.New("kernel does not fit")

// measurement is that of one stream.
type measurement struct {
	*driver.Session
	ctx    context.Context
	suite  *suite
	in     *input
	result job.Result
	file   string // the indices, for the companion
	// The stream in device memory: the indices in each arrangement, the orders that led
	// there, null as given, what the targets must hold, and 16 bytes for a check.
	index, order           [arrangements]driver.Memory
	sums, counts, verdicts driver.Memory
	known                  map[int]driver.Memory // tags of hot targets, by the number of slots
	typed                  typeMemory            // of the type that is measured
}

// run measures every call in every implementation on the stream. Beside an error
// stands what was measured before.
func (c *suite) run(ctx context.Context, g driver.GPU, in *input) (_ job.Result, err error) {
	m := &measurement{Session: driver.NewSession(ctx, g), ctx: ctx, suite: c, in: in}
	defer m.Scope()()
	if m.load(); m.Err() != nil {
		return m.result, m.Err()
	}
	if c.companion != nil {
		if m.file, err = writeIndices(in.indices); err != nil {
			return m.result, err
		}
		defer func() { err = errors.Join(err, os.Remove(m.file)) }()
	}
	for _, t := range device.Types() {
		if err := m.measureType(t); err != nil {
			return m.result, err
		}
	}
	m.result.Stream = &job.Stream{Label: in.label, Stats: in.stats}
	return m.result, nil
}

// measureType measures the calls on targets of one type.
func (m *measurement) measureType(t device.Type) error {
	defer m.Scope()()
	m.typed = typeMemory{t: t}
	for _, call := range m.suite.calls {
		if call.Type != t {
			continue
		}
		if m.typed.target.Address == 0 {
			m.typed.target = m.Alloc(m.in.bins * uint64(t.Bytes()))
		}
		for _, v := range m.suite.asked(call) {
			if !m.suite.runs(v, call, m.in) {
				continue
			}
			if !m.OK() {
				return m.Err()
			}
			if m.measureLaunches(call, v); m.Err() != nil {
				return fmt.Errorf("%s %s %s: %w", t, call.Operand, v, m.Err())
			}
		}
	}
	return m.Err()
}

// measure adds one call in that launch to the result.
func (m *measurement) measure(c device.Call, v variant.Variant, fixed device.Launch) {
	call := recordings.Call{
		Label: m.in.label, Updates: m.updates(), Bins: m.in.bins, Call: c, Implementation: v,
		Origin: recordings.Measured, Fixed: fixed != device.Launch{},
	}
	wrong := ""
	switch {
	case !inLibrary(v):
		wrong = m.measureKernels(&call, fixed)
		call.Correct = wrong == ""
	case m.suite.companion != nil:
		repeats := 9 // sorts take in proportion to their updates
		if call.Updates > 1<<23 {
			repeats = 3
		} else if m.suite.Quick {
			repeats = 5
		}
		repeats = cmp.Or(m.suite.Repeats, repeats)
		m.Fail(m.suite.companion.ask(m.ctx, &call, repeats, m.file))
		if !call.Correct {
			wrong = "the companion's check failed"
		}
	default:
		m.predict(&call)
	}
	if m.Err() != nil {
		return
	}
	if wrong != "" {
		wrong = fmt.Sprintf("%s: %s %s %s: %s", call.Label, c.Type, c.Operand, v, wrong)
		m.result.Wrong = append(m.result.Wrong, wrong)
	}
	m.result.Calls = append(m.result.Calls, call)
}

// measureKernels times the call's kernels and has the device check what the last repeat left. It
// says what is wrong, "" for nothing. A call clears the targets, and then its kernels run. Copies
// of each thread leave partial sums of each block, which a second kernel adds.
func (m *measurement) measureKernels(call *recordings.Call, fixed device.Launch) (wrong string) {
	v, order, unroll := call.Implementation, arrangementOf(call.Implementation), max(1, fixed.Unroll)
	name := updateKernel(v, call.Call, unroll)
	module := m.suite.kernels[name].module
	k := m.Kernel(module, name)
	shape := m.shape(k, call, fixed)
	call.Kernel, call.Blocks, call.Threads = name, uint64(shape.Blocks), uint64(shape.Threads)
	call.SharedBytes, call.Unroll = shape.SharedBytes, unroll
	args, bins := m.updateArgs(call.Call, order), uint32(call.Bins) // copies of more do not fit
	defer m.Scope()()
	target, bytes := m.typed.target, call.Bins*uint64(call.Call.Type.Bytes())
	before, sum := func() {}, func() {}
	switch site := v.Site(); {
	case v.Slots > 0:
		var tags driver.Memory
		tags, before = m.table(v, order)
		args = append(args, tags, uint32(v.Slots), uint32(v.R()))
	case site == variant.PerBlock:
		args = append(args, bins, uint32(v.R()), uint32(v.Pad), uint32(v.Map))
		if v.G() > 1 {
			args = append(args, uint32(v.G()))
		}
	case site == variant.PerThread:
		args = append(args, bins)
		args[0] = m.Alloc(bytes * call.Blocks)
		add := m.Kernel(module, "sum_partials_"+kernelType(call.Call.Type))
		sumShape := driver.Launch{Blocks: int(bins+7) / 8, Threads: driver.FlatThreads}
		sumArgs := []any{target, args[0], bins, uint32(call.Blocks)}
		sum = func() { m.Launch(add, sumShape, sumArgs...) }
	}
	update := func() {
		before()
		m.Launch(k, shape, args...)
		sum()
	}
	cleared := func() {
		m.Clear(target, bytes)
		update()
	}
	timed := cleared
	if call.Call.Keeps {
		timed = update
	}
	us := m.time(timed)
	if call.Call.Keeps { // the check needs what one call leaves
		cleared()
	}
	if m.Err() != nil {
		return ""
	}
	call.MedianUS, call.MinUS, call.MaxUS = job.Median(us), slices.Min(us), slices.Max(us)
	call.Repeats = len(us)
	return m.check(call.Call, v)
}

// table returns the tags of hot targets, and what fills them within a call: nothing where the
// targets are known, else a launch that looks for them in a sample.
func (m *measurement) table(v variant.Variant, a arrangement) (tags driver.Memory, fill func()) {
	if v.Sample == 0 {
		return m.known[v.Slots], func() {}
	}
	tags = m.Alloc(4 * uint64(v.Slots))
	s := m.suite.limits.SampleShape(v)
	shape := driver.Launch{Blocks: int(s.Blocks), Threads: s.Threads, SharedBytes: s.SharedBytes}
	k := m.Kernel(m.suite.kernels[sampleKernel].module, sampleKernel)
	return tags, func() {
		m.Launch(k, shape, tags, m.index[a], m.updates(), uint32(v.Slots), uint32(v.Sample))
	}
}

// updateArgs are the arguments that all updating kernels begin with: targets, old values where they
// are returned, indices, values unless they are one, and the number of updates.
func (m *measurement) updateArgs(c device.Call, a arrangement) []any {
	t := &m.typed
	args := []any{t.target}
	if c.Returns {
		m.allocOnce(&t.old)
		args = append(args, t.old)
	}
	args = append(args, m.index[a])
	if c.Operand == device.Loaded {
		if value := &t.value[a]; m.allocOnce(value) {
			m.launchOver(m.updates(), callModule(t.t), "make_values_"+kernelType(t.t), *value, m.order[a],
				m.updates())
		}
		args = append(args, t.value[a])
	}
	return append(args, m.updates())
}

// shape is the launch that device.Limits.Shape rules, on a device whose
// registers or reserved shared memory hold fewer blocks with fewer of them where they are not fixed.
func (m *measurement) shape(k driver.Kernel, call *recordings.Call, fixed device.Launch) driver.Launch {
	l := m.suite.limits
	s := l.Shape(call.Implementation, call.Call.Type, call.Bins, call.Updates, fixed)
	perSM := m.Resident(k, s.Threads, s.SharedBytes)
	if m.Err() == nil && perSM < 1 {
		m.Fail(fmt.Errorf("%w: no block of %d threads and %d bytes of shared memory of %s runs on an SM",
			ErrShape, s.Threads, s.SharedBytes, k.Name()))
	}
	blocks := s.Blocks
	if fixed.Blocks == 0 {
		blocks = min(blocks, uint64(perSM*l.SMs))
	}
	return driver.Launch{Blocks: int(blocks), Threads: s.Threads, SharedBytes: s.SharedBytes}
}

// slowCallUS is the time from which a call is warmed up once in place of twice.
const slowCallUS = 5000

// time returns the times of repeated calls in microseconds. The calls before are not
// counted: the last of them tells how many repeats are worth their time.
func (m *measurement) time(enqueue func()) []float64 {
	us := m.Time(enqueue)
	if us <= slowCallUS {
		us = m.Time(enqueue)
	}
	return m.Repeat(m.suite.repeatsOf(us), func(int) float64 { return m.Time(enqueue) })
}

// repeatsOf is the number of counted calls where one takes so many microseconds.
// Short calls, which vary most and cost least, are repeated most.
func (c *suite) repeatsOf(us float64) int {
	full, quick := 3, 3
	switch {
	case us < 200:
		full, quick = 15, 9
	case us < 2000:
		full, quick = 7, 5
	}
	if c.Quick {
		full = quick
	}
	return cmp.Or(c.Repeats, full)
}
