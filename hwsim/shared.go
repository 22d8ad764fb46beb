package hwsim

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
)

// sharedWord returns the word address of a shared-memory element.
func sharedWord(index uint64, wide bool) uint64 {
	if wide {
		return 2 * index
	}
	return index
}

func (b *block) get(index uint64, wide bool) uint64 {
	if wide {
		return uint64(b.shared[2*index]) | uint64(b.shared[2*index+1])<<32
	}
	return uint64(b.shared[index])
}

func (b *block) set(index, v uint64, wide bool) {
	if wide {
		b.shared[2*index], b.shared[2*index+1] = uint32(v), uint32(v>>32)
		return
	}
	b.shared[index] = uint32(v)
}

func (m *machine) loadSharedWords(w *warp, in *instruction, start int64) {
	index := w.vec(in.a, m.lanes, &m.scratch.a)
	out := m.scratch.out[:m.lanes]
	for rest := w.mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		out[l] = w.block.get(index[l], in.wide)
	}
	w.write(in.dst, out, m.full)
	passes := m.passes(index, w.mask, in.wide, false)
	at := m.sm[w.block.sm].port.take(start<<tickBits, passes*m.passPort)
	w.setReady(in.dst, at>>tickBits+m.loadShared+(passes-1)*m.passShared)
}

func (m *machine) storeSharedWords(w *warp, in *instruction, start int64) {
	index, value := w.vec(in.a, m.lanes, &m.scratch.a), w.vec(in.b, m.lanes, &m.scratch.b)
	for rest := w.mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		w.block.set(index[l], value[l], in.wide)
	}
	passes := m.passes(index, w.mask, in.wide, false)
	m.sm[w.block.sm].port.take(start<<tickBits, passes*m.passPort)
}

// passes counts the serial accesses of the busiest bank: over different words,
// since equal ones are broadcast, or over all lanes. Elements of 8 bytes are
// served in two halves of the warp, each word pair by one pass of both banks.
func (m *machine) passes(index []uint64, lanes uint64, wide, every bool) int64 {
	if !wide {
		return m.passesOf(index, lanes, wide, every)
	}
	half := m.full >> (m.lanes / 2)
	low, high := lanes&half, lanes&^half
	total := int64(0)
	if low != 0 {
		total += m.passesOf(index, low, wide, every)
	}
	if high != 0 {
		total += m.passesOf(index, high, wide, every)
	}
	return max(total, 1)
}

func (m *machine) passesOf(index []uint64, lanes uint64, wide, every bool) int64 {
	var bank [1024]uint8
	words := &m.scratch.address
	words.reset()
	worst := uint8(1)
	for rest := lanes; rest != 0; rest &= rest - 1 {
		word := sharedWord(index[bits.TrailingZeros64(rest)], wide)
		if g := words.add(word); !every && words.count[g] > 1 {
			continue
		}
		b := word & (m.banks - 1)
		if m.banks&(m.banks-1) != 0 {
			b = word % m.banks
		}
		bank[b]++
		worst = max(worst, bank[b])
	}
	return int64(worst)
}

// atomicShared executes a shared-memory atomic add. It returns the cycle of
// the next turn of a loop, or 0 when all lanes have added.
func (m *machine) atomicShared(w *warp, in *instruction, start int64) int64 {
	how := &m.shared
	if in.plain {
		how = &m.integer
	} else if in.one {
		how = &m.ones
	}
	index, value := w.vec(in.a, m.lanes, &m.scratch.a), w.vec(in.b, m.lanes, &m.scratch.b)
	if how.mechanism != device.Native && how.mechanism != device.Merge {
		return m.lockLoop(w, in, how, index, value, start)
	}
	for rest := w.mask; rest != 0; rest &= rest - 1 {
		m.addShared(w, in, index, value, bits.TrailingZeros64(rest))
	}
	passes := m.passes(index, w.mask, in.wide, how.mechanism == device.Native)
	at := m.sm[w.block.sm].port.take(start<<tickBits, passes*how.port)
	m.end = max(m.end, at>>tickBits+how.base+(passes-1)*how.round)
	return 0
}

func (m *machine) addShared(w *warp, in *instruction, index, value []uint64, l int) {
	old := w.block.get(index[l], in.wide)
	if in.plain {
		w.block.set(index[l], old+value[l], in.wide)
		return
	}
	w.block.set(index[l], sum(m.typ, old, value[l]), in.wide)
}

// lockLoop is one turn of the loop of [gomezluna13] Figure 1: the pending
// lanes read and try for the lock bit that is read beside the data; those that
// got theirs add, write and unlock; the others branch back. A lock that
// another warp of the SM holds fails as well. A software compare-and-swap loop
// behaves the same with one lock per address, and a hardware one with lock bits
// within the warp and one lock per address between warps.
func (m *machine) lockLoop(w *warp, in *instruction, how *atomicTiming, index, value []uint64, start int64) int64 {
	first := w.turns == 0
	if first {
		w.pending = w.mask
	}
	w.turns++
	unit := &m.sm[w.block.sm]
	m.instrs += 3 // add, unlocking store and branch beside the locking load
	unit.issue[w.scheduler] += 3 * m.issue
	read := m.passes(index, w.pending, in.wide, false)
	turn := how.round
	if first {
		turn = how.base
	}
	won := m.acquire(w, how, index, in.wide, start)
	write := int64(1)
	if won != 0 {
		write = m.passes(index, won, in.wide, false)
	}
	turn += (read + write - 2) * how.bank
	busy := read*how.port + write*how.writePort
	for rest := won; rest != 0; rest &= rest - 1 {
		m.addShared(w, in, index, value, bits.TrailingZeros64(rest))
	}
	w.pending &^= won
	at := unit.port.take(start<<tickBits, busy) >> tickBits
	if w.pending == 0 {
		w.turns = 0
		m.end = max(m.end, at+turn)
		return 0
	}
	return at + turn
}

// acquire returns the pending lanes that may update in this turn. Within the
// warp one lane per lock may; the two halves of a warp of 8-byte elements go
// one after the other, so only their equal addresses compete. Between warps an
// address that was taken is out of reach until its hold ends; where there are
// lock bits in memory, so are the other addresses of its lock.
func (m *machine) acquire(w *warp, how *atomicTiming, index []uint64, wide bool, start int64) (won uint64) {
	unit := &m.sm[w.block.sm]
	if unit.held == nil {
		unit.held = make([]hold, 1<<12)
	}
	half := m.lanes
	if wide {
		half = m.lanes / 2
	}
	taken := &m.scratch.taken
	taken.reset()
	for rest := w.pending; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		word := w.block.base + sharedWord(index[l], wide)
		lock := word
		if how.mechanism != device.CAS && how.locks > 0 {
			lock %= how.locks
		}
		if taken.count[taken.add(lock<<1|uint64(l/half))] > 1 {
			continue
		}
		slot := &unit.held[mix(word)&uint64(len(unit.held)-1)]
		if how.mechanism == device.Lock {
			slot = &unit.held[lock&uint64(len(unit.held)-1)]
		}
		if slot.until > start && (how.mechanism == device.Lock || slot.addr == word) && !slot.passes(w) {
			continue
		}
		*slot = hold{addr: word, until: start + how.hold, warp: w.id, turn: int32(w.turns)}
		won |= 1 << l
	}
	return won
}

// passes reports whether a hold that has not ended lets the warp through: its
// own of an earlier turn does, unless another warp has tried meanwhile, in
// which case both have to try again.
func (h *hold) passes(w *warp) bool {
	if h.warp != w.id {
		h.contested = true
		return false
	}
	return h.turn != int32(w.turns) && !h.contested
}
