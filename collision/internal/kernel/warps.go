package kernel

import (
	"math"
	"math/bits"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// golden is 2^64 over the golden ratio: the high bits of a product with it are a hash (Knuth, TAOCP 3, 6.4).
const golden = splitmix.Golden

// warpCounter measures warps without sorting them. It holds small tables that stay in the
// first-level cache. Nothing is cleared between warps: what an earlier one left is told by its
// number.
type warpCounter struct {
	sectors     []sector
	sectorShift uint
	seen        []uint16 // the low bits of the last warp with a sector that belongs here
	seenShift   uint
	warp        uint32 // the number of the present warp, never 0
}

// sector counts the updates of 8 neighbouring targets in a warp, in 16 bits each whose highest is never set.
type sector struct {
	tag    uint64    // the warp's number above the sector's
	counts [2]uint64 // of 4 targets each: a sector of 8-byte elements
}

const (
	counterBits  = 16
	counterOnes  = 1 + 1<<counterBits + 1<<(2*counterBits) + 1<<(3*counterBits)
	counterHighs = counterOnes << (counterBits - 1)
)

func newWarpCounter(warpSize int) *warpCounter {
	width := max(8, bits.Len(uint(8*warpSize-1)))
	const more = 5 // so that few warps have sectors that share a place
	return &warpCounter{
		sectors: make([]sector, 1<<width), sectorShift: uint(64 - width),
		seen: make([]uint16, 1<<(width+more)), seenShift: uint(64 - width - more),
	}
}

func (c *warpCounter) next() {
	c.warp++
	if c.warp == 0 {
		clear(c.sectors)
		c.warp = 1
	}
	if uint16(c.warp) == 0 {
		clear(c.seen)
		c.warp++
	}
}

func (c *warpCounter) measure(warp []uint32, s *Totals) {
	n := uint64(len(warp))
	if oneTarget(warp) {
		s.addWarp(n, 1, 1, 1, n, n, 1, n)
		return
	}
	c.next()
	if lanes, scattered := c.scattered(warp); scattered {
		s.addWarp(min(1, n), n, n, n, n, n, lanes, lanes)
		return
	}
	c.count(warp, s)
}

func (s *Totals) addWarp(values ...uint64) {
	for i, x := range values {
		s[i] += x
	}
}

func oneTarget(warp []uint32) bool {
	return len(warp) > 0 && Alike(warp, math.MaxUint32)
}

// scattered tells of most warps whose lanes all lie in sectors of their own that they do, and
// returns how many lanes the fullest bank has.
func (c *warpCounter) scattered(warp []uint32) (lanes uint64, all bool) {
	const some = 8 // lanes, after which those that repeat sectors are given up
	var inBank [banks]uint32
	var most uint32
	seen, shift, now := c.seen, c.seenShift&63, uint16(c.warp)
	mask := uint64(len(seen) - 1)
	for len(warp) > 0 {
		part := warp[:min(some, len(warp))]
		warp = warp[len(part):]
		repeats := uint64(0)
		for _, key := range part {
			last := &seen[uint64(key>>SectorBits4)*golden>>shift&mask]
			repeats += IsZero(uint64(*last ^ now))
			*last = now
			in := &inBank[key%banks]
			*in++
			most = max(most, *in)
		}
		if repeats > 0 {
			return 0, false
		}
	}
	return uint64(most), true
}

// count counts each sector of a warp. A target that is counted for the nth time is one more
// different one if n is 1, and takes one more pass of its sector if no other target of it has been
// counted n times. No branch depends on that.
func (c *warpCounter) count(warp []uint32, s *Totals) {
	var distinct, sectors4, sectors8, passes4, passes8, highest uint64
	var inBank [banks]uint32 // lanes above different targets
	var lanes, words uint32
	table, shift, now := c.sectors, c.sectorShift&63, uint64(c.warp)<<32
	mask := uint64(len(table) - 1)
	for _, key := range warp {
		number := uint64(key >> SectorBits4)
		tag, at := now|number, number*golden>>shift
		place := &table[at&mask]
		for place.tag^tag-1 < 1<<32-1 { // of this warp, and another sector
			at++
			place = &table[at&mask]
		}
		half := key >> SectorBits8 & 1
		own, other := place.counts[half], place.counts[half^1]
		if place.tag != tag {
			own, other = 0, 0
		}
		bit := key % (1 << SectorBits8) * counterBits & 63
		counted := own + 1<<bit
		place.tag, place.counts[half], place.counts[half^1] = tag, counted, other
		n := counted >> bit & (1<<counterBits - 1)
		first := IsZero(n - 1)
		// A counter's high bit stays where it is n or more before this update.
		aboveHalf := (own | counterHighs - n*counterOnes) & counterHighs >> (counterBits - 1)
		above := aboveHalf | (other|counterHighs-n*counterOnes)&counterHighs>>(counterBits-1)
		distinct += first
		sectors4 += IsZero(own | other)
		sectors8 += IsZero(own)
		passes4 += IsZero(above)
		passes8 += IsZero(aboveHalf)
		highest = max(highest, n)
		in := &inBank[key%banks]
		*in += 1<<counterBits + uint32(first)
		lanes, words = max(lanes, *in), max(words, *in%(1<<counterBits))
	}
	s.addWarp(highest, distinct, sectors4, sectors8, passes4, passes8, uint64(words), uint64(lanes>>counterBits))
}

// IsZero returns 1 for 0, and 0 for all other numbers below 2^63.
func IsZero(x uint64) uint64 { return (x - 1) >> 63 }

// blockCounter counts the targets of blocks in a table such as those of warpCounter.
type blockCounter struct {
	counts []uint64 // the block's number above the target above its updates
	shift  uint
	block  uint64 // the number of the present block, never 0
}

const (
	updateBits = 17 // enough for the updates of a block
	targetBits = 32
)

func newBlockCounter(blockSize int) *blockCounter {
	width := max(8, bits.Len(uint(8*blockSize-1)))
	return &blockCounter{counts: make([]uint64, 1<<width), shift: uint(64 - width)}
}

func (c *blockCounter) measure(block []uint32) (highest, distinct uint64) {
	if oneTarget(block) {
		return uint64(len(block)), 1
	}
	c.block += 1 << (targetBits + updateBits)
	if c.block == 0 {
		clear(c.counts)
		c.block = 1 << (targetBits + updateBits)
	}
	table, shift, now := c.counts, c.shift&63, c.block
	mask := uint64(len(table) - 1)
	for _, key := range block {
		tag, at := now|uint64(key)<<updateBits, uint64(key)*golden>>shift
		n := table[at&mask] ^ tag
		for n-1<<updateBits < 1<<(targetBits+updateBits)-1<<updateBits { // of this block, and another target
			at++
			n = table[at&mask] ^ tag
		}
		if n >= 1<<updateBits { // of an earlier block
			n = 0
		}
		n++
		table[at&mask] = tag | n
		distinct += IsZero(n - 1)
		highest = max(highest, n)
	}
	return highest, distinct
}
