package coordinator

// Front is a wavefront that runs, a process that executes in lock-step. It keeps what the
// memory model needs: which of its writes a fence has to order, and which words it may
// still see as it read them before.
type Front struct {
	*process
	*sim
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
}

// reading is a word as one lane has read it.
type reading struct{ lane, word int }

type loading struct {
	sample, done int64
	words        []LaneAccess
}

func (w *Front) Group() int32 { return w.group.number }

func (w *Front) thread(lane int) int32 { return w.first + int32(lane) }

// gather asks for one word per lane; await brings it. A word that the lane has read since
// the last fence is not read again: nothing says that it must be.
func (w *Front) gather(words []LaneAccess) {
	fresh := words[:0]
	for _, a := range words {
		if value, ok := w.seen[reading{a.lane, a.Word}]; ok {
			*a.result = value
		} else {
			fresh = append(fresh, a)
		}
	}
	if len(fresh) > 0 {
		sample, done := w.Timing.Load(w, fresh)
		w.asked = append(w.asked, loading{sample, done, fresh})
	}
}

// await performs the loads in the order in which memory is read for them.
func (w *Front) await() {
	done := w.Now()
	for len(w.asked) > 0 {
		first := 0
		for i := range w.asked {
			if w.asked[i].sample < w.asked[first].sample {
				first = i
			}
		}
		r := w.asked[first]
		w.asked = append(w.asked[:first], w.asked[first+1:]...)
		w.Until(r.sample)
		for _, a := range r.words {
			*a.result = w.memory.load(w.thread(a.lane), w.group.number, a.Word, w.Now())
			w.seen[reading{a.lane, a.Word}] = *a.result
		}
		done = max(done, r.done)
	}
	w.Until(done)
}

func (w *Front) read(lane, word int) uint32 {
	var value uint32
	w.gather([]LaneAccess{{lane: lane, Word: word, result: &value}})
	w.await()
	return value
}

func (w *Front) scatter(words []LaneAccess) {
	if len(words) == 0 {
		return
	}
	held := w.Timing.Store(w, words)
	for _, a := range words {
		at := w.memory.issue(operation{commit: max(a.Commit, w.floor), thread: w.thread(a.lane),
			group: w.group.number, value: a.value}, a.Word, w.Now())
		w.last = max(w.last, at)
		delete(w.seen, reading{a.lane, a.Word})
		w.unshown = append(w.unshown, a.Word)
		w.wake(a.Word, at)
	}
	w.Until(held)
}

func (w *Front) write(lane, word int, value uint32) {
	w.scatter([]LaneAccess{{lane: lane, Word: word, value: value}})
}

func (w *Front) fence(f Fence) {
	if w.fences&f != 0 {
		w.globalFence()
	}
}

// globalFence holds the wavefront until its stores are known to have committed.
func (w *Front) globalFence() {
	w.await()
	for _, word := range w.unshown {
		w.memory.publish(w.first, int32(w.Lanes), word)
	}
	w.unshown = w.unshown[:0]
	w.floor = w.last
	clear(w.seen)
	w.Until(max(w.Now(), w.acked) + w.Fence)
}

func (w *Front) localStore(lane, word int, value uint32) { w.localAdd(lane, word, value, nil) }

// localAdd adds to a word of local memory, or stores; the old value is in result when it returns.
func (w *Front) localAdd(lane, word int, value uint32, result *uint32) int64 {
	o := operation{commit: w.Now(), thread: w.thread(lane), value: value, old: result}
	if w.LocalDelay != nil {
		o.commit += w.LocalDelay()
	}
	at := w.group.local.issue(o, word, w.Now())
	w.localDone = max(w.localDone, at)
	return at
}

func (w *Front) localLoad(lane, word int) uint32 {
	return w.group.local.load(w.thread(lane), 0, word, w.Now())
}

func (w *Front) localFence(f Fence) {
	if w.fences&f != 0 {
		w.localAwait(w.localDone)
	}
}

func (w *Front) localAwait(at int64) {
	w.Until(at)
	w.group.local.commitAll(w.Now())
}

// barrier waits for the group's wavefronts, if the protocol has that barrier:
// for their operations on local memory and, with global, for their fences on
// global memory.
func (w *Front) barrier(f Fence, global bool) {
	if w.fences&f == 0 {
		return
	}
	w.localAwait(w.localDone)
	if global {
		w.globalFence()
		w.group.floor = max(w.group.floor, w.floor)
	}
	w.group.wait(w)
	if global {
		w.floor = max(w.floor, w.group.floor)
	}
}

type group struct {
	number  int32
	unit    int // compute unit
	fronts  int
	local   *memory
	ended   int // wavefronts
	floor   int64
	waiting []*Front // at the barrier
}

func (g *group) wait(w *Front) {
	if len(g.waiting)+1 < g.fronts {
		g.waiting = append(g.waiting, w)
		w.park()
		return
	}
	leave := w.Now() + w.Barrier
	for _, o := range g.waiting {
		w.schedule(leave, o.process)
	}
	g.waiting = g.waiting[:0]
	w.Until(leave)
}
