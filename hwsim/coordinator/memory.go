package coordinator

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

// settle commits what is due.
func (w *word) settle(now int64) {
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
	w.settle(now)
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
	w.settle(now)
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
	w.settle(1<<63 - 1)
	return w.value
}
