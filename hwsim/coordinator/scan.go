package coordinator

// scan is a wavefront of the coordinator's workgroup with its registers. A
// thread serves the wavefronts whose slots equal its number modulo the
// workgroup's threads.
type scan struct {
	*Front
	elements []*element // of all iterations, side by side
	known    bool       // the variables' values are those of this scan
}

type element struct {
	lane, slot        int
	asked             uint32 // the request
	operand, expected uint32 // of it
	value             uint32 // of the variable, as it was read
	flag              uint32 // it has finished, as it was read
	finished          bool   // and counted
}

func (e *element) requests() bool { return e.asked != 0 }
func (e *element) variable() int  { return request(e.asked).variable() }

// Local memory of the coordinator's workgroup: arrays over the slots, and the
// number of finished wavefronts.
func (s *sim) localAddress(slot int) int  { return slot }
func (s *sim) localSums(slot int) int     { return s.Wavefronts + slot }
func (s *sim) localExpected(slot int) int { return 2*s.Wavefronts + slot }
func (s *sim) localFinished() int         { return 3 * s.Wavefronts }
func (s *sim) coordinatorWords() int      { return 3*s.Wavefronts + 1 }

// coordinate is AtomicCoordinator of Figure 7: scans follow each other until
// all other wavefronts have finished.
func (w *Front) coordinate() {
	c := &scan{Front: w}
	for first := 0; first < w.Wavefronts; first += w.CoordinatorWavefronts * w.Lanes {
		for lane := range w.Lanes {
			slot := first + w.number*w.Lanes + lane
			if slot >= w.CoordinatorWavefronts && slot < w.Wavefronts {
				c.elements = append(c.elements, &element{lane: lane, slot: slot})
			}
		}
	}
	for {
		if w.Wake && c.awaitRequest() {
			return
		}
		c.readStatus()
		c.barrier(BarrierLoad, false)
		c.combine()
		c.barrier(BarrierCombine, false)
		done := int(c.localLoad(0, w.localFinished()))
		c.update()
		c.barrier(FenceRelease, true)
		c.release()
		c.fence(FenceUpdate)
		if done == w.requesters() || c.countFinished() {
			return
		}
		w.Until(w.Timing.Poll(w))
	}
}

func (s *sim) requesters() int { return s.Wavefronts - s.CoordinatorWavefronts }

// awaitRequest waits, where the regime wakes wavefronts, for a request; it
// returns true when all have finished instead.
func (c *scan) awaitRequest() bool {
	c.group.wait(c.Front) // so that all decide alike
	for {
		done := 0
		for slot := c.CoordinatorWavefronts; slot < c.Wavefronts; slot++ {
			if c.memory.load(-1, -1, c.layout.addresses+slot, c.Now()) != 0 {
				return false
			}
			done += int(c.memory.load(-1, -1, c.layout.finished+slot, c.Now()))
		}
		if done == c.requesters() {
			return true
		}
		c.idle = append(c.idle, c.Front)
		c.park()
	}
}

func (c *scan) those(keep func(e *element) bool) []*element {
	var out []*element
	for _, e := range c.elements {
		if keep(e) {
			out = append(out, e)
		}
	}
	return out
}

func (c *scan) load(of []*element, word func(e *element) (int, *uint32)) {
	words := make([]LaneAccess, len(of))
	for i, e := range of {
		words[i].lane = e.lane
		words[i].Word, words[i].result = word(e)
	}
	c.gather(words)
}

func (c *scan) store(of []*element, word func(i int, e *element) (int, uint32)) {
	words := make([]LaneAccess, len(of))
	for i, e := range of {
		words[i].lane = e.lane
		words[i].Word, words[i].value = word(i, e)
	}
	c.scatter(words)
}

// readStatus is the first step: the status of the wavefronts into local memory.
func (c *scan) readStatus() {
	l, printed := &c.layout, c.options.AsPrinted
	c.known = false
	c.load(c.elements, func(e *element) (int, *uint32) { return l.addresses + e.slot, &e.asked })
	if !printed && !c.Wake {
		unfinished := c.those(func(e *element) bool { return !e.finished })
		c.load(unfinished, func(e *element) (int, *uint32) { return l.finished + e.slot, &e.flag })
	}
	of := c.elements
	if c.fences&FenceRead != 0 {
		c.fence(FenceRead)
		of = c.those((*element).requests)
		if !printed {
			c.readVariables(of)
		}
	}
	c.load(of, func(e *element) (int, *uint32) { return l.operands + e.slot, &e.operand })
	if c.others {
		c.load(of, func(e *element) (int, *uint32) { return l.expected + e.slot, &e.expected })
	}
	c.await()
	for _, e := range c.elements {
		c.localStore(e.lane, c.localAddress(e.slot), e.asked)
		c.localStore(e.lane, c.localSums(e.slot), e.operand)
		c.localStore(e.lane, c.localExpected(e.slot), e.expected)
	}
	var unused uint32
	for _, e := range c.elements {
		if e.flag != 0 && !e.finished {
			e.finished = true
			c.localAdd(e.lane, c.localFinished(), 1, &unused)
		}
	}
}

