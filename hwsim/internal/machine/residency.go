package machine

import (
	"math/bits"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// ways is the number of sectors of a set of L2.
const ways = 8

// cacheSet holds sectors, each as its number plus 1, the oldest next to go.
type cacheSet struct {
	sector [ways]uint64
	oldest uint8
}

// misses reports whether a request for the sector finds it evicted from L2, and
// brings it in. The part of L2 that holds targets under atomics is a cache of sets
// that drop the sector that came first: of random requests to a footprint F beyond
// its capacity C it holds about C/F, and a sector that is asked for again soon is
// there.
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

// overflow puts the sectors that the active lanes store to into an array that L2
// cannot hold as a whole, which drives as many others out to memory.
func (m *Machine) overflow(w *Warp, buf *Buffer, index []uint64, start int64) {
	last := ^uint64(0)
	bytes := int64(0)
	for rest := w.mask; rest != 0; rest &= rest - 1 {
		sector := (buf.Base + index[bits.TrailingZeros64(rest)]*buf.ElemBytes()) / m.sectorBytes
		if sector != last {
			m.misses(sector)
			bytes += int64(m.sectorBytes)
			last = sector
		}
	}
	if !m.Stream { // otherwise the transfer has gone to memory
		m.end = max(m.end, (m.dram.take(start<<tickBits,
			bytes*m.dramByte/1024)+bytes*m.dramByte/1024)>>tickBits)
	}
}

// fetch moves what the active lanes load and returns the cycle in which the
// last sector has arrived. Of an array that is read again and again, the part
// that is kept comes from L2 even when the call's footprint exceeds it; which
// sectors that is, a hash decides.
func (m *Machine) fetch(w *Warp, buf *Buffer, index []uint64, start int64) int64 {
	if !m.Stream || buf.Kept == 0 {
		return m.transfer(w, m.sectorsOf(w, buf, index), start)
	}
	g, size := &m.scratch.sectors, buf.ElemBytes()
	g.reset()
	missing := 0
	for rest := w.mask; rest != 0; rest &= rest - 1 {
		sector := (buf.Base + index[bits.TrailingZeros64(rest)]*size) / m.sectorBytes
		if n := g.add(sector); g.count[n] == 1 && splitmix.Mix(sector)%buf.Bytes() >= buf.Kept {
			missing++
		}
	}
	m.Stream = false
	done := m.transfer(w, g.n-missing, start)
	m.Stream = true
	return max(done, m.transfer(w, missing, start))
}
