package hwsim

// issued is an instruction that a warp has executed.
type issued struct {
	at   int32  // its place in the program
	mask uint64 // the lanes that were active
	now  int64  // cycles: when it was issued
}

// launchWatched runs a kernel of one block; see is called after each instruction.
func (m *machine) launchWatched(k kernel, see func(w *warp, done issued)) error {
	m.run = &kernelRun{kernel: k, left: k.blocks, warpsPerBlock: (k.threads + m.lanes - 1) / m.lanes}
	m.startBlock(0, m.queue.Now())
	for {
		now, id, ok := m.queue.Pop()
		if !ok {
			return m.finished()
		}
		w := m.warps[id]
		done := issued{w.pc, w.mask, now}
		m.stepOnce(w, now)
		see(w, done)
	}
}

// stepOnce is step without bundles: it issues one instruction.
func (m *machine) stepOnce(w *warp, now int64) {
	unit := &m.sm[w.block.sm]
	start := max(now, unit.issue[w.scheduler])
	in := &w.prog.code[w.pc]
	if !in.inner {
		m.single(w, in, unit, start)
		return
	}
	unit.issue[w.scheduler] = start + m.issue
	m.inner(w, in, start)
	m.resume(w, start+m.issue)
}
