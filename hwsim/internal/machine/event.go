package machine

import (
	"maps"
	"math/bits"
	"slices"
)

const (
	wheelBits  = 12
	wheelSlots = 1 << wheelBits
	wheelMask  = wheelSlots - 1
)

const noEvent = 0 // no warp's, but then no warp has any

// Queue is the event core: a priority queue over integer cycles. Events leave
// in the order of their time, and events of equal time in the order in which
// they were pushed; those that wait have different ids, small ones. It is a timing wheel of 4,096
// one-cycle slots; events of later revolutions wait in lists. The zero Queue is empty, at time 0.
type Queue struct {
	now      int64 // of the last event that was popped
	inWheel  int
	slots    [wheelSlots]struct{ first, last int32 } // of each cycle, if it is occupied
	next     []int32                                 // by event, but for the last ones of slots
	occupied [wheelSlots / 64]uint64
	later    map[int64][]event // by revolution, in the order in which they were pushed
}

type event struct {
	at int64
	id int32
}

// Push schedules an event. One in the past panics: the simulator is wrong.
func (q *Queue) Push(at int64, id int32) {
	if at < q.now {
		panic("hwsim: event in the past")
	}
	iteration := at >> wheelBits
	if iteration == q.now>>wheelBits {
		q.insert(at, id)
		return
	}
	if q.later == nil {
		q.later = map[int64][]event{}
	}
	q.later[iteration] = append(q.later[iteration], event{at, id})
}

func (q *Queue) insert(at int64, id int32) {
	if int(id) >= len(q.next) {
		q.next = append(q.next, make([]int32, max(64, int(id)))...)
	}
	n := at & wheelMask
	slot, word, bit := &q.slots[n], &q.occupied[n>>6], uint64(1)<<(n&63)
	if *word&bit == 0 {
		slot.first = id
	} else {
		q.next[slot.last] = id
	}
	slot.last = id
	*word |= bit
	q.inWheel++
}

// Pop removes the next event. ok is false if none is pending.
func (q *Queue) Pop() (at int64, id int32, ok bool) {
	if q.inWheel == 0 {
		if len(q.later) == 0 {
			return 0, 0, false
		}
		iteration := slices.Min(slices.Collect(maps.Keys(q.later)))
		for _, e := range q.later[iteration] {
			q.insert(e.at, e.id)
		}
		delete(q.later, iteration)
		q.now = iteration << wheelBits
	}
	word := q.now & wheelMask >> 6
	rest := q.occupied[word] &^ (1<<(q.now&63) - 1)
	for rest == 0 {
		word++
		rest = q.occupied[word]
	}
	n := word<<6 + int64(bits.TrailingZeros64(rest))
	q.now = q.now&^wheelMask | n
	slot := &q.slots[n]
	if id = slot.first; id == slot.last {
		q.occupied[word] &^= 1 << (n & 63)
	}
	slot.first = q.next[id]
	q.inWheel--
	return q.now, id, true
}
