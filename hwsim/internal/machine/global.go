package machine

import (
	"math/bits"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// FirstByte is where the targets begin.
func (m *Machine) FirstByte(bytes uint64) uint64 {
	if m.hash == nil || bytes > m.hash.Page-m.hash.SmallBase {
		return 0
	}
	return m.hash.SmallBase
}

// WholeBytes returns the bytes of an array, in a sample those of the whole call's.
func (m *Machine) WholeBytes(b *Buffer) uint64 {
	if m.Share <= 1 || b == m.Buffers[0] {
		return b.Bytes()
	}
	return uint64(float64(b.Bytes()) * m.Share)
}

func (m *Machine) load(w *Warp, in *Instruction, start int64) {
	index := w.Vec(in.a, m.Lanes, &m.scratch.a)
	if in.Op == opLoadShared {
		for e := range in.elements() {
			out := w.result(in.Dst.next(e), m.Lanes, m.full)
			w.block.load(out, index, uint64(e), w.mask, in.wide)
		}
		passes := m.passes(w, in, index)
		at := w.unit.port.take(start<<tickBits, passes*m.passPort)
		w.setReady(in, at>>tickBits+m.loadShared+(passes-1)*m.passShared)
		return
	}
	buf := m.Buffers[in.buf]
	for e := range in.elements() {
		out := w.result(in.Dst.next(e), m.Lanes, m.full)
		buf.gather(out, index, uint64(e), w.mask)
	}
	if buf.Free {
		w.setReady(in, start)
		return
	}
	if in.apart {
		start = m.gather(w, buf, index, start)
	}
	w.setReady(in, m.copies(w, buf, index, start, m.fetch(w, buf, index, start)))
}

// gather returns when the last of the sectors that the active lanes load has passed the SM's port.
func (m *Machine) gather(w *Warp, buf *Buffer, index []uint64, start int64) int64 {
	busy := int64(m.sectorsOf(w, buf, index)) * m.smSector
	return (w.unit.sector.take(start<<tickBits, busy) + busy) >> tickBits
}

func (m *Machine) store(w *Warp, in *Instruction, start int64) {
	index, value := w.Vec(in.a, m.Lanes, &m.scratch.a), w.Vec(in.b, m.Lanes, &m.scratch.b)
	if in.Op == opStoreShared {
		for e := range in.elements() {
			value := w.Vec(in.b.next(e), m.Lanes, &m.scratch.b)
			w.block.store(index, value, uint64(e), w.mask, in.wide)
		}
		w.unit.port.take(start<<tickBits, m.passes(w, in, index)*m.passPort)
		return
	}
	buf := m.Buffers[in.buf]
	for rest := w.mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		buf.Set(index[l], value[l])
	}
	m.end = max(m.end, m.transfer(m.sectorsOf(w, buf, index), start))
	if m.WholeBytes(buf) > m.l2AtomicBytes {
		m.overflow(w, buf, index, start)
	}
}

// transfer returns when the last of some sectors has passed between an SM and memory.
func (m *Machine) transfer(sectors int, start int64) int64 {
	if sectors == 0 {
		return start
	}
	at, bytes := start<<tickBits, int64(sectors)*int64(m.sectorBytes)
	done := m.l2.arrive(at, at, bytes*m.l2Byte/1024)
	latency := m.loadGlobal
	if m.Stream || m.slow && m.splitLatency > 0 {
		rate := m.dramByte
		if m.slow {
			rate = max(rate, m.slowByte)
		}
		done = max(done, m.dram.arrive(at, at, bytes*rate/1024))
	}
	if m.Stream {
		latency += m.missGlobal
	}
	return done>>tickBits + latency
}

func (m *Machine) sectorsOf(w *Warp, buf *Buffer, index []uint64) int {
	size := buf.ElemBytes()
	if w.mask == m.full && consecutive(index) { // never those of pieces
		first := m.sectorOf(buf.Base + index[0]*size)
		last := m.sectorOf(buf.Base + index[m.Lanes-1]*size)
		return int(last-first) + 1
	}
	return m.touched(w, buf, index).n
}

