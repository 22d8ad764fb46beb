package gomezluna13

import (
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/latency"
)

// setting is a layout, and whether the warp's pattern is sorted before.
type setting struct {
	layout
	sorted bool
}

// counter counts the conflicts of patterns. It is for one goroutine.
type counter struct {
	*probe
	degrees
	counts             []float64
	round, bank, write int // places of the terms in counts
	placed, ascending  []int32
}

func newCounter() (*counter, error) {
	p, err := newProbe(device.OpAdd)
	if err != nil {
		return nil, err
	}
	terms := latency.Terms()
	return &counter{
		probe: p, counts: make([]float64, len(terms)), placed: make([]int32, lanes), ascending: make([]int32, lanes),
		round: slices.Index(terms, "round"), bank: slices.Index(terms, "bank"), write: slices.Index(terms, "write"),
	}, nil
}

// batch sums over the patterns of one batch for each setting. Every apart-th
// pattern is taken apart, and every tried-th simulated.
func (c *counter) batch(o papers.Options, words, number, apart, tried int, settings []setting) []conflicts {
	sums := make([]conflicts, len(settings))
	offsets := make([][lanes]int32, len(settings))
	for i, s := range settings {
		offsets[i] = s.offsets()
	}
	eachPattern(o, words, number, func(i int, pattern []int32) {
		copy(c.ascending, pattern)
		slices.Sort(c.ascending)
		for s := range settings {
			wanted := pattern
			if settings[s].sorted {
				wanted = c.ascending
			}
			place(c.placed, wanted, &offsets[s])
			c.add(&sums[s], wanted, i%apart == 0, i%tried == 0)
		}
	})
	return sums
}

// add adds the placed pattern, which may be taken apart and simulated.
func (c *counter) add(sum *conflicts, wanted []int32, apart, try bool) {
	var cycles float64
	if apart {
		cycles = c.takeApart(sum)
		sum.neighbours.add(wanted, c.placed)
	} else {
		cycles = c.closed(c.placed)
	}
	sum.patterns++
	sum.cycles += cycles
	if try {
		sum.tried++
		sum.simulated += c.simulated(c.placed)
		sum.closed += cycles
	}
}

// takeApart adds what the placed pattern's latency consists of and returns it.
func (c *counter) takeApart(sum *conflicts) (cycles float64) {
	counts, err := c.model.Counts(c.placed)
	if err != nil {
		return c.keep(0, err)
	}
	copy(c.counts, counts[:])
	c.counts[latency.TermHidden] = 0
	for term, n := range c.counts {
		cycles += n * c.params.Constant(term)
	}
	sum.counted++
	sum.lock += c.counts[c.round] * c.params.Round
	sum.bank += c.counts[c.bank]*c.params.Bank + c.counts[c.write]*c.params.Write
	position, lock, bank := c.of(c.placed)
	sum.positionDegree += float64(position)
	sum.lockDegree += float64(lock)
	sum.bankDegree += float64(bank)
	if lock > position {
		sum.aliased++
	}
	if lock > 1 {
		sum.locked++
	}
	return cycles
}

// add counts the pairs of consecutive lanes.
func (n *neighbours) add(wanted, placed []int32) {
	for l := 1; l < len(wanted); l++ {
		if wanted[l] != wanted[l-1] {
			continue
		}
		n.pairs++
		switch apart := placed[l] - placed[l-1]; {
		case apart == 0:
			n.onWord++
		case apart%lockWords == 0:
			n.onLock++
		case apart%lanes == 0:
			n.onBank++
		}
	}
}
