package coordinator

import (
	"container/heap"
	"iter"
)

// tick divides a cycle, so that rates and ratios need no fractions.
const tick = 4096

// Ticks rounds a time in cycles.
func Ticks(cycles float64) int64 { return int64(cycles*tick + 0.5) }

// event resumes a process.
type event struct {
	at  int64 // ticks
	seq uint64
	p   *process
}

// events is a heap by time and, at equal times, by the order of scheduling.
type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || (e[i].at == e[j].at && e[i].seq < e[j].seq)
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	last := old[len(old)-1]
	*e = old[:len(old)-1]
	return last
}

// engine runs processes in the order of simulated time.
type engine struct {
	now     int64 // ticks
	moved   int64 // ticks: when a process last did something else than wait
	patient int64 // ticks without that after which nothing can happen any more
	seq     uint64
	steps   uint64 // how often a process has gone on in time
	queue   events
	live    []*process
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

// spawn schedules a new process at that time.
func (e *engine) spawn(at int64, body func(*process)) *process {
	p := &process{e: e}
	p.resume, p.cancel = iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if r := recover(); r != nil {
				if _, ok := r.(cancelled); !ok {
					panic(r)
				}
			}
		}()
		p.yield = yield
		body(p)
	})
	e.live = append(e.live, p)
	e.schedule(at, p)
	return p
}

func (e *engine) schedule(at int64, p *process) {
	e.seq++
	heap.Push(&e.queue, event{at, e.seq, p})
}

// run executes events until none is left, or until all processes have only
// waited for longer than anything under way can take. It returns false then.
func (e *engine) run() bool {
	defer func() {
		for _, p := range e.live {
			p.cancel()
		}
	}()
	for len(e.queue) > 0 {
		next := heap.Pop(&e.queue).(event)
		if e.stalled(next.at) {
			return false
		}
		e.now = next.at
		e.steps++
		next.p.resume()
	}
	return true
}

func (e *engine) stalled(at int64) bool { return at-e.moved > e.patient }

// until lets simulated time pass up to that tick.
func (p *process) until(at int64) {
	e := p.e
	if at <= e.now {
		return
	}
	if (len(e.queue) == 0 || e.queue[0].at > at) && !e.stalled(at) {
		e.now = at // nobody else acts before
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

// acts notes that the process does something else than wait.
func (p *process) acts() { p.e.moved = p.e.now }
