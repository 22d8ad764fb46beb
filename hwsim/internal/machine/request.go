package machine

import (
	"math/bits"
)

// request is one operation of one warp on shared memory, in the stages of [gomezluna13]
// Figure 1: a read, which tries for the lock bits beside the data; an addition; a write by the
// lanes that got theirs, which frees them; and a branch back for the others. Where the device
// swaps instead, the write is a compare-and-swap. Read and write are events of their own at
// the port of the SM: between them other warps come in.
type request struct {
	how       *stages
	groups    laneGroups
	pending   uint64 // lanes that are not served yet
	won       uint64 // lanes that the iteration under way serves
	keeping   uint64 // lanes whose swap leaves its word as it is
	onWords   uint64 // the lowest of the pending lanes on each word, of an operation under locks
	due       stage
	iteration int   // number of the iteration under way, from 1 on
	at        int64 // ticks: when the stage that is due may begin; if none is, the end
	known     int64 // ticks: when the values were read that a swap compares with
	splits    splits
}

// splits is a warp's state at the branches of an operation's loop. A hardware loop parks the lanes
// that are done at the convergence barrier behind it; those of a software loop may run apart.
type splits struct {
	whole   bool // all lanes of the warp take part
	count   int  // how often the warp has split
	waiting bool // those of the last one wait at the barrier
	joined  bool // others have joined waiting ones before
	ahead   bool // most lanes of a whole warp left at the first one
}

// stage says what a request does next.
type stage uint8

const (
	dueNothing stage = iota
	dueRead
	dueLocks // the conflicts of a read are resolved: it reaches its words and their lock bits
	dueWrite
	dueSwap // a further iteration of a loop that reads only once
)

// begin starts an operation of the lanes that have been sorted into r.groups; whole: none is missing.
func (r *request) begin(how *stages, lanes uint64, whole bool, at int64) {
	r.how, r.pending, r.won, r.keeping, r.iteration, r.at = how, lanes, 0, 0, 0, at
	r.splits, r.due = splits{whole: whole}, dueRead
	r.onWords = r.groups.onWords
	if lanes == 0 {
		r.due = dueNothing
	}
}

// beside is how many instructions go with the stage that is due: addition and branch with the write.
func (r *request) beside() int64 {
	if r.due == dueWrite || r.due == dueSwap {
		return 2
	}
	return 0
}

// advance performs the stage that is due, and returns the lanes that are served by it.
func (r *request) advance(u *sharedUnit, start int64) (served uint64) {
	switch r.due {
	case dueRead:
		r.iteration++
		return r.read(u, start)
	case dueLocks:
		r.lock(u, start)
		return 0
	case dueSwap:
		r.iteration++
	}
	return r.write(u, start)
}

// read is the first stage of an iteration, after which the addition follows, or the whole of an
// operation that does not loop. Conflicts hold the read back before it reaches its words, so that
// value and lock flag of each lane are of one moment, and no lock waits for lanes in conflict.
// [gomezluna13] does not say so: it is the rule of four tried by which block mapping is not ahead
// of cyclic mapping in its Figures 8 and 9. With locks taken and freed pass by pass the ratio of
// the times goes down to 0.86, with a write held back as well to 0.97.
func (r *request) read(u *sharedUnit, start int64) (served uint64) {
	how := r.how
	passes, conflicts := r.readPasses()
	r.known = u.port.take(start, int64(passes)*how.readPort)
	r.at = r.known + max(0, how.read+conflicts)
	if !how.loops() {
		r.won, r.pending, r.due = r.pending, 0, dueNothing
		return r.won
	}
	if how.way == locking {
		if r.at = r.known + conflicts; conflicts > 0 {
			r.due = dueLocks
			return 0
		}
		r.lock(u, r.at)
		return 0
	}
	r.at += how.add
	r.due = dueWrite
	return 0
}

func (r *request) lock(u *sharedUnit, at int64) {
	r.won = u.claim(&r.groups, r.onWords, true, at, taken)
	r.at, r.due = at+r.how.read+r.how.add, dueWrite
}

