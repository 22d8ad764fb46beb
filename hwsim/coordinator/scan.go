package coordinator

// scan is a wavefront of the coordinator's workgroup with its registers. A
// thread serves the wavefronts whose slots equal its number modulo the
// workgroup's threads: the i-th slot of a lane is in element i*lanes+lane.
type scan struct {
	*wavefront
	lanes, slots []int // of all turns, side by side
	address, sum []uint32
	value        []uint32 // of the variable, as it was read
	flag         []uint32
	finished     []bool
	known        bool // the values are those of this scan
	total        int  // wavefronts that have to finish
}

// Local memory of the coordinator's workgroup: arrays over the slots, and the
// number of finished wavefronts.
func (s *sim) localAddress(slot int) int { return slot }
func (s *sim) localSums(slot int) int    { return s.slots + slot }
func (s *sim) localDone() int            { return 2 * s.slots }

func coordinatorWords(slots int) int { return 2*slots + 1 }

// coordinate is AtomicCoordinator of Figure 7: scans follow each other until
// all other wavefronts have finished.
func (w *wavefront) coordinate() {
	c := newScan(w)
	for {
		if w.s.pace.Attentive() && c.sleeps() {
			return
		}
		w.s.count.Scans++
		c.readStatus()
		c.barrier(BarrierLoad, false)
		c.combine()
		c.barrier(BarrierCombine, false)
		done := c.localLoad(0, w.s.localDone())
		c.update()
		c.barrier(FenceRelease, true)
		c.release()
		c.fence(FenceUpdate)
		if int(done) == c.total {
			return
		}
		if c.countFinished() {
			return
		}
		w.until(w.s.pace.Turn(w))
	}
}

func newScan(w *wavefront) *scan {
	c := &scan{wavefront: w, total: w.s.slots - w.s.helpers}
	threads := w.s.helpers * w.s.lanes
	for first := 0; first < w.s.slots; first += threads {
		for lane := range w.s.lanes {
			slot := first + w.number*w.s.lanes + lane
			if slot >= w.s.helpers && slot < w.s.slots {
				c.lanes, c.slots = append(c.lanes, lane), append(c.slots, slot)
			}
		}
	}
	n := len(c.slots)
	for _, list := range []*[]uint32{&c.address, &c.sum, &c.value, &c.flag} {
		*list = make([]uint32, n)
	}
	c.finished = make([]bool, n)
	return c
}

// sleeps waits, where the regime sees requests at once, for a request; it
// returns true when all have finished instead.
func (c *scan) sleeps() bool {
	c.group.rendezvous(c.wavefront) // so that all decide alike
	for {
		done := 0
		for slot := c.s.helpers; slot < c.s.slots; slot++ {
			if c.s.memory.load(-1, -1, c.s.layout.addresses+slot, c.e.now) != 0 {
				return false
			}
			done += int(c.s.memory.load(-1, -1, c.s.layout.finished+slot, c.e.now))
		}
		if done == c.total {
			return true
		}
		c.s.idle = append(c.s.idle, c.wavefront)
		c.park()
	}
}

// elements returns lanes, words of an array and places of the scan's elements
// for which keep holds.
func (c *scan) elements(base int, keep func(i int) bool) (lanes, words, places []int) {
	for i, slot := range c.slots {
		if keep(i) {
			lanes, words, places = append(lanes, c.lanes[i]), append(words, base+slot), append(places, i)
		}
	}
	return lanes, words, places
}

// fetch reads an array into out, for the elements for which keep holds.
func (c *scan) fetch(base int, out []uint32, keep func(i int) bool) {
	lanes, words, places := c.elements(base, keep)
	c.gatherTo(lanes, words, places, out)
}

// readStatus is the first step: the status of the wavefronts into local memory.
func (c *scan) readStatus() {
	l := &c.s.layout
	all := func(int) bool { return true }
	c.known = false
	c.fetch(l.addresses, c.address, all)
	counts := !c.s.options.AsPrinted && !c.s.pace.Attentive()
	if counts {
		c.fetch(l.finished, c.flag, func(i int) bool { return !c.finished[i] })
	}
	if c.s.fences&FenceRead != 0 {
		c.fence(FenceRead)
		all = c.asks
		if !c.s.options.AsPrinted {
			c.readVariables()
		}
	}
	c.fetch(l.sums, c.sum, all)
	c.await()
	for i, slot := range c.slots {
		c.localStore(c.lanes[i], c.s.localAddress(slot), c.address[i])
		c.localStore(c.lanes[i], c.s.localSums(slot), c.sum[i])
	}
	if counts {
		c.notice()
	}
}

// asks reports whether the element's wavefront has a request.
func (c *scan) asks(i int) bool { return c.address[i] != 0 }

// notice adds the wavefronts that are newly seen to have finished.
func (c *scan) notice() {
	var unused uint32
	for i := range c.slots {
		if c.flag[i] != 0 && !c.finished[i] {
			c.finished[i] = true
			c.localAdd(c.lanes[i], c.s.localDone(), 1, &unused)
		}
	}
}

