package coordinator

import "slices"

// memory is a global or local memory, in words of 32 bits. A write to global memory is
// visible to the thread that made it at once, to the other threads of its workgroup from
// that thread's next fence on, and to everyone from its commit on, which may be late.
//
// Writes commit in any order, but for two rules: a fence parts a wavefront's
// writes before it from those after it, and writes to one word commit in the
// order in which they could see each other. [elteir11] section IV-C relies on this.
//
// The words of local memory also add. A thread sees its own stores, and its operations on
// one word keep their order.
type memory struct {
	words   []word
	pending int // operations that have not committed
}

type word struct {
	value   uint32      // committed
	pending []operation // in the order in which they commit
}

type operation struct {
	commit    int64
	thread    int32
	group     int32
	published bool // the workgroup sees it
	value     uint32
	old       *uint32 // where an addition puts the old value; nil for a store
}

func newMemory(words int) *memory { return &memory{words: make([]word, words)} }

// visible reports whether a thread sees the operation before it commits.
func (o *operation) visible(thread, group int32) bool {
	return o.thread == thread || (o.published && o.group == group)
}

func (m *memory) commit(address int, now int64) *word {
	w := &m.words[address]
	due := 0
	for ; due < len(w.pending) && w.pending[due].commit <= now; due++ {
		w.apply(&w.pending[due])
	}
	if due > 0 {
		m.pending -= due
		w.pending = slices.Delete(w.pending, 0, due)
	}
	return w
}

func (m *memory) commitAll(now int64) {
	for address := 0; m.pending > 0 && address < len(m.words); address++ {
		m.commit(address, now)
	}
}

func (w *word) apply(o *operation) {
	if o.old == nil {
		w.value = o.value
		return
	}
	*o.old = w.value
	w.value += o.value
}

// issue enters an operation that commits at its time or, if the thread sees a later one on
// the word, together with that one. It returns the time.
func (m *memory) issue(o operation, address int, now int64) int64 {
	w := m.commit(address, now)
	for i := range w.pending {
		if p := &w.pending[i]; p.visible(o.thread, o.group) {
			o.commit = max(o.commit, p.commit)
		}
	}
	if len(w.pending) == 0 && o.commit <= now {
		w.apply(&o)
		return now
	}
	at := len(w.pending)
	for at > 0 && w.pending[at-1].commit > o.commit {
		at--
	}
	w.pending = slices.Insert(w.pending, at, o)
	m.pending++
	return o.commit
}

func (m *memory) load(thread, group int32, address int, now int64) uint32 {
	w := m.commit(address, now)
	value := w.value
	for i := range w.pending {
		if p := &w.pending[i]; p.old == nil && p.visible(thread, group) {
			value = p.value
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
