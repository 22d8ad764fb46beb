package calls

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/bindings/gpu/kernels"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/microbench/job"
)

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
	end                    func()
}

// begin brings the stream to the GPU, and for the companion to a file. Beside an error stands what is to be closed.
func (c *suite) begin(ctx context.Context, g driver.GPU, in *input) (m *measurement, err error) {
	m = &measurement{Session: driver.NewSession(ctx, g), ctx: ctx, suite: c, in: in}
	m.end = m.Scope()
	if m.load(); m.Err() == nil && c.companion != nil {
		m.file, err = writeIndices(in.indices)
	}
	return m, cmp.Or(m.Err(), err)
}

func (m *measurement) close() error {
	m.end()
	if m.file == "" {
		return nil
	}
	return os.Remove(m.file)
}

// run measures every call in every implementation on the stream. Beside an error
// stands what was measured before.
func (c *suite) run(ctx context.Context, g driver.GPU, in *input) (_ job.Result, err error) {
	m, err := c.begin(ctx, g, in)
	defer func() { err = errors.Join(err, m.close()) }()
	if err != nil {
		return m.result, err
	}
	for _, t := range device.Types() {
		if err := m.measureType(t); err != nil {
			return m.result, err
		}
	}
	m.result.Stream = &job.Stream{Label: in.label, Stats: in.stats}
	return m.result, nil
}

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
			m.measure(call, v, device.Launch{})
			for _, fixed := range m.launches(call, v) {
				m.measure(call, v, fixed)
			}
			if m.Err() != nil {
				return fmt.Errorf("%s %s %s: %w", t, call.Operand, v, m.Err())
			}
		}
	}
	return m.Err()
}

func (m *measurement) measure(c device.Call, v impl.Spec, fixed device.Launch) {
	call := recordings.Call{
		Label: m.in.label, Updates: m.updates(), Bins: m.in.bins, Call: c, Implementation: v,
		Origin: recordings.Measured, Fixed: fixed != device.Launch{},
	}
	wrong := ""
	switch {
	case !m.OK():
		return
	case !inLibrary(v):
		wrong = m.measureKernels(&call, fixed)
		call.Correct = wrong == ""
	default:
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
// says what is wrong, "" for nothing. A call clears the targets, and then its kernels run.
func (m *measurement) measureKernels(call *recordings.Call, fixed device.Launch) (wrong string) {
	v := call.Implementation
	c := m.call(v, call.Call, fixed)
	defer m.Scope()()
	main, steps := c.Prepare(m.Session, m.suite.limits)
	if m.Err() != nil {
		return ""
	}
	call.Kernel, call.Shape = main.Kernel.Name(), main.Launch
	update := func() { steps.Enqueue(m.Session) }
	cleared := func() {
		m.Clear(c.Target, call.Bins*uint64(call.Call.Type.Bytes()))
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
	call.MedianUS, call.MinUS, call.MaxUS = quantile.Of(us, 0.5), slices.Min(us), slices.Max(us)
	call.Repeats = len(us)
	return m.check(call.Call, v)
}

// call is a call on the stream in the arrangement of the implementation.
func (m *measurement) call(v impl.Spec, does device.Call, fixed device.Launch) *kernels.Call {
	t, a, c := &m.typed, arrangementOf(v), m.asked(does, v, fixed)
	c.Target, c.Index, c.Tags = t.target, m.index[a], m.known[v.Slots]
	if does.Returns {
		m.allocOnce(&t.old)
		c.Old = t.old
	}
	if does.Operand == device.Loaded {
		if m.allocOnce(&t.value[a]) {
			m.launchOver(m.updates(), kernels.Module(t.t), "make_values_"+kernels.Type(t.t),
				t.value[a], m.order[a], m.updates())
		}
		c.Values = t.value[a]
	}
	return c
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

// launches lists what an implementation is measured in besides the rule's launch, of iterations at once those that
// have a kernel.
func (m *measurement) launches(c device.Call, v impl.Spec) (list []device.Launch) {
	s := m.suite
	if !s.Launches || inLibrary(v) ||
		!s.allLaunched && len(s.Implementations) == 0 && !slices.Contains(launched, v) {
		return nil
	}
	l := s.limits
	rule := l.Shape(v, c, m.in.bins, m.updates(), device.Launch{})
	for _, fixed := range l.Launches() {
		idle := (fixed.Blocks-1)*uint64(fixed.Threads) >= m.updates()
		s := l.Shape(v, c, m.in.bins, m.updates(), fixed)
		if idle || s.Blocks == rule.Blocks && s.Threads == rule.Threads && s.Unroll == rule.Unroll {
			continue
		}
		if m.OK() && m.fits(c, v, fixed) {
			list = append(list, fixed)
		}
	}
	return list
}

// fits reports whether there is a kernel for a launch of which an SM holds a block.
func (m *measurement) fits(c device.Call, v impl.Spec, fixed device.Launch) bool {
	asked := m.asked(c, v, fixed)
	return asked.Lacks(&m.suite.device) == "" && asked.Fits(m.Session, m.suite.limits)
}

// asked is a call on the stream, whose data are yet to be named.
func (m *measurement) asked(c device.Call, v impl.Spec, fixed device.Launch) *kernels.Call {
	return &kernels.Call{Implementation: v, Does: c, Fixed: fixed, Bins: m.in.bins, Updates: m.updates()}
}
