package speed

import (
	"github.com/sarchlab/akita/v4/sim"

	"github.com/atomtune/atomtune/hwsim/inspect"
)

// replayAkita lets Akita's serial engine handle the events of a schedule, cycles as seconds. It returns
// how many there are and the sum of the cycles in which they are handled.
func replayAkita(s *inspect.Schedule) (events int, cycles int64, err error) {
	p := &akitaPlayer{engine: sim.NewSerialEngine(), counts: s.Counts, at: s.At}
	p.schedule()
	err = p.engine.Run()
	return p.events, p.cycles, err
}

// akitaPlayer handles events: it schedules what follows each.
type akitaPlayer struct {
	engine *sim.SerialEngine
	counts []int32
	at     []int64
	next   int // in at
	events int
	cycles int64
}

// akitaEvent is the least that Akita takes for an event: it has no ID.
type akitaEvent struct {
	at     sim.VTimeInSec
	player *akitaPlayer
}

func (e *akitaEvent) Time() sim.VTimeInSec { return e.at }
func (e *akitaEvent) Handler() sim.Handler { return e.player }
func (e *akitaEvent) IsSecondary() bool    { return false }

// Handle is called by the engine.
func (p *akitaPlayer) Handle(e sim.Event) error {
	p.events++
	p.cycles += int64(e.Time())
	p.schedule()
	return nil
}

// schedule schedules the events of the next count.
func (p *akitaPlayer) schedule() {
	for range p.counts[p.events] {
		p.engine.Schedule(&akitaEvent{sim.VTimeInSec(p.at[p.next]), p})
		p.next++
	}
}
