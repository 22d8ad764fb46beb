package reuse

import (
	"math/bits"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// curve finds the distances of reuse of a stream: how many different rows lie between two updates of
// one. It follows the rows whose hash is low, as [waldspurger15] does, and takes each to stand for as
// many as there are of them. What is too many or too few in the sample counts as reuse at distance 0,
// which is their correction.
type curve struct {
	updates uint64
	low     uint64 // rows with a lower hash are followed
	last    map[uint32]int
	marks   []int32 // a binary indexed tree over the places of followed updates: 1 at each row's last
	at      int
	found   [Sizes]uint64 // reuse with fewer than 2^j rows between, of the sample
	first   uint64        // updates of the sample without an earlier one
}

const mostFollowed = 1 << 14

func newCurve(updates, unique uint64) *curve {
	c := &curve{updates: updates, low: 1 << 32, last: map[uint32]int{}}
	if unique > mostFollowed {
		c.low = mostFollowed << 32 / unique
	}
	return c
}

func (c *curve) share() float64 { return float64(c.low) / (1 << 32) }

func (c *curve) take(row uint32) {
	if row == Inactive || splitmix.Mix(uint64(row))>>32 >= c.low {
		return
	}
	if c.at == len(c.marks) {
		c.grow()
	}
	if last, ok := c.last[row]; ok {
		between := float64(len(c.last)-c.upTo(last)) / c.share()
		c.found[bits.Len64(uint64(between))]++
		c.mark(last, -1)
	} else {
		c.first++
	}
	c.mark(c.at, 1)
	c.last[row] = c.at
	c.at++
}

// grow gives the last updates of rows the first places, in their order, and makes room for others.
func (c *curve) grow() {
	order := make([]uint32, c.at)
	kept := make([]bool, c.at)
	for row, at := range c.last {
		order[at], kept[at] = row, true
	}
	c.at = 0
	for at, row := range order {
		if kept[at] {
			c.last[row] = c.at
			c.at++
		}
	}
	c.marks = make([]int32, max(1<<10, 4*c.at))
	for at := range c.at {
		c.mark(at, 1)
	}
}

func (c *curve) upTo(at int) (n int) {
	for i := at + 1; i > 0; i -= i & -i {
		n += int(c.marks[i-1])
	}
	return n
}

func (c *curve) mark(at int, by int32) {
	for i := at + 1; i <= len(c.marks); i += i & -i {
		c.marks[i-1] += by
	}
}

func (c *curve) misses() (m BySize) {
	all := float64(c.updates) * c.share()
	held := all - float64(c.first)
	for _, n := range c.found {
		held -= float64(n)
	}
	for j := range m {
		// A cache of 2^j rows holds the row if fewer than 2^j others lie between.
		held += float64(c.found[j])
		m[j] = min(1, max(0, 1-held/all))
	}
	return m
}
