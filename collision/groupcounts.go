package collision

import (
	"math/bits"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// groupCounts counts the updates of targets, or of chunks of targets, over
// sorted blocks, in a hash table with linear probing.
type groupCounts struct {
	slots []groupCount // a power of two, at least half of them empty
	shift uint
}

// groupCount is what is known of one target, or of one chunk of 4-byte targets
// by its two chunks of 8-byte targets.
type groupCount struct {
	group   uint32
	blocks  uint32 // stretches of sorted blocks with an update; 0: the slot is empty
	updates [2]uint64
}

// reset forgets all groups and makes space for so many others.
func (g *groupCounts) reset(groups int) {
	width := bits.Len(uint(2*groups - 1))
	if len(g.slots) != 1<<width {
		g.slots = make([]groupCount, 1<<width)
	} else {
		clear(g.slots)
	}
	g.shift = uint(64 - width)
}

// targets counts the targets of a sorted block.
func (g *groupCounts) targets(sorted []uint32) {
	for begin := 0; begin < len(sorted); {
		target, end := sorted[begin], begin+1
		for end < len(sorted) && sorted[end] == target {
			end++
		}
		g.at(target).updates[0] += uint64(end - begin)
		begin = end
	}
}

// chunks counts the chunks of a sorted block.
func (g *groupCounts) chunks(sorted []uint32) {
	for begin := 0; begin < len(sorted); {
		chunk, end := sorted[begin]>>chunkBits8, begin+1
		for end < len(sorted) && sorted[end]>>chunkBits8 == chunk {
			end++
		}
		g.at(chunk >> 1).updates[chunk&1] += uint64(end - begin)
		begin = end
	}
}

// at returns the count of a group in one more stretch.
func (g *groupCounts) at(group uint32) *groupCount {
	for i := hash(group, g.shift); ; i++ {
		c := &g.slots[i&uint64(len(g.slots)-1)]
		if c.blocks == 0 || c.group == group {
			c.group = group
			c.blocks++
			return c
		}
	}
}

// hash returns the high bits of the product with 2^64 over the golden ratio
// (D. E. Knuth. The Art of Computer Programming 3, section 6.4).
func hash(key uint32, shift uint) uint64 { return uint64(key) * splitmix.Golden >> shift }

// busiest is a group with the most updates, the lowest of several; 0 where there
// is none.
type busiest struct {
	group   uint32
	updates uint64
}

func (b *busiest) see(group uint32, updates uint64) {
	if updates > b.updates || updates == b.updates && updates > 0 && group < b.group {
		b.group, b.updates = group, updates
	}
}

// highest returns the busiest target.
func (g *groupCounts) highest() (b busiest) {
	for i := range g.slots {
		b.see(g.slots[i].group, g.slots[i].updates[0])
	}
	return b
}

// highestChunks returns the busiest chunk of 4-byte and of 8-byte targets.
func (g *groupCounts) highestChunks() (of4, of8 busiest) {
	for i := range g.slots {
		c := &g.slots[i]
		of4.see(c.group, c.updates[0]+c.updates[1])
		of8.see(2*c.group, c.updates[0])
		of8.see(2*c.group+1, c.updates[1])
	}
	return of4, of8
}

// inBlocks returns the number of targets, and of those that exactly one and
// exactly two blocks hold.
func (g *groupCounts) inBlocks() (seen uint64, once, twice float64) {
	for i := range g.slots {
		switch g.slots[i].blocks {
		case 0:
			continue
		case 1:
			once++
		case 2:
			twice++
		}
		seen++
	}
	return seen, once, twice
}
