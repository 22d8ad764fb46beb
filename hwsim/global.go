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
	done := m.transfer(w, m.sectorsOf(w, buf, index), start)
	w.setReady(in.dst, m.copies(w, buf, index, start, done))
}

func (m *machine) store(w *warp, in *instruction, start int64) {
	buf := m.buffers[in.buf]
	index, value := w.vec(in.a, m.lanes, &m.scratch.a), w.vec(in.b, m.lanes, &m.scratch.b)
	for rest := w.mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		buf.set(index[l], value[l])
	}
	m.end = max(m.end, m.transfer(w, m.sectorsOf(w, buf, index), start))
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
	if m.stream || m.slow {
		rate := m.dramByte
		if m.slow && (m.slowByte > rate || !m.stream) {
			rate = m.slowByte
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

// atomic executes a global atomic add. It returns the cycle of the next turn
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
	for rest := w.mask; rest != 0; rest &= rest - 1 {
		m.addGlobal(w, in, index, value, bits.TrailingZeros64(rest))
	}
	done := m.request(w, how, m.buffers[in.buf], index, w.mask, start)
	m.end = max(m.end, done)
	w.setReady(in.dst, done)
	return 0
}

// addGlobal adds one lane's value and keeps the old one if it is asked for.
func (m *machine) addGlobal(w *warp, in *instruction, index, value []uint64, l int) {
	buf := m.buffers[in.buf]
	old := buf.get(index[l])
	if in.dst.kind == isVector {
		w.vectors[int(in.dst.reg)*m.lanes+l] = old
	}
	if in.plain {
		buf.set(index[l], old+value[l])
		return
	}
	buf.set(index[l], sum(m.typ, old, value[l]))
}

// request sends one atomic request per sector to the slices and returns the
// cycle in which the last is done. In a sector, different words are served
// together and equal ones one after the other.
func (m *machine) request(w *warp, how *atomicTiming, buf *buffer, index []uint64, lanes uint64, start int64) int64 {
	address, sectors := &m.scratch.address, &m.scratch.sectors
	address.reset()
	for rest := lanes; rest != 0; rest &= rest - 1 {
		address.add(index[bits.TrailingZeros64(rest)])
	}
	sectors.reset()
	var passes [64]int64
	size := buf.elemBytes()
	for i := range address.n {
		n := int64(address.count[i])
		s := sectors.add((buf.base + address.key[i]*size) / m.sectorBytes)
		if sectors.count[s] == 1 {
			passes[s] = 0
		}
		passes[s] = max(passes[s], n)
	}
	unit := &m.sm[w.block.sm]
	done := int64(0)
	way := how.latency << tickBits / 2
	for s := range sectors.n {
		at := unit.sector.take(start<<tickBits, passes[s]*m.smSector) + way
		done = max(done, m.serve(how, buf, sectors.key[s], passes[s], start<<tickBits, at))
	}
	if how.same > how.pass {
		for i := range address.n {
			done = max(done, m.serialise(how, buf.base+address.key[i]*size, int64(address.count[i]), start<<tickBits+way))
		}
	}
	return (done + way) >> tickBits
}

// serve reserves the sector's slice and returns the tick in which it is done.
func (m *machine) serve(how *atomicTiming, buf *buffer, sector uint64, passes, now, at int64) int64 {
	addr := sector * m.sectorBytes
	slice := &m.slice[m.sliceOf(addr)]
	cost := passes * how.pass
	done := slice.takeFrom(now, at, cost) + cost
	if footprint := buf.bytes(); footprint > m.l2AtomicBytes && mix(sector)%footprint >= m.l2AtomicBytes {
		done = max(done, m.dram.takeFrom(now, at, m.missCost)+m.missCost+m.missGlobal<<tickBits)
	}
	return done
}

// sliceOf spreads the address space over the slices: neighbouring regions take
// turns on groups of slices, each round of turns begins at another group, and
// the chunks of a region take turns within its group.
func (m *machine) sliceOf(addr uint64) uint64 {
	region := addr / m.regionBytes
	groups := m.slices / m.regionSlices
	group := (region + mix(region/groups)) % groups
	return group*m.regionSlices + addr/m.chunkBytes%m.regionSlices
}

// probes is how many places of the table an address may take.
const probes = 8

// serialise makes updates of one address wait for each other. An address that
// finds its places taken by others with updates under way goes unserialised:
// the table has 2^14 places, far more than addresses that are busy at once.
func (m *machine) serialise(how *atomicTiming, addr uint64, n, at int64) int64 {
	home := mix(addr)
	free := -1
	for i := range uint64(probes) {
		slot := &m.same[(home+i)&uint64(len(m.same)-1)]
		if slot.addr == addr {
			slot.free = max(at, slot.free) + n*how.same
			return slot.free
		}
		if free < 0 && slot.free <= at {
			free = int((home + i) & uint64(len(m.same)-1))
		}
	}
	if free >= 0 {
		m.same[free] = sameAddress{addr, at + n*how.same}
	}
	return at + n*how.same
}

// swapLoop is one turn of the software loop: load, add, compare-and-swap. Of
// the lanes on one address one succeeds, unless another warp's swap comes
// between.
func (m *machine) swapLoop(w *warp, in *instruction, how *atomicTiming, index, value []uint64, start int64) int64 {
	buf := m.buffers[in.buf]
	if w.turns == 0 {
		w.pending = w.mask
	}
	w.turns++
	m.instrs += 3
	m.sm[w.block.sm].issue[w.scheduler] += 3 * m.issue
	trip := how.latency
	g := &m.scratch.address
	g.reset()
	tried := w.pending
	for rest := tried; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		if g.count[g.add(index[l])] > 1 {
			continue // another lane of this warp swaps first
		}
		addr := buf.base + index[l]*buf.elemBytes()
		slot := &m.busy[mix(addr)&uint64(len(m.busy)-1)]
		if slot.addr == addr && slot.free > start {
			continue // another warp swaps between load and swap
		}
		*slot = sameAddress{addr, start + trip/2}
		m.addGlobal(w, in, index, value, l)
		w.pending &^= 1 << l
	}
	done := m.request(w, how, buf, index, tried, start)
	m.end = max(m.end, done)
	if w.pending == 0 {
		w.turns = 0
		w.setReady(in.dst, done)
		return 0
	}
	return max(done, start+trip)
}

// mix is the finaliser of splitmix64, a bijection that spreads neighbours.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
