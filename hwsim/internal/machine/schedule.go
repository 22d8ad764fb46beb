package machine

// Schedule is when the events of a simulation are scheduled, in the order in which they are.
type Schedule struct {
	Counts []int32 // of those scheduled before the first is handled, then of those by each that is
	At     []int64 // their cycles
}

func (s *Schedule) push(at int64) {
	if len(s.Counts) == 0 {
		s.pop()
	}
	s.Counts[len(s.Counts)-1]++
	s.At = append(s.At, at)
}

func (s *Schedule) pop() { s.Counts = append(s.Counts, 0) }

// Record returns the schedule of the kernels that are launched from now on, which grows with them.
func (m *Machine) Record() *Schedule {
	m.queue.record = new(Schedule)
	return m.queue.record
}
