package coordinator

import "slices"

// local is the local memory of one workgroup, in words of 32 bits. Operations
// take effect late and, between two fences of a wavefront, in any order; those
// of one thread on one word keep theirs, and a thread sees its own stores.
type local struct {
	words   []uint32
	pending []localOp // by effect, then by issue
	seq     uint64
}

type localOp struct {
	effect int64
	seq    uint64
	thread int32
	word   int32
	store  bool
	value  uint32  // stored, or added
	result *uint32 // of an addition: the old value
}

func newLocal(words int) *local { return &local{words: make([]uint32, words)} }

// issue enters an operation that takes effect at that time or later, and
// returns the time.
func (l *local) issue(op localOp, now int64) int64 {
	l.settle(now)
	if len(l.pending) == 0 && op.effect <= now {
		l.apply(&op)
		return now
	}
	for i := range l.pending {
		if p := &l.pending[i]; p.thread == op.thread && p.word == op.word {
			op.effect = max(op.effect, p.effect)
		}
	}
	l.seq++
	op.seq = l.seq
	at := len(l.pending)
	for at > 0 && l.pending[at-1].effect > op.effect {
		at--
	}
	l.pending = slices.Insert(l.pending, at, op)
	return op.effect
}

// settle lets everything take effect that is due.
func (l *local) settle(now int64) {
	n := 0
	for ; n < len(l.pending) && l.pending[n].effect <= now; n++ {
		l.apply(&l.pending[n])
	}
	if n > 0 {
		l.pending = slices.Delete(l.pending, 0, n)
	}
}

func (l *local) apply(op *localOp) {
	if op.store {
		l.words[op.word] = op.value
		return
	}
	*op.result = l.words[op.word]
	l.words[op.word] += op.value
}

// load returns what the thread sees.
func (l *local) load(thread, word int32, now int64) uint32 {
	l.settle(now)
	value := l.words[word]
	for i := range l.pending {
		if p := &l.pending[i]; p.thread == thread && p.word == word && p.store {
			value = p.value
		}
	}
	return value
}
