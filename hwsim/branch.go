package hwsim

import "math/bits"

// splits is what a warp's state at the branches of one operation's loop has
// been. A hardware loop parks the lanes that are done at the convergence
// barrier behind it; the lanes of a software loop may run apart.
type splits struct {
	whole   bool // all lanes of the warp take part
	count   int  // branches so far at which lanes left the loop
	waiting bool // those of the last one wait at the barrier
	joined  bool // others have joined waiting ones before
	ahead   bool // at the first one most lanes of a whole warp left
}

// branch returns what the end of a turn adds to the time of the operation, in
// ticks: the lanes in leave are done, and those in stay go round again.
func (s *splits) branch(how *stages, leave, stay uint64) int64 {
	if leave == 0 {
		return 0 // other warps were first: nothing splits
	}
	s.count++
	most := bits.OnesCount64(leave) > bits.OnesCount64(stay)
	cost := s.apart(how, most, stay == 0)
	if stay != 0 {
		cost += s.park(how, most)
	}
	return cost
}

// park parks the lanes that leave where they are the most: then they leave
// first. When the others split again the parked ones are joined.
func (s *splits) park(how *stages, most bool) (cost int64) {
	switch {
	case s.waiting && s.joined:
		cost = -how.mergeSaved - how.park
	case s.waiting:
		cost = how.merge - how.park
	}
	s.joined = s.joined || s.waiting
	if s.waiting = most; most {
		cost += how.park
	}
	return cost
}

// apart follows lanes that are free to run apart, of a whole warp: what its
// first branch costs, and what is saved where most lanes leave at it, at the
// next one again, or all that are left.
func (s *splits) apart(how *stages, most, last bool) (cost int64) {
	switch {
	case !s.whole || s.count > 2:
	case s.count == 1 && !last:
		cost = how.split
		if s.ahead = most; most {
			cost -= how.ahead
		}
	case s.ahead && last:
		cost = -how.aheadLast
	case s.ahead && most:
		cost = -how.aheadAgain
	}
	return cost
}
