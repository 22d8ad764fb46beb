package machine

import "github.com/atomtune/atomtune/internal/splitmix"

// ways is the number of sectors of a set of L2.
const ways = 8

// cacheSet holds sectors, each as its number plus 1, the oldest next to go.
type cacheSet struct {
	sector [ways]uint64
	oldest uint8
}

// misses reports whether a request for the sector finds it evicted from L2, and brings it in.
// The part of L2 that holds targets under atomics is a cache of sets that drop the sector that
// came first: of random requests to a footprint F beyond its capacity C it holds about C/F.
func (m *Machine) misses(sector uint64) bool {
	if m.resident == nil {
		m.resident = make([]cacheSet, max(1, m.l2AtomicBytes/m.sectorBytes/ways))
	}
	set := &m.resident[splitmix.Mix(sector)%uint64(len(m.resident))]
	for _, s := range set.sector {
		if s == sector+1 {
			return false
		}
	}
	set.sector[set.oldest] = sector + 1
	set.oldest = (set.oldest + 1) % ways
	return true
}

// Touch brings so many elements of an array into the part of L2 that holds targets under atomics, as
// updates before the kernel have done, without taking time.
func (m *Machine) Touch(buf *Buffer, first, number uint64) {
	if m.WholeBytes(buf) <= m.l2AtomicBytes {
		return
	}
	size := buf.ElemBytes()
	last := m.sectorOf(buf.Base + (first+number)*size - 1)
	for sector := m.sectorOf(buf.Base + first*size); sector <= last; sector++ {
		m.misses(sector)
	}
}

// overflow puts the sectors that the active lanes store to into an array that L2
// cannot hold as a whole, which drives as many others out to memory.
func (m *Machine) overflow(w *Warp, buf *Buffer, index []uint64, start int64) {
	last := ^uint64(0)
	bytes := int64(0)
	for l := range lanesOf(w.mask) {
		sector := m.sectorOf(buf.Base + index[l]*buf.ElemBytes())
		if sector != last {
			m.misses(sector)
			bytes += int64(m.sectorBytes)
			last = sector
		}
	}
	if !m.Stream { // otherwise the transfer has gone to memory
		at := start << tickBits
		m.end = max(m.end, m.dram.arrive(at, at, bytes*m.dramByte/1024)>>tickBits)
	}
}
