package collision

import (
	"math"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// contest finds the targets of all tables at once. The slot of a target in one table is that in
// the next larger one without its lowest bits, so who wins a slot of a table wins one in every
// larger table too.
type contest struct {
	tables [Tables][]contender // their slots
	// in holds, for each slot of the largest table, how many smaller ones hold its target.
	in     [1 << largestBits]uint8
	losers [Tables]contender // the best one that has no slot
}

// contender is a target below its updates, so that better ones are higher; 0 is none. 2^32 - 1 updates are the most.
type contender uint64

func newContender(target uint32, updates uint64) contender {
	return contender(min(updates, math.MaxUint32)<<32 | uint64(^target))
}

func (c contender) target() uint32  { return ^uint32(c) }
func (c contender) updates() uint64 { return uint64(c >> 32) }

const (
	largest      = Tables - 1
	smallestBits = 4 // of a slot's number in the smallest table
	moreBits     = 2 // from one table to the next
	largestBits  = smallestBits + moreBits*largest
)

func largestSlot(target uint32) uint32 { return splitmix.High(target, largestBits) }

func (c *contest) reset() {
	for i := range c.tables {
		if c.tables[i] == nil {
			c.tables[i] = make([]contender, TableSlots(i))
		}
		clear(c.tables[i])
	}
	clear(c.in[:])
	clear(c.losers[:])
}

func (c *contest) add(by contender) {
	holder := &c.tables[largest][largestSlot(by.target())]
	c.losers[largest] = max(c.losers[largest], min(*holder, by))
	*holder = max(*holder, by)
}

func (c *contest) join(d *contest) {
	for _, by := range d.tables[largest] {
		if by != 0 {
			c.add(by)
		}
	}
	c.losers[largest] = max(c.losers[largest], d.losers[largest])
}

// settle fills the smaller tables, once all targets are entered.
func (c *contest) settle() {
	for i := largest; i > 0; i-- {
		larger, loser := c.tables[i], c.losers[i]
		for slot := range c.tables[i-1] {
			by := (*[1 << moreBits]contender)(larger)
			larger = larger[len(by):]
			p, q := max(by[0], by[1]), max(by[2], by[3])
			c.tables[i-1][slot] = max(p, q)
			loser = max(loser, min(by[0], by[1]), min(by[2], by[3]), min(p, q))
		}
		c.losers[i-1] = loser
	}
	for _, table := range c.tables[:largest] {
		for _, by := range table {
			if by != 0 {
				c.in[largestSlot(by.target())]++
			}
		}
	}
}

// misses returns in how many tables a target misses: the smallest ones. No branch is hard to predict.
func (c *contest) misses(target uint32) int {
	slot := largestSlot(target)
	holder := c.tables[largest][slot]
	var tables uint8
	if holder.target() == target {
		tables = 1
	}
	if holder == 0 {
		tables = 0
	}
	return Tables - int(tables*(1+c.in[slot]))
}

// least returns a number of updates that changes nothing for a target above all entered ones.
func (c *contest) least() uint64 {
	least := c.losers[largest]
	for _, by := range c.tables[largest] {
		least = min(least, by)
	}
	return least.updates()
}
