package machine

import "math/bits"

// bundle is the number of instructions of one warp, one after the other and
// each touching its own registers alone, that one event executes at most.
const bundle = 8

// step issues the warp's next instruction at cycle now or, if its scheduler is
// busy, as soon as that is free, and schedules the one after it. Instructions
// that touch the warp's registers alone are executed together: each takes its
// slot of the scheduler, and the latency of those that it waits for.
func (m *Machine) step(w *Warp, now int64) {
	m.Events++
	unit := w.unit
	if r := w.request; r != nil && r.due == dueLocks {
		r.advance(&unit.sharedUnit, r.at)
		m.Queue.Push(r.at>>tickBits, w.id)
		return
	}
	start := max(now, unit.issue[w.scheduler])
	in := &w.prog.Code[w.pc]
	if !in.inner {
		m.single(w, in, unit, start)
		return
	}
	slots := start
	for n := 1; ; n++ {
		m.Instrs++
		slots += m.issue
		m.inner(w, in, start)
		w.passRegions()
		at := w.operandsReady(start + m.issue)
		in = &w.prog.Code[w.pc]
		if n == bundle || m.Watch != nil || !in.inner || at > start+max(m.alu, m.issue) {
			unit.issue[w.scheduler] = slots
			m.Queue.Push(at, w.id)
			return
		}
		start = at
	}
}

func (m *Machine) inner(w *Warp, in *Instruction, start int64) {
	switch {
	case in.Op > OpFirst:
		w.control(in)
		return
	case in.Op >= opEq && in.Op <= opPNot:
		m.compare(w, in)
	default:
		m.arithmetic(w, in)
	}
	w.setReady(in, start+m.alu)
	w.pc++
}

func (m *Machine) single(w *Warp, in *Instruction, unit *sm, start int64) {
	unit.issue[w.scheduler] = start + m.issue
	m.Instrs++
	next := start + m.issue
	switch in.Op {
	case OpBallot, OpShuffle, OpMatch:
		m.exchange(w, in, start)
	case OpAtomic:
		if retry := m.atomic(w, in, start); retry > 0 {
			m.Queue.Push(retry, w.id)
			return
		}
	case OpAtomicShared, opCompareSwapShared:
		var done bool
		if next, done = m.atomicShared(w, in, start); !done {
			m.Queue.Push(next, w.id)
			return
		}
	case opLoad, opLoadShared:
		m.load(w, in, start)
	case opStore, opStoreShared:
		m.store(w, in, start)
	case opBarrier:
		w.pc++
		w.block.waiting = append(w.block.waiting, w)
		m.release(w.block, next)
		return
	case opExit:
		m.finishWarp(w, next)
		return
	default:
		panic("hwsim: no such operation")
	}
	w.pc++
	m.resume(w, next)
}

// resume passes over control that costs nothing and schedules the next instruction.
func (m *Machine) resume(w *Warp, at int64) {
	w.passRegions()
	m.Queue.Push(w.operandsReady(at), w.id)
}

// passRegions enters and leaves structured regions, which costs nothing.
func (w *Warp) passRegions() {
	for {
		switch w.prog.Code[w.pc].Op {
		case opLoop:
			w.stack = append(w.stack, frame{saved: w.mask})
		case opEndIf, OpEndLoop:
			w.mask = w.stack[len(w.stack)-1].saved
			w.stack = w.stack[:len(w.stack)-1]
		default:
			return
		}
		w.pc++
	}
}

func (w *Warp) control(in *Instruction) {
	w.pc++
	jump := true
	switch in.Op {
	case opIf:
		taken := w.mask & w.preds[in.pred.Reg]
		other := w.mask &^ taken
		w.stack = append(w.stack, frame{w.mask, other})
		if jump = taken == 0; jump {
			taken = other
		}
		w.mask = taken
	case opElse:
		w.mask = w.stack[len(w.stack)-1].other
		jump = w.mask == 0
	case opBreakUnless:
		w.mask &= w.preds[in.pred.Reg]
		jump = w.mask == 0
	}
	if jump {
		w.pc = in.target
	}
}

// exchange executes communication between the lanes of a warp. Where the
// device has no such instruction, the lanes go through shared memory: they
// store, and read again; a ballot adds one bit per lane to one word.
func (m *Machine) exchange(w *Warp, in *Instruction, start int64) {
	takes, out := m.shuffle, m.scratch.out[:m.Lanes]
	passes := 2 * ((int64(m.Lanes) + m.banks - 1) / m.banks)
	switch in.Op {
	case OpBallot:
		takes, passes = m.ballot, int64(bits.OnesCount64(w.mask))+1
		w.Scalars[in.Dst.Reg] = w.preds[in.pred.Reg] & w.mask
	case OpShuffle:
		src, from := w.Vec(in.a, m.Lanes, &m.scratch.a), w.Vec(in.b, m.Lanes, &m.scratch.b)
		for l := range out {
			out[l] = src[l]
			if f := from[l]; f < uint64(m.Lanes) {
				out[l] = src[f]
			}
		}
		w.write(in.Dst, out, m.full)
	case OpMatch:
		key, groups, masks := w.Vec(in.a, m.Lanes, &m.scratch.a), &m.scratch.address, [64]uint64{}
		groups.reset()
		for l := range lanesOf(w.mask) {
			n := groups.add(key[l])
			out[l] = uint64(n)
			masks[n] |= 1 << l
		}
		for l := range lanesOf(w.mask) {
			out[l] = masks[out[l]&63]
		}
		w.write(in.Dst, out, m.full)
		keys := int64(groups.n)
		takes = m.match
		takes.port += keys * m.matchKey.port
		takes.latency += keys * m.matchKey.latency
	}
	unit := w.unit
	if !takes.native {
		takes.port, takes.latency = passes*m.passPort, 2*m.loadShared+(passes-2)*m.passShared
		m.Instrs++
		unit.issue[w.scheduler] += m.issue
	}
	at := unit.port.take(start<<tickBits, takes.port)
	w.setReady(in, at>>tickBits+takes.latency)
}
