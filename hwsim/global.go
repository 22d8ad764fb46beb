package hwsim

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
)

// buffer is an array in global memory. Elements of 4 bytes live in words,
// elements of 8 bytes in longs.
type buffer struct {
	name  string
	base  uint64 // byte address
	words []uint32
	longs []uint64
	kept  uint64 // bytes that stay in L2 while other arrays stream through it
}

func (b *buffer) elemBytes() uint64 {
	if b.longs != nil {
		return 8
	}
	return 4
}

func (b *buffer) bytes() uint64 { return uint64(len(b.words))*4 + uint64(len(b.longs))*8 }

func (b *buffer) get(i uint64) uint64 {
	if b.longs != nil {
		return b.longs[i]
	}
	return uint64(b.words[i])
}

func (b *buffer) set(i, v uint64) {
	if b.longs != nil {
		b.longs[i] = v
		return
	}
	b.words[i] = uint32(v)
}

// copyOut returns the bit patterns of the elements.
func (b *buffer) copyOut() []uint64 {
	out := make([]uint64, b.bytes()/b.elemBytes())
	for i := range out {
		out[i] = b.get(uint64(i))
	}
	return out
}

// poison is what arrays hold before a kernel writes them.
const poison = 0xA5A5A5A5

// counters makes an array of poisoned words.
func counters(n uint64) *buffer {
	b := &buffer{words: make([]uint32, n)}
	for i := range b.words {
		b.words[i] = poison
	}
	return b
}

// firstByte is where the targets begin.
func (m *machine) firstByte(bytes uint64) uint64 {
	if m.hash == nil || bytes > m.hash.Page-m.hash.SmallBase {
		return 0
	}
	return m.hash.SmallBase
}

// wholeBytes returns the bytes of an array, in a sample those of the whole call's.
func (m *machine) wholeBytes(b *buffer) uint64 {
	if m.share <= 1 || b == m.buffers[bufTarget] {
		return b.bytes()
	}
	return uint64(float64(b.bytes()) * m.share)
}

// memory executes a load or store, global or shared.
func (m *machine) memory(w *warp, in *instruction, start int64) {
	switch in.op {
	case opLoad:
		m.load(w, in, start)
	case opStore:
		m.store(w, in, start)
	case opLoadShared:
		m.loadSharedWords(w, in, start)
	case opStoreShared:
		m.storeSharedWords(w, in, start)
	}
}

func (m *machine) load(w *warp, in *instruction, start int64) {
	buf := m.buffers[in.buf]
	index := w.vec(in.a, m.lanes, &m.scratch.a)
	out := m.scratch.out[:m.lanes]
	for rest := w.mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		out[l] = buf.get(index[l])
	}
	w.write(in.dst, out, m.full)
	done := m.fetch(w, buf, index, start)
	w.setReady(in, m.copies(w, buf, index, start, done))
}

func (m *machine) store(w *warp, in *instruction, start int64) {
	buf := m.buffers[in.buf]
	index, value := w.vec(in.a, m.lanes, &m.scratch.a), w.vec(in.b, m.lanes, &m.scratch.b)
	for rest := w.mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		buf.set(index[l], value[l])
	}
	m.end = max(m.end, m.transfer(w, m.sectorsOf(w, buf, index), start))
	if m.wholeBytes(buf) > m.l2AtomicBytes {
		m.overflow(w, buf, index, start)
	}
}

// transfer moves sectors between an SM and memory and returns the cycle in
// which the last of them has arrived.
func (m *machine) transfer(w *warp, sectors int, start int64) int64 {
	if sectors == 0 {
		return start
	}
	bytes := int64(sectors) * int64(m.sectorBytes)
	at := start << tickBits
	done := m.l2.take(at, bytes*m.l2Byte/1024) + bytes*m.l2Byte/1024
	latency := m.loadGlobal
	if m.stream || m.slow && m.split.latency > 0 {
		rate := m.dramByte
		if m.slow {
			rate = max(rate, m.slowByte)
		}
		done = max(done, m.dram.take(at, bytes*rate/1024)+bytes*rate/1024)
	}
	if m.stream {
		latency += m.missGlobal
	}
	return done>>tickBits + latency
}

// sectorsOf counts the sectors that the active lanes touch.
func (m *machine) sectorsOf(w *warp, buf *buffer, index []uint64) int {
	size := buf.elemBytes()
	if w.mask == m.full && consecutive(index) {
		first := (buf.base + index[0]*size) / m.sectorBytes
		last := (buf.base + index[m.lanes-1]*size) / m.sectorBytes
		return int(last-first) + 1
	}
	g := &m.scratch.sectors
	g.reset()
	for rest := w.mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		g.add((buf.base + index[l]*size) / m.sectorBytes)
	}
	return g.n
}

