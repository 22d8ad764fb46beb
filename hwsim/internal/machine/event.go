package machine

import (
	"maps"
	"math/bits"
	"slices"
)

// The wheel covers a revolution of wheelSlots cycles.
const (
	wheelBits  = 12
	wheelSlots = 1 << wheelBits
	wheelMask  = wheelSlots - 1
)

const noEvent = -1

// Queue is the event core: a priority queue over integer cycles. Events leave
// in the order of their time, and events of equal time in the order in which
// they were pushed. It is a timing wheel of 4,096 one-cycle slots; events of later
// revolutions wait in lists. The zero Queue is empty, at time 0.
type Queue struct {
	now      int64 // of the last event that was popped
	inWheel  int
	slots    [wheelSlots]slot
	nodes    []node // of the events in the wheel; the first is none
	free     int32  // the first of a list of nodes without an event; 0: there is none
	occupied [wheelSlots / 64]uint64
	later    map[int64][]event // by revolution, in the order in which they were pushed
	record   *Schedule         // of what is pushed and popped, if there is one
}

// slot holds the events of one cycle, if it is occupied: a list of nodes.
type slot struct{ first, last int32 }

// node is an event in the wheel. The one of the last in its slot stands for no other.
type node struct{ id, next int32 }

type event struct {
	at int64
	id int32
}

// Push schedules an event. One in the past panics: the simulator is wrong.
func (q *Queue) Push(at int64, id int32) {
	if at < q.now {
		panic("hwsim: event in the past")
	}
	if q.record != nil {
		q.record.push(at)
	}
	turn := at >> wheelBits
	if turn == q.now>>wheelBits {
		q.insert(at, id)
		return
	}
	if q.later == nil {
		q.later = map[int64][]event{}
	}
	q.later[turn] = append(q.later[turn], event{at, id})
}

func (q *Queue) insert(at int64, id int32) {
	place := q.free
	if place == 0 {
		place = q.grow()
	}
	q.free = q.nodes[place].next
	q.nodes[place].id = id
	n := at & wheelMask
	s, word, bit := &q.slots[n], &q.occupied[n>>6], uint64(1)<<(n&63)
	if *word&bit == 0 {
		s.first = place
	} else {
		q.nodes[s.last].next = place
	}
	s.last = place
	*word |= bit
	q.inWheel++
}

// grow returns a new node.
func (q *Queue) grow() int32 {
	if len(q.nodes) == 0 {
		q.nodes = append(q.nodes, node{})
	}
	q.nodes = append(q.nodes, node{})
	return int32(len(q.nodes) - 1)
}

// Pop removes the next event. ok is false if none is pending.
func (q *Queue) Pop() (at int64, id int32, ok bool) {
	if q.inWheel == 0 {
		if len(q.later) == 0 {
			return 0, 0, false
		}
		turn := slices.Min(slices.Collect(maps.Keys(q.later)))
		for _, e := range q.later[turn] {
			q.insert(e.at, e.id)
		}
		delete(q.later, turn)
		q.now = turn << wheelBits
	}
	if q.record != nil {
		q.record.pop()
	}
	n := q.nextSlot(q.now & wheelMask)
	q.now = q.now&^wheelMask | n
	s := &q.slots[n]
	e := q.nodes[s.first]
	q.nodes[s.first].next, q.free = q.free, s.first
	if s.first == s.last {
		q.occupied[n>>6] &^= 1 << (n & 63)
	}
	s.first = e.next
	q.inWheel--
	return q.now, e.id, true
}

// nextSlot returns the first occupied slot from that one on; there is one.
func (q *Queue) nextSlot(from int64) int64 {
	word := from >> 6
	rest := q.occupied[word] &^ (1<<(from&63) - 1)
	for rest == 0 {
		word++
		rest = q.occupied[word]
	}
	return word<<6 + int64(bits.TrailingZeros64(rest))
}
