package coordinator

import (
	"cmp"
	"iter"
	"slices"
)

// tick divides a cycle, so that rates and ratios need no fractions.
const tick = 4096

// Ticks rounds a time in cycles.
func Ticks(cycles float64) int64 { return int64(cycles*tick + 0.5) }

type event struct {
	at int64 // ticks
	p  *process
}

// engine runs processes in the order of simulated time.
type engine struct {
	now      int64   // ticks
	progress int64   // ticks: when a process last did something else than wait
	steps    uint64  // how often a process has gone on in time
	queue    []event // the latest first; of equal times, the last scheduled
	live     []*process
	timeout  int64 // ticks without progress after which nothing can happen any more
}

// process is a sequential program in simulated time, as a coroutine.
type process struct {
	e      *engine
	resume func() (struct{}, bool)
	cancel func()
	yield  func(struct{}) bool
}

// cancelled unwinds a process that is not run to its end.
type cancelled struct{}

func (e *engine) spawn(at int64, body func(*process)) {
	p := &process{e: e}
	p.resume, p.cancel = iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if r := recover(); r != nil && r != (cancelled{}) {
				panic(r)
			}
		}()
		p.yield = yield
		body(p)
	})
	e.live = append(e.live, p)
	e.schedule(at, p)
}

func (e *engine) schedule(at int64, p *process) {
	i, _ := slices.BinarySearchFunc(e.queue, at, func(x event, at int64) int {
		return cmp.Compare(at, x.at)
	})
	e.queue = slices.Insert(e.queue, i, event{at, p})
}

// run executes events until none is left, or until all processes have only
// waited for longer than anything under way can take. It returns false then.
func (e *engine) run() bool {
	defer func() {
		for _, p := range e.live {
			p.cancel()
		}
	}()
	for last := len(e.queue) - 1; last >= 0; last = len(e.queue) - 1 {
		next := e.queue[last]
		if e.timedOut(next.at) {
			return false
		}
		e.queue = e.queue[:last]
		e.now = next.at
		e.steps++
		next.p.resume()
	}
	return true
}

func (e *engine) timedOut(at int64) bool { return at-e.progress > e.timeout }

func (p *process) Now() int64 { return p.e.now }

func (p *process) Until(at int64) {
	e := p.e
	if at <= e.now {
		return
	}
	if n := len(e.queue); (n == 0 || e.queue[n-1].at > at) && !e.timedOut(at) {
		e.now = at // no other process runs before
		e.steps++
		return
	}
	e.schedule(at, p)
	p.park()
}

// park gives way until another process schedules this one.
func (p *process) park() {
	if !p.yield(struct{}{}) {
		panic(cancelled{})
	}
}

// Progress notes that the process does something else than wait.
func (p *process) Progress() { p.e.progress = p.e.now }
