package coordinator

// requests executes what the kernel has for a wavefront. Physical workgroup p
// of P stands for the kernel's workgroups p, p + P, p + 2P and so on.
func (w *wavefront) requests() {
	s := w.s
	physical := int(w.group.number) - 1
	for g := physical; g < len(s.kernel.Groups); g += len(s.dispatch.order) - s.coordinators() {
		front := s.kernel.Groups[g][w.number]
		for i := range front {
			w.statement(g, &front[i])
		}
	}
	if s.options.Atomics == Software {
		w.write(0, s.layout.finished+w.slot, 1)
	}
}

func (w *wavefront) statement(group int, t *Statement) {
	w.work(t.Before)
	if len(t.Updates) > 0 {
		olds := make([]uint32, len(t.Updates))
		begin := w.e.now
		switch w.s.options.Atomics {
		case System:
			w.systemAtomic(t, olds)
			w.s.record(w, group, t, olds, begin)
		case Software:
			w.softwareAtomic(t, olds)
			w.s.record(w, group, t, olds, begin)
		}
		w.acts()
	}
	w.work(t.After)
}

// quantum is how many cycles of arithmetic a wavefront executes before another
// one of its compute unit has its turn.
const quantum = 64

// work executes the loads, in clauses, then the further ones, the arithmetic, the stores.
func (w *wavefront) work(k Work) {
	p := w.s.path()
	for _, a := range []struct {
		kind AccessKind
		n    int
	}{{loadAccess, k.Loads}, {uniformAccess, k.UniformLoads}} {
		for left := a.n; left > 0; left -= w.s.pace.Clause() {
			w.until(w.s.pace.Access(w, a.kind, min(left, w.s.pace.Clause()), p))
			w.acts()
		}
	}
	if k.Further != nil {
		k.Further.Run(w, p)
	}
	for left := k.Cycles; left > 0; left -= quantum {
		w.until(w.s.pace.Compute(w, min(left, quantum)))
		w.acts()
	}
	if k.Stores > 0 {
		w.until(w.s.pace.Access(w, storeAccess, k.Stores, p))
	}
	w.acts()
}

// systemAtomic is the system-provided atomic operation: each lane for itself.
func (w *wavefront) systemAtomic(t *Statement, olds []uint32) {
	lanes := map[int]int{}
	for _, u := range t.Updates {
		lanes[u.Variable]++
	}
	held := w.e.now
	for _, u := range t.Updates {
		if n := lanes[u.Variable]; n > 0 {
			held = max(held, w.s.pace.System(w, u.Variable, n))
			lanes[u.Variable] = 0
		}
	}
	for i, u := range t.Updates {
		word := &w.s.memory.words[u.Variable]
		olds[i] = word.value
		word.value += u.Operand
	}
	w.until(held)
}
