package coordinator

// wavefront is a process that executes in lock-step. It keeps what the memory
// model needs: which of its writes a fence has to order, and which words it may
// still see as it read them before.
type wavefront struct {
	*process
	s      *sim
	group  *group
	number int   // in its workgroup
	slot   int   // its element of the four arrays
	first  int32 // thread of lane 0

	floor     int64 // no later write commits before
	last      int64 // when its last write commits
	unshown   []int // words with writes that no fence has shown to the workgroup
	seen      map[reading]uint32
	asked     []loading
	localDone int64 // when its operations on local memory have taken effect
	acked     int64 // when its stores are known to have committed
	commits   []int64
}

// reading is a word as one lane has read it.
type reading struct {
	lane int
	word int
}

// loading is a load under way: one word for each of some lanes.
type loading struct {
	sample, done int64
	lanes        []int
	words        []int
	out          []*uint32
}

func (w *wavefront) thread(lane int) int32 { return w.first + int32(lane) }

// gather asks for one word per lane; await brings it to out(i) for
// lanes[i]. A word
// that the lane has read since the last fence is not read again: nothing says
// that it must be.
func (w *wavefront) gather(lanes, words []int, out func(i int) *uint32) {
	var l loading
	for i, lane := range lanes {
		if value, ok := w.seen[reading{lane, words[i]}]; ok {
			*out(i) = value
			continue
		}
		l.lanes, l.words, l.out = append(l.lanes, lane), append(l.words, words[i]), append(l.out, out(i))
	}
	if len(l.lanes) > 0 {
		l.sample, l.done = w.s.pace.Load(w, l.words)
		w.asked = append(w.asked, l)
	}
}

// await performs the loads in the order in which memory is read for them.
func (w *wavefront) await() {
	done := w.e.now
	for len(w.asked) > 0 {
		first := 0
		for i := range w.asked {
			if w.asked[i].sample < w.asked[first].sample {
				first = i
			}
		}
		r := w.asked[first]
		w.asked = append(w.asked[:first], w.asked[first+1:]...)
		w.until(r.sample)
		for i, lane := range r.lanes {
			*r.out[i] = w.s.memory.load(w.thread(lane), w.group.number, r.words[i], w.e.now)
			w.seen[reading{lane, r.words[i]}] = *r.out[i]
		}
		w.s.count.Loads++
		done = max(done, r.done)
	}
	w.until(done)
}

// read loads one word for one lane.
func (w *wavefront) read(lane, word int) uint32 {
	var value uint32
	w.gather([]int{lane}, []int{word}, func(int) *uint32 { return &value })
	w.await()
	return value
}

// scatter stores one word per lane.
func (w *wavefront) scatter(lanes, words []int, values []uint32) {
	if len(lanes) == 0 {
		return
	}
	w.commits = w.commits[:0]
	for range lanes {
		w.commits = append(w.commits, 0)
	}
	held := w.s.pace.Store(w, words, w.commits)
	w.s.count.Stores++
	for i, lane := range lanes {
		at := w.s.memory.store(w.thread(lane), w.group.number, words[i], values[i], w.e.now,
			max(w.commits[i], w.floor))
		w.last = max(w.last, at)
		delete(w.seen, reading{lane, words[i]})
		w.unshown = append(w.unshown, words[i])
		w.s.notify(words[i], at)
	}
	w.until(held)
}

func (w *wavefront) write(lane, word int, value uint32) {
	w.scatter([]int{lane}, []int{word}, []uint32{value})
}

// fence orders the accesses to global memory before it and after it, if the
// protocol has that fence.
func (w *wavefront) fence(f Fence) {
	if w.s.fences&f == 0 {
		return
	}
	w.await()
	w.show()
	w.until(w.s.pace.Fence(w))
}

func (w *wavefront) show() {
	for _, word := range w.unshown {
		w.s.memory.publish(w.first, int32(w.s.lanes), word)
	}
	w.unshown = w.unshown[:0]
	w.floor = w.last
	clear(w.seen)
}

// localStore writes a word of local memory.
func (w *wavefront) localStore(lane, word int, value uint32) {
	w.issue(localOp{thread: w.thread(lane), word: int32(word), store: true, value: value})
}

// localAdd adds to a word of local memory; the old value is in result at the
// time that is returned.
func (w *wavefront) localAdd(lane, word int, value uint32, result *uint32) int64 {
	return w.issue(localOp{thread: w.thread(lane), word: int32(word), value: value, result: result})
}

func (w *wavefront) issue(op localOp) int64 {
	op.effect = w.s.pace.LocalEffect(w.e.now)
	at := w.group.local.issue(op, w.e.now)
	w.localDone = max(w.localDone, at)
	return at
}

func (w *wavefront) localLoad(lane, word int) uint32 {
	return w.group.local.load(w.thread(lane), int32(word), w.e.now)
}

// localFence waits for the wavefront's operations on local memory, if the
// protocol has that fence.
func (w *wavefront) localFence(f Fence) {
	if w.s.fences&f != 0 {
		w.localAwait(w.localDone)
	}
}

// localAwait waits for results of local memory.
func (w *wavefront) localAwait(at int64) {
	w.until(at)
	w.group.local.applyDue(w.e.now)
}

// barrier waits for the group's wavefronts, if the protocol has that barrier:
// for their operations on local memory and, with global, for their fences on
// global memory.
func (w *wavefront) barrier(f Fence, global bool) {
	if w.s.fences&f == 0 {
		return
	}
	w.localAwait(w.localDone)
	if global {
		w.await()
		w.show()
		w.until(w.s.pace.Fence(w))
		w.group.floor = max(w.group.floor, w.floor)
	}
	w.group.rendezvous(w)
	if global {
		w.floor = max(w.floor, w.group.floor)
	}
}

// group is a workgroup that runs.
type group struct {
	number int32
	unit   int // compute unit
	local  *local
	fronts []*wavefront
	left   int // wavefronts that have not ended
	floor  int64
	here   []*wavefront // at the barrier
}

// rendezvous holds the wavefront until all of the group are there.
func (g *group) rendezvous(w *wavefront) {
	if len(g.here)+1 < len(g.fronts) {
		g.here = append(g.here, w)
		w.park()
		return
	}
	leave := w.s.pace.Barrier(w.e.now)
	for _, o := range g.here {
		w.e.schedule(leave, o.process)
	}
	g.here = g.here[:0]
	w.until(leave)
}