// readPasses returns the passes of the pending lanes' read and what conflicts add to its
// latency, in ticks. A native unit takes the lanes of a bank one after the other, others its
// words. Elements of 8 bytes are served in the two halves of the warp; where lanes in pairs
// want the same words, both halves are read together.
func (r *request) readPasses() (passes int, conflicts int64) {
	g, how := &r.groups, r.how
	wide, lanes := g.high != 0, r.pending
	if how.way == locking && !wide {
		lanes = r.onWords
	}
	passes, free := g.passes(lanes, how.way == native)
	if wide && ticks(how.warp.Paired) > 0 && g.paired(r.pending) {
		passes = g.bankPasses(r.pending, false)
		conflicts = -ticks(how.warp.Paired)
	}
	if wide && ticks(how.warp.Paired) > 0 && how.way == spinning && free < 2 {
		free = 2 // an iteration is shorter, and shorter still, without one half
		conflicts -= ticks(how.warp.Half)
	}
	conflicts += int64(passes-free) * how.readPass
	return passes, conflicts - min(ticks(how.warp.Hidden), max(0, conflicts))
}

// write is the second stage of an iteration, and the branch at its end. The branch waits for the write,
// whose conflicts delay the next read. A warp without a lock writes nothing: its instructions are
// issued and do not reach the port.
func (r *request) write(u *sharedUnit, start int64) uint64 {
	how, g := r.how, &r.groups
	lanes := r.won
	if how.way != locking {
		lanes = g.lowest(r.pending &^ r.keeping)
	}
	writing := lanes
	if how.way == swapping {
		writing = r.pending
	}
	passes, halves := g.passes(writing, how.way == swapping)
	conflicts := int64(passes-halves) * how.writePass
	served := start
	if writing != 0 {
		served = u.port.take(start, int64(passes)*how.writePort)
	}
	if how.way == locking {
		u.unlock(g, lanes, served+how.writePort, how.writePass)
	} else {
		r.won = u.compare(g, r.pending&r.keeping, r.known)
		r.won |= u.claim(g, lanes, false, r.known, served)
		r.known = served
	}
	r.pending &^= r.won
	if how.way == locking {
		r.onWords = g.lowestOnWords(r.pending)
	}
	r.branch(start, served+how.write+conflicts)
	return r.won
}

// branch ends an iteration whose write is done at that time. A failed swap has returned the word's
// value, so that a compare-and-swap loop does not read it again.
func (r *request) branch(start, done int64) {
	if r.pending == 0 {
		r.due, r.at = dueNothing, done+r.how.exit
		if !r.splits.whole {
			r.at += ticks(r.how.warp.Partial)
		}
		return
	}
	back := r.how.branch
	if r.won != 0 { // the warp splits
		r.splits.count++
		most := bits.OnesCount64(r.won) > bits.OnesCount64(r.pending)
		back += r.splits.park(r.how, most) + r.splits.apart(r.how, most)
	}
	if r.iteration+1 == int(r.how.warp.StepTurn.Value) {
		back += ticks(r.how.warp.Step)
	}
	r.at = max(start, done+back)
	r.due = dueRead
	if r.how.way == swapping {
		r.at += r.how.add
		r.due = dueSwap
	}
}

// park parks the lanes that leave where they are the most: then they leave
// first. When the others split again the parked ones are joined.
func (s *splits) park(how *stages, most bool) (cost int64) {
	switch {
	case s.waiting && s.joined:
		cost = -ticks(how.warp.MergeSaved) - ticks(how.warp.Park)
	case s.waiting:
		cost = ticks(how.warp.Merge) - ticks(how.warp.Park)
	}
	s.joined = s.joined || s.waiting
	if s.waiting = most; most {
		cost += ticks(how.warp.Park)
	}
	return cost
}

// apart follows lanes that are free to run apart, of a whole warp. Where most of them leave at its
// first branch, the others run on by themselves, and what is saved if all of those are done in the
// next iteration is saved at once; if some are not, the warp comes together again, and it is paid back.
func (s *splits) apart(how *stages, most bool) (cost int64) {
	switch {
	case !s.whole || s.count > 2:
	case s.count == 1:
		cost = ticks(how.warp.Split)
		if s.ahead = most; most {
			cost -= ticks(how.warp.Ahead) + ticks(how.warp.AheadLast)
		}
	case s.ahead:
		cost = ticks(how.warp.AheadLast)
		if most {
			cost -= ticks(how.warp.AheadAgain)
		}
	}
	return cost
}
