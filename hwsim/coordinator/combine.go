package coordinator

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
		c.settled = max(c.settled, due)
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