func consecutive(index []uint64) bool {
	for l := 1; l < len(index); l++ {
		if index[l] != index[l-1]+1 {
			return false
		}
	}
	return true
}

// atomic executes a global atomic update. It returns the cycle of the next turn
// of a compare-and-swap loop, or 0 when all lanes have added.
func (m *machine) atomic(w *warp, in *instruction, start int64) int64 {
	how := &m.global
	if in.plain {
		how = &m.counter
	}
	index, value := w.vec(in.a, m.lanes, &m.scratch.a), w.vec(in.b, m.lanes, &m.scratch.b)
	if how.mechanism == device.CAS {
		return m.swapLoop(w, in, how, index, value, start)
	}
	m.issued += uint64(bits.OnesCount64(w.mask))
	for rest := w.mask; rest != 0; rest &= rest - 1 {
		m.addGlobal(w, in, index, value, bits.TrailingZeros64(rest))
	}
	done := m.request(w, how, m.buffers[in.buf], index, w.mask, start)
	m.end = max(m.end, done)
	w.setReady(in, done)
	return 0
}

// addGlobal makes one lane's update and keeps the old one if it is asked for.
func (m *machine) addGlobal(w *warp, in *instruction, index, value []uint64, l int) {
	m.completed++
	buf := m.buffers[in.buf]
	old := buf.get(index[l])
	if in.dst.kind == isVector {
		w.vectors[int(in.dst.reg)*m.lanes+l] = old
	}
	if in.plain {
		buf.set(index[l], old+value[l])
		return
	}
	if m.op == device.Add {
		buf.set(index[l], sum(m.typ, old, value[l]))
		return
	}
	buf.set(index[l], apply(m.op, m.typ, old, value[l], m.second(w, in, l)))
}

// second returns a lane's second operand.
func (m *machine) second(w *warp, in *instruction, l int) uint64 {
	if in.pred.kind == isVector {
		return w.vectors[int(in.pred.reg)*m.lanes+l]
	}
	return w.uni(in.pred)
}

// moments returns the cycles in which a turn of a software loop learns the value
// to compare with and in which it swaps; it starts and is done at those times. A
// loop that loads again in each turn is taken to learn it at the start and to
// swap half a turn later, however long the queue. One that goes on from what the
// swap returned learns it there.
func (how *atomicTiming) moments(w *warp, start, done int64) (known, swapped int64) {
	switch {
	case how.round == how.latency:
		return start, start + how.latency/2
	case w.turns == 1:
		w.swapped = start + (how.latency-how.round)/2 // its load
	}
	known, w.swapped = w.swapped, done-how.round/2
	return known, w.swapped
}

// resident returns the buffer as a view of no size, at the same address: what is
// asked of it is in L2, whatever its footprint.
func (b *buffer) resident() *buffer {
	view := &buffer{name: b.name, base: b.base}
	if b.longs != nil {
		view.longs = b.longs[:0]
	}
	return view
}

// swapLoop is one turn of the software loop: load, operation, compare-and-swap,
// or the last two of these. Of the lanes on one address one succeeds, unless
// another warp's swap comes between. Swaps that keep an extreme hinder nobody, so
// any number of them succeeds.
func (m *machine) swapLoop(w *warp, in *instruction, how *atomicTiming, index, value []uint64, start int64) int64 {
	buf := m.buffers[in.buf]
	if w.turns == 0 {
		w.pending = w.mask
		m.issued += uint64(bits.OnesCount64(w.mask))
	}
	w.turns++
	m.instrs += 3
	m.sm[w.block.sm].issue[w.scheduler] += 3 * m.issue
	turn := *how
	if w.turns > 1 { // the sectors have been in L2 since the first turn
		turn.latency, buf = how.round, buf.resident()
	}
	tried := w.pending
	done := m.request(w, &turn, buf, index, tried, start)
	m.end = max(m.end, done)
	known, swapped := how.moments(w, start, done)
	g := &m.scratch.address
	g.reset()
	for rest := tried; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		if g.count[g.add(index[l])] > 1 && !m.op.Extreme() {
			continue // another lane of this warp swaps first
		}
		addr := buf.base + index[l]*buf.elemBytes()
		slot := &m.busy[mix(addr)&uint64(len(m.busy)-1)]
		if slot.addr == addr && slot.free > known {
			continue // another warp, or lane, swaps between
		}
		if !m.keeps(m.buffers[in.buf].get(index[l]), value[l]) {
			*slot = sameAddress{addr, swapped}
		}
		m.addGlobal(w, in, index, value, l)
		w.pending &^= 1 << l
	}
	if w.pending == 0 {
		w.turns = 0
		w.setReady(in, done)
		return 0
	}
	return max(done, start+turn.latency)
}
