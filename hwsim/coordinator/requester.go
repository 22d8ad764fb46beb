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

// Words of local memory of one requesting wavefront.
const (
	localSum    = iota // LocalSum of Figure 6
	localNumber        // ThreadsNum of Figure 6
	localChoice        // whose address is served next
	localKeys          // per lane: its variable

	requesterWords = localKeys + WavefrontLanes
)

// softwareAtomic is software_atom_add of Figure 6. Where the lanes may update
// different addresses, one request follows the other.
func (w *wavefront) softwareAtomic(t *Statement, olds []uint32) {
	left := make([]int, len(t.Updates))
	for i := range left {
		left[i] = i
	}
	if w.s.shape.several {
		w.storeKeys(t)
	}
	for len(left) > 0 {
		chosen := left
		if w.s.shape.several {
			chosen, left = w.choose(t, left)
		} else {
			left = nil
		}
		w.request(t, chosen, olds)
	}
}

func (w *wavefront) storeKeys(t *Statement) {
	for _, u := range t.Updates {
		w.localStore(u.Lane, w.localWord(localKeys+u.Lane), uint32(u.Variable))
	}
}

func (w *wavefront) localWord(word int) int { return w.number*requesterWords + word }

// choose lets every lane that is left vote for itself; the last vote counts.
// It returns the lanes whose address is the chosen one's, and the others.
func (w *wavefront) choose(t *Statement, left []int) (chosen, others []int) {
	choice := w.localWord(localChoice)
	for _, i := range left {
		w.localStore(t.Updates[i].Lane, choice, uint32(t.Updates[i].Lane))
	}
	w.localFence(FenceChoose)
	for _, i := range left {
		lane := t.Updates[i].Lane
		voted := int(w.localLoad(lane, choice)) % WavefrontLanes
		if w.localLoad(lane, w.localWord(localKeys+voted)) == uint32(t.Updates[i].Variable) {
			chosen = append(chosen, i)
		} else {
			others = append(others, i)
		}
	}
	w.until(w.s.pace.Compare(w, 1))
	return chosen, others
}

// request hands the updates of the chosen lanes to the coordinator, which are
// of one address, and gives each its old value.
func (w *wavefront) request(t *Statement, chosen []int, olds []uint32) {
	if len(chosen) == 0 {
		return
	}
	sum, number := w.localWord(localSum), w.localWord(localNumber)
	for _, i := range chosen {
		w.localStore(t.Updates[i].Lane, sum, 0)
		w.localStore(t.Updates[i].Lane, number, 0)
	}
	w.localFence(FenceClear)
	partial, tickets := make([]uint32, len(chosen)), make([]uint32, len(chosen))
	summed := w.localAtomic(t, chosen, sum, partial, func(operand uint32) uint32 { return operand })
	w.localAwait(w.localAtomic(t, chosen, number, tickets, func(uint32) uint32 { return 1 }))
	w.localFence(FenceSum)
	lane := w.publish(t, chosen, tickets)
	old := w.wait(lane)
	w.localAwait(summed)
	for n, i := range chosen {
		olds[i] = old + partial[n]
	}
}

// localAtomic adds to a word for the chosen lanes, and returns when results
// are there.
func (w *wavefront) localAtomic(t *Statement, chosen []int, word int, results []uint32,
	addend func(uint32) uint32) int64 {
	var due int64
	for n, i := range chosen {
		due = max(due, w.localAdd(t.Updates[i].Lane, word, addend(t.Updates[i].Operand), &results[n]))
	}
	due = max(due, w.s.pace.LocalAtomic(w, len(chosen)))
	w.localDone = max(w.localDone, due)
	return due
}

// publish lets the dominant lane, which was the first to take a ticket, write
// the request. It returns a lane to wait with.
func (w *wavefront) publish(t *Statement, chosen []int, tickets []uint32) int {
	l, waiter := &w.s.layout, t.Updates[chosen[0]].Lane
	for n, i := range chosen {
		if tickets[n] != 0 {
			continue
		}
		u := t.Updates[i]
		waiter = u.Lane
		w.write(u.Lane, l.sums+w.slot, w.localLoad(u.Lane, w.localWord(localSum)))
		w.fence(FencePublish)
		w.write(u.Lane, l.addresses+w.slot, uint32(u.Variable)+1)
	}
	return waiter
}

// wait holds the wavefront until the coordinator has answered, and returns the
// variable's value before the wavefront's updates.
func (w *wavefront) wait(lane int) uint32 {
	l := &w.s.layout
	address := l.addresses + w.slot
	w.acts()
	for {
		w.fence(FencePoll)
		if w.s.pace.Attentive() && w.s.memory.load(w.thread(lane), w.group.number, address,
			w.e.now) != 0 {
			w.s.waiting[address] = w
			w.park()
		}
		w.until(w.s.pace.Turn(w))
		w.s.count.Polls++
		if w.read(lane, address) == 0 {
			break
		}
	}
	w.acts()
	return w.read(lane, l.olds+w.slot)
}
