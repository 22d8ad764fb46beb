package hwsim

import "math/bits"

// parking is what a warp's earlier turns have left at the convergence barrier
// behind a loop.
type parking struct {
	waiting bool // lanes of the last split wait there
	merged  bool // some have been joined by others before
}

// split returns what the branch at the end of a turn adds to its time, in ticks:
// the lanes in leave are done and the lanes in stay go round again. Where most
// are done they leave first and are parked; when the others split again, the
// parked ones are joined.
func (p *parking) split(how *stages, leave, stay uint64) (cost int64) {
	if leave == 0 {
		return 0
	}
	switch {
	case p.waiting && p.merged:
		cost = -how.mergeSaved - how.park
	case p.waiting:
		cost = how.merge - how.park
	}
	p.merged = p.merged || p.waiting
	p.waiting = bits.OnesCount64(leave) > bits.OnesCount64(stay)
	if p.waiting {
		cost += how.park
	}
	return cost
}
