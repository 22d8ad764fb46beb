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
// revolutions wait in lists. The zero Queue is not usable: see NewQueue.
type Queue struct {
	now      int64 // of the last event that was popped
	inWheel  int
	head     [wheelSlots]int32
	tail     [wheelSlots]int32
	occupied [wheelSlots / 64]uint64
	summary  uint64 // bit i: occupied[i] != 0
	next     []int32
	ids      []int32
	free     int32
	later    map[int64][]event // by revolution, in the order in which they were pushed
}

type event struct {
	at int64
	id int32
}

// NewQueue returns an empty queue at time 0.
func NewQueue() *Queue {
	q := &Queue{free: noEvent, later: map[int64][]event{}}
	for i := range q.head {
		q.head[i] = noEvent
	}
	return q
}

// Push schedules an event. One in the past panics: the simulator is wrong.
func (q *Queue) Push(at int64, id int32) {
	if at < q.now {
		panic("hwsim: event in the past")
	}
	if turn := at >> wheelBits; turn != q.now>>wheelBits {
		q.later[turn] = append(q.later[turn], event{at, id})
		return
	}
	q.insert(at, id)
}

func (q *Queue) insert(at int64, id int32) {
	node := q.free
	if node == noEvent {
		node = int32(len(q.next))
		q.next = append(q.next, noEvent)
		q.ids = append(q.ids, id)
	} else {
		q.free = q.next[node]
		q.next[node] = noEvent
		q.ids[node] = id
	}
	slot := at & wheelMask
	if q.head[slot] == noEvent {
		q.head[slot] = node
		q.occupied[slot>>6] |= 1 << (slot & 63)
		q.summary |= 1 << (slot >> 6)
	} else {
		q.next[q.tail[slot]] = node
	}
	q.tail[slot] = node
	q.inWheel++
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
	slot := q.nextSlot(q.now & wheelMask)
	q.now = q.now&^wheelMask | slot
	node := q.head[slot]
	following := q.next[node]
	q.head[slot] = following
	if following == noEvent {
		word := slot >> 6
		q.occupied[word] &^= 1 << (slot & 63)
		if q.occupied[word] == 0 {
			q.summary &^= 1 << word
		}
	}
	q.next[node] = q.free
	q.free = node
	q.inWheel--
	return q.now, q.ids[node], true
}

// nextSlot returns the first occupied slot from that one on; there is one.
func (q *Queue) nextSlot(from int64) int64 {
	word := from >> 6
	if w := q.occupied[word] >> (from & 63); w != 0 {
		return from + int64(bits.TrailingZeros64(w))
	}
	word = int64(bits.TrailingZeros64(q.summary &^ (2<<word - 1)))
	return word<<6 + int64(bits.TrailingZeros64(q.occupied[word]))
}