func (m *Machine) touched(w *Warp, buf *Buffer, index []uint64) *grouper {
	g, size, last := &m.scratch.sectors, buf.ElemBytes(), ^uint64(0)
	g.reset()
	for rest := w.mask; rest != 0; rest &= rest - 1 {
		if sector := m.sectorOf(buf.Base + index[bits.TrailingZeros64(rest)]*size); sector != last {
			g.add(sector)
			last = sector
		}
	}
	return g
}

// pairsOf counts the pairs of neighbouring sectors that the active lanes touch. A pair without a
// neighbour counts as much more as an atomic miss moves more than a pair and back.
func (m *Machine) pairsOf(w *Warp, buf *Buffer, index []uint64) int {
	g, sectors := &m.scratch.address, m.touched(w, buf, index)
	g.reset()
	for _, sector := range sectors.key[:sectors.n] {
		g.add(sector / 2)
	}
	alone := 0
	for i := range g.n {
		if !g.has(g.key[i]-1) && !g.has(g.key[i]+1) {
			alone++
		}
	}
	return g.n + alone*int(max(0, m.missCost-m.nextCost))/int(max(1, m.nextCost))
}

func consecutive(index []uint64) bool {
	for l := 1; l < len(index); l++ {
		if index[l] != index[l-1]+1 {
			return false
		}
	}
	return true
}

// copies returns when a load is done that would be done at that cycle without the first of
// its two phases. A device with two paths to memory loads in a kernel with global atomics
// through the CompletePath, [elteir11] section II-B: the atomic units copy the values into a
// buffer, where lanes that want one word follow each other, and a normal load reads it.
func (m *Machine) copies(w *Warp, buf *Buffer, index []uint64, start, done int64) int64 {
	if m.splitLatency == 0 || !m.slow || w.mask == 0 {
		return done
	}
	g := &m.scratch.address
	g.reset()
	for l := range lanesOf(w.mask) {
		g.add(index[l])
	}
	now := start << tickBits
	copied := start
	for i := range g.n {
		if n := int64(g.count[i]); n > 1 {
			unit := &m.slice[m.sliceOf(buf.Base+g.key[i]*buf.ElemBytes())]
			copied = max(copied, unit.arrive(now, now, n*m.copySame)>>tickBits)
		}
	}
	return done + m.splitLatency + copied - start
}

// fetch moves what the active lanes load and returns the cycle in which the last sector has
// arrived. The part of an array that is kept comes from L2 even when the call's footprint
// exceeds it; which sectors that is, a hash decides.
func (m *Machine) fetch(w *Warp, buf *Buffer, index []uint64, start int64) int64 {
	if m.Rows {
		return max(m.visit(w, buf, index, start), m.sectorsFrom(w, buf, index, start))
	}
	return m.sectorsFrom(w, buf, index, start)
}

// visit lets the slices of the sectors that the active lanes load serve them, one after the other and
// after their queued work, and returns the cycle in which the last is done. A sector from memory
// is written to its slice before it is read.
func (m *Machine) visit(w *Warp, buf *Buffer, index []uint64, start int64) int64 {
	g := m.touched(w, buf, index)
	now, done := start<<tickBits, int64(0)
	transit, cost := m.loadGlobal<<tickBits/2, m.loadSector
	if buf.Once || m.Stream {
		cost *= 2
	}
	for _, sector := range g.key[:g.n] {
		done = max(done, m.sliceWith(sector).arrive(now, now+transit, cost))
	}
	return (done + transit) >> tickBits
}

func (m *Machine) sectorsFrom(w *Warp, buf *Buffer, index []uint64, start int64) int64 {
	if buf.Once {
		stream := m.Stream
		m.Stream = true
		done := m.transfer(2*m.pairsOf(w, buf, index), start)
		m.Stream = stream
		return done
	}
	if !m.Stream || buf.Kept == 0 {
		return m.transfer(m.sectorsOf(w, buf, index), start)
	}
	g, missing := m.touched(w, buf, index), 0
	for _, sector := range g.key[:g.n] {
		if splitmix.Mix(sector)%buf.Bytes() >= buf.Kept {
			missing++
		}
	}
	m.Stream = false
	done := m.transfer(g.n-missing, start)
	m.Stream = true
	return max(done, m.transfer(missing, start))
}
