package machine

// Issued is an instruction that a warp has executed.
type Issued struct {
	At   int32  // its place in the program
	Mask uint64 // the lanes that were active
	Now  int64  // cycles: when it was issued
}

// LaunchWatched runs a kernel of one block; see is called after each instruction.
func (m *Machine) LaunchWatched(k Kernel, see func(w *Warp, done Issued)) error {
	m.run = &kernelRun{Kernel: k, left: k.Blocks, warpsPerBlock: (k.Threads + m.Lanes - 1) / m.Lanes}
	m.startBlock(0, m.queue.Now())
	for {
		now, id, ok := m.queue.Pop()
		if !ok {
			return m.finished()
		}
		w := m.warps[id]
		done := Issued{w.pc, w.mask, now}
		m.stepOnce(w, now)
		see(w, done)
	}
}

// stepOnce is step without bundles: it issues one instruction.
func (m *Machine) stepOnce(w *Warp, now int64) {
	unit := &m.sm[w.block.sm]
	start := max(now, unit.issue[w.scheduler])
	in := &w.prog.Code[w.pc]
	if !in.inner {
		m.single(w, in, unit, start)
		return
	}
	unit.issue[w.scheduler] = start + m.issue
	m.inner(w, in, start)
	m.resume(w, start+m.issue)
}
