package machine

import (
	"container/heap"
	"math/rand/v2"
	"testing"
)

// plainQueue is the reference: a heap over (time, sequence), which is the event's id.
type plainQueue []event

func (q plainQueue) Len() int { return len(q) }
func (q plainQueue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].id < q[j].id
}
func (q plainQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *plainQueue) Push(x any)   { *q = append(*q, x.(event)) }
func (q *plainQueue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	*q = (*q)[:last]
	return e
}

func TestQueueOrder(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		q, ref := new(Queue), &plainQueue{}
		seq, pending, checked := int32(0), 0, 0
		push := func(at int64) {
			seq++
			pending++
			q.Push(at, seq)
			heap.Push(ref, event{at, seq})
		}
		for range 20000 {
			if rng.IntN(3) > 0 || pending == 0 {
				ahead := int64(rng.IntN(8))
				switch rng.IntN(4) {
				case 0:
					ahead = int64(rng.IntN(3 * wheelSlots))
				case 1:
					ahead = wheelSlots - 2 + int64(rng.IntN(4))
				}
				push(q.now + ahead)
				continue
			}
			pending--
			at, id, ok := q.Pop()
			want := heap.Pop(ref).(event)
			if !ok || at != want.at || id != want.id {
				t.Fatalf("seed %d: popped (%d, %d), want (%d, %d)", seed, at, id, want.at, want.id)
			}
			checked++
		}
		for ref.Len() > 0 {
			at, id, _ := q.Pop()
			if want := heap.Pop(ref).(event); at != want.at || id != want.id {
				t.Fatalf("seed %d: drained (%d, %d), want (%d, %d)", seed, at, id, want.at, want.id)
			}
			checked++
		}
		if _, _, ok := q.Pop(); ok || checked < 5000 {
			t.Fatalf("seed %d: queue not empty, or only %d pops checked", seed, checked)
		}
	}
}

func TestQueuePast(t *testing.T) {
	q := new(Queue)
	q.Push(10, 1)
	q.Pop()
	defer func() {
		if recover() == nil {
			t.Error("an event in the past was accepted")
		}
	}()
	q.Push(9, 2)
}
