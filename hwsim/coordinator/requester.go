package coordinator

// requests executes what the kernel has for a wavefront. Physical workgroup p
// of P stands for the kernel's workgroups p, p + P, p + 2P and so on.
func (w *Front) requests() {
	for g := int(w.group.number) - 1; g < len(w.kernel.Groups); g += w.groups {
		statements := w.kernel.Groups[g][w.number]
		for i := range statements {
			w.statement(g, &statements[i])
		}
	}
	if w.options.Atomics == Software {
		w.write(0, w.layout.finished+w.slot, 1)
	}
}

func (w *Front) statement(group int, t *Statement) {
	w.work(t.Before)
	if len(t.Updates) > 0 {
		if w.options.Atomics != Leave {
			begin, olds := w.Now(), make([]uint32, len(t.Updates))
			if w.options.Atomics == System {
				held := w.Timing.(SystemAtomics).SystemAtomic(w, t.Updates)
				for i, u := range t.Updates {
					word := &w.memory.words[u.Variable]
					olds[i] = word.value
					word.value += u.Operand
				}
				w.Until(held)
			} else {
				w.softwareAtomic(t, olds)
			}
			for i, u := range t.Updates {
				w.history = append(w.history, Record{
					Workgroup: group, Wavefront: w.number, Lane: u.Lane, Variable: u.Variable,
					Operand: u.Operand, Old: olds[i], Begin: begin, End: w.Now(),
				})
			}
		}
		w.Progress()
	}
	w.work(t.After)
}

// quantum is how many cycles of arithmetic a wavefront executes before another
// one of its compute unit has its turn.
const quantum = 64

// work executes the loads, in clauses, then the further ones, the arithmetic, the stores.
func (w *Front) work(k Work) {
	inParts := func(n, most int, part func(n int) int64) {
		for ; n > 0; n -= most {
			w.Until(part(min(n, most)))
			w.Progress()
		}
	}
	access := func(kind AccessKind) func(int) int64 {
		return func(n int) int64 { return w.Timing.Access(w, kind, n) }
	}
	inParts(k.Loads, w.Clause, access(LoadAccess))
	inParts(k.UniformLoads, w.Clause, access(UniformAccess))
	if k.Further != nil {
		k.Further.Run(w)
	}
	inParts(k.Cycles, quantum, func(n int) int64 { return w.Timing.Compute(w, n) })
	inParts(k.Stores, mostAccesses, access(StoreAccess))
	w.Progress()
}

// Words of local memory of one requesting wavefront.
const (
	localSum    = iota // LocalSum of Figure 6
	localNumber        // ThreadsNum of Figure 6
	localChoice        // whose address is served next
	localKeys          // per lane: its variable

	requesterWords = localKeys + WavefrontLanes
)

func (w *Front) localWord(word int) int { return w.number*requesterWords + word }

// softwareAtomic is software_atom_add of Figure 6. Where the lanes may update
// different addresses, one request follows the other.
func (w *Front) softwareAtomic(t *Statement, olds []uint32) {
	left := make([]int, len(t.Updates))
	for i, u := range t.Updates {
		left[i] = i
		if w.several {
			w.localStore(u.Lane, w.localWord(localKeys+u.Lane), uint32(u.Variable))
		}
	}
	if !w.several {
		w.request(t, left, olds)
		return
	}
	for len(left) > 0 {
		var chosen []int
		if chosen, left = w.choose(t, left); len(chosen) > 0 {
			w.request(t, chosen, olds)
		}
	}
}

// choose lets every lane that is left vote for itself; the last vote counts.
// It returns the lanes whose address is the chosen one's, and the others.
func (w *Front) choose(t *Statement, left []int) (chosen, others []int) {
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
	w.Until(w.Timing.Compare(w, 1))
	return chosen, others
}

// request hands the updates of the chosen lanes to the coordinator, which are
// of one address, and gives each its old value.
func (w *Front) request(t *Statement, chosen []int, olds []uint32) {
	sum, number := w.localWord(localSum), w.localWord(localNumber)
	for _, i := range chosen {
		w.localStore(t.Updates[i].Lane, sum, 0)
		w.localStore(t.Updates[i].Lane, number, 0)
	}
	w.localFence(FenceClear)
	partial, tickets := make([]uint32, len(chosen)), make([]uint32, len(chosen))
	// add adds to a word for the chosen lanes, and returns when results are there.
	add := func(word int, results []uint32, addend func(Update) uint32) (due int64) {
		for n, i := range chosen {
			u := t.Updates[i]
			due = max(due, w.localAdd(u.Lane, word, addend(u), &results[n]))
		}
		due = max(due, w.Timing.LocalAtomic(w, len(chosen)))
		w.localDone = max(w.localDone, due)
		return due
	}
	summed := add(sum, partial, func(u Update) uint32 { return u.Operand })
	w.localAwait(add(number, tickets, func(Update) uint32 { return 1 }))
	w.localFence(FenceSum)
	old := w.wait(w.publish(t, chosen, tickets))
	w.localAwait(summed)
	for n, i := range chosen {
		olds[i] = old + partial[n]
	}
}

// publish lets the dominant lane, which was the first to take a ticket, write
// the request. It returns a lane to wait with.
func (w *Front) publish(t *Statement, chosen []int, tickets []uint32) int {
	waiter := t.Updates[chosen[0]].Lane
	for n, i := range chosen {
		if tickets[n] != 0 {
			continue
		}
		u := t.Updates[i]
		waiter = u.Lane
		w.write(u.Lane, w.layout.sums+w.slot, w.localLoad(u.Lane, w.localWord(localSum)))
		w.fence(FencePublish)
		w.write(u.Lane, w.layout.addresses+w.slot, uint32(u.Variable)+1)
	}
	return waiter
}

// wait holds the wavefront until the coordinator has answered, and returns the
// variable's value before the wavefront's updates.
func (w *Front) wait(lane int) uint32 {
	address := w.layout.addresses + w.slot
	for w.Progress(); ; {
		w.fence(FencePoll)
		if w.Wake && w.memory.load(w.thread(lane), w.group.number, address, w.Now()) != 0 {
			w.waiting[address] = w
			w.park()
		}
		w.Until(w.Timing.Poll(w))
		if w.read(lane, address) == 0 {
			break
		}
	}
	w.Progress()
	return w.read(lane, w.layout.olds+w.slot)
}
