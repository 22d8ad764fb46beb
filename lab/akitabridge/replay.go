// Package akitabridge replays the events of a simulation on the event engine of Akita. It stands
// apart so that only those who use Akita build it.
package akitabridge

import (
	"github.com/sarchlab/akita/v4/sim"

	"github.com/atomtune/atomtune/hwsim"
)

// Replay lets Akita's serial engine handle the events of a schedule, cycles as seconds. It returns
// how many there are and the sum of the cycles in which they are handled.
func Replay(s *hwsim.Schedule) (events int, cycles int64, err error) {
	p := &player{engine: sim.NewSerialEngine(), counts: s.Counts, at: s.At}
	p.schedule()
	err = p.engine.Run()
	return p.events, p.cycles, err
}

// player handles events: it schedules what follows each.
type player struct {
	engine *sim.SerialEngine
	counts []int32
	at     []int64
	next   int // in at
	events int
	cycles int64
}

// event is the least that Akita takes for one: it has no ID.
type event struct {
	at     sim.VTimeInSec
	player *player
}

func (e *event) Time() sim.VTimeInSec { return e.at }
func (e *event) Handler() sim.Handler { return e.player }
func (e *event) IsSecondary() bool    { return false }

// Handle is called by the engine.
func (p *player) Handle(e sim.Event) error {
	p.events++
	p.cycles += int64(e.Time())
	p.schedule()
	return nil
}

// schedule schedules the events of the next count.
func (p *player) schedule() {
	for range p.counts[p.events] {
		p.engine.Schedule(&event{sim.VTimeInSec(p.at[p.next]), p})
		p.next++
	}
}