func (c *scan) readVariables(requests []*element) {
	c.load(requests, func(e *element) (int, *uint32) { return e.variable(), &e.value })
	c.known = true
}

// combine is the second step of Figure 7: every request gets its old value,
// and the first request of each address, the dominant one, what becomes of the
// variable.
func (c *scan) combine() {
	requests := c.those((*element).requests)
	if len(requests) == 0 {
		return
	}
	if !c.known {
		c.readVariables(requests)
		c.await()
	}
	first := c.search(requests)
	if c.others {
		c.serve(requests, first)
		return
	}
	olds := c.addTogether(requests, first)
	c.store(requests, func(i int, e *element) (int, uint32) {
		return c.layout.olds + e.slot, olds[i] + e.value
	})
}

// search finds, for each request, the slot of the first request of the same
// address. All lanes compare in lock-step, so it takes as long as the lane that
// searches longest.
func (c *scan) search(requests []*element) []int {
	first, steps := make([]int, len(requests)), 0
	for i, e := range requests {
		slot := c.CoordinatorWavefronts
		for slot < e.slot && !c.requestIn(e, slot).names(request(e.asked)) {
			slot++
		}
		first[i] = slot
		steps = max(steps, slot-c.CoordinatorWavefronts+1)
	}
	c.Until(c.Timing.Compare(c.Front, steps))
	return first
}

func (c *scan) requestIn(e *element, slot int) request {
	return request(c.localLoad(e.lane, c.localAddress(slot)))
}

// serve is the rest of the second step and the third one where operations are not only additions:
// the dominant requests' lanes execute those of their address in the order of the slots.
func (c *scan) serve(requests []*element, first []int) {
	var dominant []*element
	for i, e := range requests {
		if first[i] == e.slot {
			dominant = append(dominant, e)
		}
	}
	for slot := c.CoordinatorWavefronts; slot < c.Wavefronts; slot++ {
		var answers []LaneAccess
		for _, e := range dominant {
			if r := c.requestIn(e, slot); r.names(request(e.asked)) {
				answers = append(answers, LaneAccess{lane: e.lane, Word: c.layout.olds + slot, value: e.value})
				e.value = r.op().apply(e.value, c.localLoad(e.lane, c.localSums(slot)),
					c.localLoad(e.lane, c.localExpected(slot)))
			}
		}
		c.scatter(answers)
	}
	c.Until(c.Timing.Compare(c.Front, c.requesters()))
	c.store(dominant, func(_ int, e *element) (int, uint32) { return e.variable(), e.value })
}

// addTogether adds each sum to that of the dominant request, line 27 of
// Figure 7, and returns the sums before.
func (c *scan) addTogether(requests []*element, first []int) []uint32 {
	olds := make([]uint32, len(requests))
	adding, due := 0, c.Now()
	for i, e := range requests {
		if first[i] == e.slot {
			continue
		}
		adding++
		sum := c.localLoad(e.lane, c.localSums(e.slot))
		due = max(due, c.localAdd(e.lane, c.localSums(first[i]), sum, &olds[i]))
		c.localStore(e.lane, c.localSums(e.slot), 0)
	}
	if adding > 0 {
		due = max(due, c.Timing.LocalAtomic(c.Front, adding))
		c.localDone = max(c.localDone, due)
		c.localAwait(due)
	}
	return olds
}

// update is the beginning of the third step: the dominant requests' lanes write the
// variables. Figure 7 writes where the sum is above 0 and loses what a negative one
// subtracts; here it is any sum but 0.
func (c *scan) update() {
	if c.others {
		return
	}
	sum := func(e *element) uint32 { return c.localLoad(e.lane, c.localSums(e.slot)) }
	dominant := c.those(func(e *element) bool { return e.requests() && sum(e) != 0 })
	c.store(dominant, func(_ int, e *element) (int, uint32) { return e.variable(), e.value + sum(e) })
}

func (c *scan) release() {
	requests := c.those((*element).requests)
	c.store(requests, func(_ int, e *element) (int, uint32) { return c.layout.addresses + e.slot, 0 })
	if len(requests) > 0 {
		c.Progress()
	}
}

// countFinished is the fourth step as Figure 7 has it: every thread reads all
// flags, and leaves when all are set. Threads of several wavefronts that count
// apart may part, and those that stay wait at the next barrier for ever; so
// where there are several, one counts, and all leave after the next barrier.
func (c *scan) countFinished() bool {
	if !c.options.AsPrinted || c.number != 0 {
		return false
	}
	flags := make([]uint32, c.Wavefronts)
	for first := c.CoordinatorWavefronts; first < c.Wavefronts; first += c.Clause {
		for slot := first; slot < min(first+c.Clause, c.Wavefronts); slot++ {
			c.gather([]LaneAccess{{Word: c.layout.finished + slot, result: &flags[slot]}})
		}
		c.await()
	}
	done := 0
	for _, f := range flags {
		done += int(f)
	}
	c.localStore(0, c.localFinished(), uint32(done))
	return c.CoordinatorWavefronts == 1 && done == c.requesters()
}
