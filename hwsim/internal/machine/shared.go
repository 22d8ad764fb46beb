package machine

import (
	"math/bits"
)

// load reads an element for each of the lanes, so many behind its index.
func (b *block) load(out, index []uint64, behind, lanes uint64, wide bool) {
	out = out[:len(index)]
	shared := b.shared
	if !wide && lanes == allOf(index) {
		for l, i := range index {
			out[l] = uint64(shared[i+behind])
		}
		return
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		out[l] = b.get(index[l]+behind, wide)
	}
}

func allOf(elements []uint64) uint64 { return ^uint64(0) >> (64 - len(elements)) }

// store writes an element for each of the lanes, so many behind its index.
func (b *block) store(index, value []uint64, behind, lanes uint64, wide bool) {
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		b.set(index[l]+behind, value[l], wide)
	}
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

// passes counts the serial accesses of a load or store, one at least. Of pieces of several words
// as many lanes are served at once as have one word for each bank.
func (m *Machine) passes(w *Warp, in *Instruction, index []uint64) int64 {
	if in.elements() > 1 {
		return m.piecePasses(w, in, index)
	}
	if !in.wide && m.banks <= 64 {
		if n, straight := w.line(in.a); straight && n.step <= 1 && int64(m.Lanes) <= m.banks {
			return 1
		}
		return m.wordPasses(index, w.mask, w.block.base)
	}
	g := &m.scratch.groups
	m.scratch.sorter.sort(g, index, w.mask, w.block.base, in.wide)
	total, _ := g.passes(w.mask, false)
	return int64(max(total, 1))
}

// wordPasses counts the different words that the lanes want of the bank of which they want most. A
// row is one word of each bank.
func (m *Machine) wordPasses(index []uint64, lanes, base uint64) int64 {
	allBanks, perRow := uint64(m.banks-1), bits.OnesCount64(uint64(m.banks-1))
	seen, again, highest := uint64(0), uint64(0), uint64(0)
	for l, i := range index {
		bank := lanes >> (l & 63) & 1 << ((base + i) & allBanks & 63)
		again |= seen & bank
		seen |= bank
		highest |= i
	}
	if again == 0 {
		return 1
	}
	if highest>>perRow >= 64 {
		g := &m.scratch.groups
		m.scratch.sorter.sort(g, index, lanes, base, false)
		return int64(g.bankPasses(lanes, false))
	}
	var rows [64]uint64 // of each bank
	for l, i := range index {
		rows[(base+i)&allBanks&63] |= lanes >> (l & 63) & 1 << (i >> (perRow & 63) & 63)
	}
	worst := 0
	for ; again != 0; again &= again - 1 {
		worst = max(worst, bits.OnesCount64(rows[bits.TrailingZeros64(again)&63]))
	}
	return int64(worst)
}

func (m *Machine) piecePasses(w *Warp, in *Instruction, index []uint64) (total int64) {
	size := uint64(1) // words of an element
	if in.wide {
		size = 2
	}
	words := in.elements() * int(size)
	together := max(1, int(m.banks)/words)
	for first := 0; first < m.Lanes; first += together {
		g := &m.scratch.address
		g.reset()
		var count [64]int64
		worst := int64(0)
		for l := range lanesOf(w.mask >> first << first & (m.full >> (m.Lanes - min(m.Lanes, first+together)))) {
			for e := range uint64(words) {
				word := w.block.base + index[l]*size + e
				if n := g.add(word); g.count[n] == 1 {
					bank := word % uint64(m.banks) % 64
					count[bank]++
					worst = max(worst, count[bank])
				}
			}
		}
		total += worst
	}
	return max(total, 1)
}

// atomicShared performs the next stage of a shared-memory atomic add. It
// returns the cycle from which the warp goes on, with the stage after it or,
// once all lanes have added, with its next instruction.
func (m *Machine) atomicShared(w *Warp, in *Instruction, start int64) (next int64, done bool) {
	if w.mask == 0 {
		return start + m.issue, true
	}
	if w.request == nil {
		m.openRequest(w, in, start)
	}
	r, unit := w.request, w.unit
	beside := r.beside()
	m.Instrs += uint64(beside)
	unit.issue[w.scheduler] += beside * m.issue
	if r.due != dueRead && m.op.Extreme() && (r.how.way == swapping || r.how.way == spinning) {
		r.keeping = m.keepingShared(w, in, r.pending)
	}
	m.addShared(w, in, r.advance(&unit.sharedUnit, max(start<<tickBits, r.at)))
	if r.due != dueNothing {
		return r.at >> tickBits, false
	}
	end := (r.at + tick - 1) >> tickBits
	m.end = max(m.end, end)
	w.setReady(in, end)
	m.requests, w.request = append(m.requests, r), nil
	if r.how.way == spinning || r.how.way == swapping {
		return end, true // what the swap returns decides that the loop ends
	}
	return unit.issue[w.scheduler], true
}

func (m *Machine) openRequest(w *Warp, in *Instruction, start int64) {
	how := &m.shared
	switch {
	case in.Op == opCompareSwapShared:
		how = &m.swap
	case in.Plain:
		how = &m.Integer
	case in.One:
		how = &m.Ones
	}
	if len(m.requests) == 0 {
		m.requests = append(m.requests, new(request))
	}
	last := len(m.requests) - 1
	r := m.requests[last]
	m.requests = m.requests[:last]
	index := w.Vec(in.a, m.Lanes, &m.scratch.a)
	m.scratch.sorter.sort(&r.groups, index, w.mask, w.block.base, in.wide)
	if how.loops() {
		m.scratch.sorter.sortLocks(&r.groups, how.locks)
	}
	r.begin(how, w.mask, w.mask == m.full, start<<tickBits)
	m.Issued += uint64(bits.OnesCount64(w.mask))
	w.request = r
}

// keepingShared returns the lanes whose extreme leaves its word as it is.
func (m *Machine) keepingShared(w *Warp, in *Instruction, lanes uint64) (keeping uint64) {
	index, value := w.Vec(in.a, m.Lanes, &m.scratch.a), w.Vec(in.b, m.Lanes, &m.scratch.b)
	for l := range lanesOf(lanes) {
		if m.keeps(w.block.get(index[l], in.wide), value[l]) {
			keeping |= 1 << l
		}
	}
	return keeping
}

func (m *Machine) addShared(w *Warp, in *Instruction, lanes uint64) {
	if lanes == 0 {
		return // a read, or an iteration in which other warps were first
	}
	m.Completed += uint64(bits.OnesCount64(lanes))
	index := w.Vec(in.a, m.Lanes, &m.scratch.a)
	value := w.Vec(in.b, m.Lanes, &m.scratch.b)
	if (in.Plain || m.sums) && !in.wide && in.Op == OpAtomicShared && in.Dst.kind != isVector {
		shared := w.block.shared // most additions
		for l := range lanesOf(lanes) {
			shared[index[l]] += uint32(value[l])
		}
		return
	}
	for l := range lanesOf(lanes) {
		old := w.block.get(index[l], in.wide)
		next := old + value[l]
		if in.Dst.kind == isVector {
			w.target(in.Dst, m.Lanes)[l] = old
		}
		switch {
		case in.Op == opCompareSwapShared:
			if next = old; old == EmptyKey {
				next = value[l]
			}
		case !in.Plain:
			next = m.partial(old, value[l])
		}
		w.block.set(index[l], next, in.wide)
	}
}

// EmptyKey marks a free place of a hash table. No target has this number.
const EmptyKey = 1<<32 - 1
