package machine

import (
	"math/bits"

	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// atomic executes a global atomic update. It returns the cycle of the next iteration
// of a compare-and-swap loop, or 0 when all lanes have added.
func (m *Machine) atomic(w *Warp, in *Instruction, start int64) int64 {
	how := &m.global
	if in.Plain {
		how = &m.counter
	}
	u := m.updates(w, in)
	if how.swaps {
		return m.swapLoop(w, in, how, &u, start)
	}
	m.Issued += uint64(bits.OnesCount64(w.mask))
	for e := range in.elements() {
		if u.behind = uint64(e); e > 0 {
			u.value = w.Vec(in.b.next(e), m.Lanes, &m.scratch.b)
		}
		for l := range lanesOf(w.mask) {
			u.add(m, l)
		}
	}
	m.Completed += uint64(bits.OnesCount64(w.mask))
	done := m.request(w, how, u.Buffer, u.index, w.mask, int64(in.elements()), start)
	m.end = max(m.end, done)
	w.setReady(in, done)
	return 0
}

type updates struct {
	*Buffer
	index, value, second []uint64
	old                  []uint64 // nil where no old values are asked for
	behind               uint64   // of a lane's piece, the place of the element that is updated
	plain                bool
}

func (m *Machine) updates(w *Warp, in *Instruction) updates {
	u := updates{m.Buffers[in.buf], w.Vec(in.a, m.Lanes, &m.scratch.a), w.Vec(in.b, m.Lanes, &m.scratch.b),
		w.Vec(in.pred, m.Lanes, &m.scratch.out), nil, 0, in.Plain}
	if in.Dst.kind == isVector {
		u.old = w.target(in.Dst, m.Lanes)
	}
	return u
}

// add makes one lane's update and keeps the old value if it is asked for.
func (u *updates) add(m *Machine, l int) {
	i := u.index[l] + u.behind
	old := u.Get(i)
	if u.old != nil {
		u.old[l] = old
	}
	next := old + u.value[l]
	if !u.plain {
		next = arith.Apply(m.op, m.typ, old, u.value[l], u.second[l])
	}
	u.Set(i, next)
}

// moments returns the cycles in which an iteration of a software loop learns the value to compare
// with and in which it swaps. A loop that loads again in each iteration is taken to learn it at the
// start and to swap half an iteration later, however long the queue. One that goes on from what the
// swap returned learns it there.
func (how *atomicTiming) moments(w *Warp, start, done int64) (known, swapped int64) {
	switch {
	case how.round == how.latency:
		return start, start + how.latency/2
	case w.iterations == 1:
		w.swapped = start + (how.latency-how.round)/2 // its load
	}
	known, w.swapped = w.swapped, done-how.round/2
	return known, w.swapped
}

// swapLoop is one iteration of the software loop: load, operation, compare-and-swap, or the last
// two of these. Of the lanes on one address one succeeds, unless another warp's swap comes
// between. Of swaps that keep an extreme any number succeeds.
func (m *Machine) swapLoop(w *Warp, in *Instruction, how *atomicTiming, u *updates, start int64) int64 {
	if w.iterations == 0 {
		w.pending = w.mask
		m.Issued += uint64(bits.OnesCount64(w.mask))
	}
	w.iterations++
	m.Instrs += 3
	w.unit.issue[w.scheduler] += 3 * m.issue
	iteration := *how
	if w.iterations > 1 { // the sectors have been in L2 since the first iteration
		iteration.latency, iteration.cached = how.round, true
	}
	tried := w.pending
	done := m.request(w, &iteration, u.Buffer, u.index, tried, 1, start)
	m.end = max(m.end, done)
	known, swapped := how.moments(w, start, done)
	g := &m.scratch.address
	g.reset()
	for l := range lanesOf(tried) {
		if g.count[g.add(u.index[l])] > 1 && !m.op.Extreme() {
			continue // another lane of this warp swaps first
		}
		addr := u.Base + u.index[l]*u.ElemBytes()
		slot := m.busy.at(splitmix.Mix(addr) % busyAddresses)
		if slot.addr == addr && slot.free > known {
			continue // another warp, or lane, swaps between
		}
		if !m.keeps(u.Get(u.index[l]), u.value[l]) {
			*slot = underway{addr, swapped}
		}
		u.add(m, l)
		m.Completed++
		w.pending &^= 1 << l
	}
	if w.pending == 0 {
		w.iterations = 0
		w.setReady(in, done)
		return 0
	}
	return max(done, start+iteration.latency)
}
