package gomezluna13

// conflicts are sums over random patterns, or means once divided.
type conflicts struct {
	patterns, cycles float64 // closed form
	// Of the patterns that were taken apart.
	counted        float64
	lock, bank     float64 // cycles beyond the base latency
	lockDegree     float64
	positionDegree float64
	bankDegree     float64
	aliased        float64 // patterns whose lock degree is above their position degree
	locked         float64 // patterns with a lock degree above 1
	neighbours     neighbours
	// Of the patterns that were simulated: their simulated cycles,
	// and those of the closed form.
	tried, simulated, closed float64
}

// neighbours are pairs of consecutive lanes that want the same word of the
// vote space, and how many of them meet in shared memory: on one word, on
// different words of one lock, or of one bank.
type neighbours struct{ pairs, onWord, onLock, onBank float64 }

func (c *conflicts) countedFields() []*float64 {
	n := &c.neighbours
	return []*float64{
		&c.lock, &c.bank, &c.lockDegree, &c.positionDegree, &c.bankDegree, &c.aliased, &c.locked,
		&n.pairs, &n.onWord, &n.onLock, &n.onBank,
	}
}

// fields lists all that is summed.
func (c *conflicts) fields() []*float64 {
	return append(c.countedFields(), &c.patterns, &c.cycles, &c.counted, &c.tried, &c.simulated, &c.closed)
}

func (c *conflicts) add(other conflicts) {
	mine := c.fields()
	for i, theirs := range other.fields() {
		*mine[i] += *theirs
	}
}

// means divides the sums by the number of patterns behind each.
func (c conflicts) means() conflicts {
	c.cycles /= c.patterns
	for _, sum := range c.countedFields() {
		*sum /= c.counted
	}
	c.simulated /= c.tried
	c.closed /= c.tried
	return c
}

// meansOf adds batches up, in their order, and divides.
func meansOf(batches [][]conflicts) []conflicts {
	total := make([]conflicts, len(batches[0]))
	for _, sums := range batches {
		for i := range sums {
			total[i].add(sums[i])
		}
	}
	for i := range total {
		total[i] = total[i].means()
	}
	return total
}
