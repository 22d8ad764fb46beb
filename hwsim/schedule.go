package hwsim

import "github.com/atomtune/atomtune/hwsim/internal/machine"

// EventQueue is the queue in which a simulation keeps its events.
type EventQueue = machine.Queue

// Schedule says when the events of a simulation are scheduled.
type Schedule = machine.Schedule

// Record simulates a call as Run does and returns when its events were scheduled: those that
// Result.Events counts, and one at the end of each launch whose last access to memory ends after its
// last warp. Errors are those of Run.
func Record(cfg Config, indices []uint32, bins uint64) (*Schedule, error) {
	s, _, err := cfg.open(indices, bins)
	if err != nil {
		return nil, err
	}
	schedule := s.Machine.Record()
	return schedule, s.Run()
}
