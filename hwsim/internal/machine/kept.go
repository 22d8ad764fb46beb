package machine

import (
	"github.com/atomtune/atomtune/internal/splitmix"
)

import (
	"math/bits"
)

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
