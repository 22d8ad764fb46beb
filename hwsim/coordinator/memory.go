package coordinator

import "slices"

// memory is the global memory, in words of 32 bits. A write is visible
//
//   - to the thread that made it, at once;
//   - to the other threads of its workgroup, from that thread's next fence on;
//   - to everyone, from its commit on, which may be late.
//
// Writes commit in any order, but for two rules: a fence parts a wavefront's
// writes before it from those after it, and writes to one word commit in the
// order in which they could see each other. This is what [elteir11] section
// IV-C relies on: "once B is visible to threads in other workgroups, A will be
// visible as well".
type memory struct {
	words []word
	seq   uint64
}

type word struct {
	value   uint32  // committed
	pending []write // in the order of issue
}

type write struct {
	value     uint32
	thread    int32
	group     int32
	published bool // the workgroup sees it
	commit    int64
	seq       uint64
}

func newMemory(words int) *memory { return &memory{words: make([]word, words)} }

// visible reports whether a thread sees the write before it commits.
func (w *write) visible(thread, group int32) bool {
	return w.thread == thread || (w.published && w.group == group)
}

// before orders the writes of one word.
func (w *write) before(o *write) bool {
	return w.commit < o.commit || (w.commit == o.commit && w.seq < o.seq)
}

// applyDue commits what is due.
func (w *word) applyDue(now int64) {
	if len(w.pending) == 0 {
		return
	}
	last := -1
	kept := w.pending[:0]
	var latest write
	for i := range w.pending {
		p := w.pending[i]
		if p.commit > now {
			kept = append(kept, p)
		} else if last < 0 || latest.before(&p) {
			latest, last = p, i
		}
	}
	if last >= 0 {
		w.value = latest.value
	}
	w.pending = kept
}

// store makes a write that commits at that time or, if the thread sees a
// later write to the word, together with that one. It returns the time.
func (m *memory) store(thread, group int32, address int, value uint32, now, commit int64) int64 {
	w := &m.words[address]
	w.applyDue(now)
	for i := range w.pending {
		if p := &w.pending[i]; p.visible(thread, group) {
			commit = max(commit, p.commit)
		}
	}
	m.seq++
	w.pending = append(w.pending, write{value, thread, group, false, commit, m.seq})
	return commit
}

// load returns what the thread sees.
func (m *memory) load(thread, group int32, address int, now int64) uint32 {
	w := &m.words[address]
	w.applyDue(now)
	value := w.value
	var latest *write
	for i := range w.pending {
		if p := &w.pending[i]; p.visible(thread, group) && (latest == nil || latest.before(p)) {
			latest, value = p, p.value
		}
	}
	return value
}

// publish shows the threads' writes to that word to their workgroup.
func (m *memory) publish(first, threads int32, address int) {
	pending := m.words[address].pending
	for i := range pending {
		if t := pending[i].thread; t >= first && t < first+threads {
			pending[i].published = true
		}
	}
}

// final returns the word once everything has committed.
func (m *memory) final(address int) uint32 {
	w := &m.words[address]
	w.applyDue(1<<63 - 1)
	return w.value
}

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
	l.applyDue(now)
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

// applyDue lets everything take effect that is due.
func (l *local) applyDue(now int64) {
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
	l.applyDue(now)
	value := l.words[word]
	for i := range l.pending {
		if p := &l.pending[i]; p.thread == thread && p.word == word && p.store {
			value = p.value
		}
	}
	return value
}