// release is the end of the third step: the wavefronts may go on.
func (c *scan) release() {
	lanes, words, _ := c.elements(c.s.layout.addresses, c.asks)
	c.scatter(lanes, words, make([]uint32, len(lanes)))
	if len(lanes) > 0 {
		c.acts()
	}
}

// countFinished is the fourth step as Figure 7 has it: every thread reads all
// flags, and leaves when all are set. Threads of several wavefronts that count
// apart may part, and those that stay wait at the next barrier for ever; so
// where there are several, one counts, and all leave after the next barrier.
func (c *scan) countFinished() bool {
	if !c.s.options.AsPrinted || c.number != 0 {
		return false
	}
	flags := make([]uint32, c.s.slots)
	words := make([]int, 1)
	for first := c.s.helpers; first < c.s.slots; first += c.s.pace.Clause() {
		for slot := first; slot < min(first+c.s.pace.Clause(), c.s.slots); slot++ {
			words[0] = c.s.layout.finished + slot
			c.gather([]int{0}, words, func(int) *uint32 { return &flags[slot] })
		}
		c.await()
	}
	done := uint32(0)
	for _, f := range flags {
		done += f
	}
	c.localStore(0, c.s.localDone(), done)
	return c.s.helpers == 1 && int(done) == c.total
}

// combine is the second step of Figure 7: every request gets its old value,
// and the first request of each address, the dominant one, what becomes of the
// variable.
func (c *scan) combine() {
	lanes, _, places := c.variables()
	if len(lanes) == 0 {
		return
	}
	if !c.known {
		c.readVariables()
		c.await()
	}
	dominant := c.search(places)
	olds := c.addTogether(places, dominant)
	words := make([]int, len(places))
	for n, i := range places {
		words[n] = c.s.layout.olds + c.slots[i]
	}
	c.scatter(lanes, words, olds)
}

// variables returns the lanes with requests, the words of their variables and
// their elements.
func (c *scan) variables() (lanes, words, places []int) {
	for i := range c.slots {
		if c.asks(i) {
			lanes, places = append(lanes, c.lanes[i]), append(places, i)
			words = append(words, int(c.address[i])-1)
		}
	}
	return lanes, words, places
}

// readVariables asks for the values of the variables of this scan's requests.
func (c *scan) readVariables() {
	lanes, words, places := c.variables()
	c.gatherTo(lanes, words, places, c.value)
	c.known = true
}

// gatherTo reads a word for each lane into the places of out; await brings them.
func (c *scan) gatherTo(lanes, words, places []int, out []uint32) {
	c.gather(lanes, words, func(n int) *uint32 { return &out[places[n]] })
}

// search finds, for each request, the slot of the first request of the same
// address. All lanes compare in lock-step, so it takes as long as the lane that
// searches longest.
func (c *scan) search(places []int) []int {
	first := make([]int, len(places))
	turns := 0
	for n, i := range places {
		slot, mine := c.slots[i], c.address[i]
		k := c.s.helpers
		for k < slot && c.localLoad(c.lanes[i], c.s.localAddress(k)) != mine {
			k++
		}
		first[n] = k
		turns = max(turns, k-c.s.helpers+1)
	}
	c.until(c.s.pace.Compare(c.wavefront, turns))
	return first
}

// addTogether adds each sum to that of the dominant request, line 27 of
// Figure 7, and returns the old values.
func (c *scan) addTogether(places, first []int) []uint32 {
	olds := make([]uint32, len(places))
	adding, due := 0, c.e.now
	for n, i := range places {
		slot := c.slots[i]
		if first[n] == slot {
			continue
		}
		adding++
		mine := c.localLoad(c.lanes[i], c.s.localSums(slot))
		due = max(due, c.localAdd(c.lanes[i], c.s.localSums(first[n]), mine, &olds[n]))
		c.localStore(c.lanes[i], c.s.localSums(slot), 0)
	}
	if adding > 0 {
		due = max(due, c.s.pace.LocalAtomic(c.wavefront, adding))
		c.localDone = max(c.localDone, due)
		c.localAwait(due)
	}
	for n, i := range places {
		olds[n] += c.value[i]
	}
	return olds
}

// update is the beginning of the third step: the dominant requests' lanes
// write the variables.
func (c *scan) update() {
	lanes, words, places := c.variables()
	var writers, targets []int
	var values []uint32
	for n, i := range places {
		// Figure 7 writes where the sum is above 0 and loses what a negative one
		// subtracts; here it is any sum but 0.
		if sum := c.localLoad(c.lanes[i], c.s.localSums(c.slots[i])); sum != 0 {
			writers, targets = append(writers, lanes[n]), append(targets, words[n])
			values = append(values, c.value[i]+sum)
		}
	}
	c.scatter(writers, targets, values)
}
