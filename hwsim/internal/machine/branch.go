package machine

import "math/bits"

// splits is what a warp's state at the branches of one operation's loop has
// been. A hardware loop parks the lanes that are done at the convergence
// barrier behind it; the lanes of a software loop may run apart.
type splits struct {
	whole   bool // all lanes of the warp take part
	count   int  // how often the warp has split
	waiting bool // those of the last one wait at the barrier
	joined  bool // others have joined waiting ones before
	ahead   bool // most lanes of a whole warp left at the first one
}

// branch returns what the branch at the end of a turn adds to its time, in
// ticks: the lanes in leave are done, and those in stay go round again.
func (s *splits) branch(how *stages, leave, stay uint64) int64 {
	if leave == 0 || stay == 0 {
		return 0 // the warp does not split
	}
	s.count++
	most := bits.OnesCount64(leave) > bits.OnesCount64(stay)
	return s.park(how, most) + s.apart(how, most)
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

// apart follows lanes that are free to run apart, of a whole warp. Where most of
// them leave at its first branch, the others run on by themselves, and what is
// saved if all of those are done in the next turn is saved at once; if some are
// not, the warp comes together again, and it is paid back.
func (s *splits) apart(how *stages, most bool) (cost int64) {
	switch {
	case !s.whole || s.count > 2:
	case s.count == 1:
		cost = how.split
		if s.ahead = most; most {
			cost -= how.ahead + how.aheadLast
		}
	case s.ahead:
		cost = how.aheadLast
		if most {
			cost -= how.aheadAgain
		}
	}
	return cost
}
