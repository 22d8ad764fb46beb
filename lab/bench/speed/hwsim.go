package speed

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/inspect"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/splitmix"
)

var hwsimSuite = Suite{"hwsim", "Simulated calls of 2^18 f32 updates of uniform random targets on an H200: the kernels " +
	"that clear and update, and before and after them machine, values and the comparison with the serial reference. " +
	"`events` is the first of these calls by its events. `queue` handles these events anew, each scheduled " +
	"for the same cycle by the same one before it, by a handler that does nothing else: on the simulator's " +
	"queue, and on Akita's serial engine, with events that have no ID.", measureHwsim}

func measureHwsim(r *runner) error {
	for i, c := range []struct {
		name string
		bins uint64
		aim  Aim
	}{
		{"naive", 65536, Aim{Rate: 5e6}}, {"naive", 64, Aim{}}, {"sr", 65536, Aim{}}, {"private", 64, Aim{}},
	} {
		run, err := newSimulation(c.name, c.bins)
		if err != nil {
			return err
		}
		if i == 0 {
			if err := measureEvents(r, run); err != nil {
				return err
			}
		}
		err = r.time(Case{Name: "run/" + run.name, Work: float64(run.want.WarpInstructions), Unit: "warp instructions",
			Cores: 1, Run: run.again, Aim: c.aim})
		if err != nil {
			return err
		}
	}
	return nil
}

// measureEvents times the events of a simulation, with and without what they do.
func measureEvents(r *runner, run *simulation) error {
	schedule, err := inspect.Record(run.cfg, run.indices, run.bins)
	if err != nil {
		return err
	}
	events, cycles := replay(schedule)
	check := func(n int, sum int64, err error) error {
		if err == nil && (n != events || sum != cycles) {
			err = fmt.Errorf("%d events at %d cycles in all, want %d at %d", n, sum, events, cycles)
		}
		return err
	}
	err = r.time(Case{Name: "queue/" + run.name, Work: float64(events), Unit: "events", Cores: 1,
		Run: func() error {
			n, sum := replay(schedule)
			return check(n, sum, nil)
		},
		Against: &Reference{Name: "Akita", Work: float64(events),
			Run: func() error { return check(replayAkita(schedule)) }},
		Aim: Aim{Ratio: 10}})
	if err != nil {
		return err
	}
	return r.time(Case{Name: "events/" + run.name, Work: float64(run.want.Events), Unit: "events", Cores: 1,
		Run: run.again})
}

// simulation is a call to simulate again and again.
type simulation struct {
	name    string
	cfg     hwsim.Config
	indices []uint32
	bins    uint64
	want    hwsim.Result
}

// newSimulation simulates a call of an implementation for the first time.
func newSimulation(implementation string, bins uint64) (*simulation, error) {
	v, err := impl.Parse(implementation)
	if err != nil {
		return nil, err
	}
	d, err := device.Builtin("h200")
	if err != nil {
		return nil, err
	}
	rng, indices := splitmix.New(1), make([]uint32, 1<<18)
	for i := range indices {
		indices[i] = uint32(rng.Below(bins))
	}
	s := &simulation{name: fmt.Sprintf("impl=%s/k=%d", implementation, bins), indices: indices, bins: bins,
		cfg: hwsim.Config{Device: d, Implementation: v, Call: device.Call{Type: device.F32}}}
	s.want, err = hwsim.Run(s.cfg, indices, bins)
	return s, err
}

// again simulates it once more, to the same end.
func (s *simulation) again() error {
	r, err := hwsim.Run(s.cfg, s.indices, s.bins)
	if err == nil && (!r.Correct || r.Events != s.want.Events || r.Cycles != s.want.Cycles) {
		err = fmt.Errorf("%d events in %d cycles, correct: %v, want %d in %d", r.Events, r.Cycles, r.Correct,
			s.want.Events, s.want.Cycles)
	}
	return err
}

// replay does on the simulator's queue what replayAkita does on Akita's engine.
func replay(s *inspect.Schedule) (events int, cycles int64) {
	p := &player{queue: new(inspect.EventQueue), counts: s.Counts, at: s.At}
	p.schedule()
	for at, _, ok := p.queue.Pop(); ok; at, _, ok = p.queue.Pop() {
		p.handle(at)
	}
	return p.events, p.cycles
}

// player handles events: it schedules what follows each.
type player struct {
	queue  *inspect.EventQueue
	counts []int32
	at     []int64
	next   int // in at
	events int
	cycles int64
}

func (p *player) handle(at int64) {
	p.events++
	p.cycles += at
	p.schedule()
}

func (p *player) schedule() {
	for range p.counts[p.events] {
		p.queue.Push(p.at[p.next], int32(p.next))
		p.next++
	}
}
