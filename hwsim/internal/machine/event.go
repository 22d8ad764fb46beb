package machine

import "math/bits"

// The wheel covers wheelSlots cycles; later events wait in the overflow heap.
const (
	wheelBits  = 12
	wheelSlots = 1 << wheelBits
	wheelMask  = wheelSlots - 1
)

const noEvent = -1

// Queue is the event core: a priority queue over integer cycles. Events leave
// in the order of their time, and events of equal time in the order in which
// they were pushed. It is a timing wheel of 4,096 one-cycle slots with a
// binary heap for events further ahead. The zero Queue is not usable: see
// NewQueue.
type Queue struct {
	now      int64
	inWheel  int
	seq      uint64
	head     [wheelSlots]int32
	tail     [wheelSlots]int32
	occupied [wheelSlots / 64]uint64
	summary  uint64 // bit i: occupied[i] != 0
	next     []int32
	ids      []int32
	free     int32
	overflow []farEvent
}

type farEvent struct {
	at  int64
	seq uint64
	id  int32
}

// NewQueue returns an empty queue at time 0.
func NewQueue() *Queue {
	q := &Queue{free: noEvent}
	for i := range q.head {
		q.head[i] = noEvent
	}
	return q
}

// Now returns the time of the last event that was popped.
func (q *Queue) Now() int64 { return q.now }

// Push schedules an event. An event may not lie before Now: a simulator that
// schedules the past is wrong, so that panics.
func (q *Queue) Push(at int64, id int32) {
	if at < q.now {
		panic("hwsim: event in the past")
	}
	if at-q.now < wheelSlots {
		q.insert(at, id)
		return
	}
	q.seq++
	q.pushFar(farEvent{at, q.seq, id})
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
		if len(q.overflow) == 0 {
			return 0, 0, false
		}
		q.advance(q.overflow[0].at)
	}
	slot := q.nextSlot(q.now & wheelMask)
	if ahead := (slot - q.now) & wheelMask; ahead > 0 {
		q.advance(q.now + ahead)
	}
	node := q.head[slot]
	id = q.ids[node]
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
	return q.now, id, true
}

// nextSlot returns the first occupied slot at or after from, cyclically.
func (q *Queue) nextSlot(from int64) int64 {
	word := from >> 6
	if w := q.occupied[word] >> (from & 63); w != 0 {
		return from + int64(bits.TrailingZeros64(w))
	}
	rotated := bits.RotateLeft64(q.summary, -int(word+1))
	word = (word + 1 + int64(bits.TrailingZeros64(rotated))) & (wheelSlots/64 - 1)
	return word<<6 + int64(bits.TrailingZeros64(q.occupied[word]))
}

// advance moves the window to start at now and takes in the far events that
// it covers. They were pushed before any event that can still be pushed to
// their slot, so appending them keeps the order.
func (q *Queue) advance(now int64) {
	q.now = now
	for len(q.overflow) > 0 && q.overflow[0].at-now < wheelSlots {
		e := q.popFar()
		q.insert(e.at, e.id)
	}
}

func (e farEvent) before(o farEvent) bool {
	return e.at < o.at || (e.at == o.at && e.seq < o.seq)
}

func (q *Queue) pushFar(e farEvent) {
	h := append(q.overflow, e)
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !h[i].before(h[parent]) {
			break
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
	q.overflow = h
}

func (q *Queue) popFar() farEvent {
	h := q.overflow
	top := h[0]
	last := len(h) - 1
	h[0] = h[last]
	h = h[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(h[i]) {
			break
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
	q.overflow = h
	return top
}
