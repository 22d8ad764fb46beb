package coordinator

// requests executes the kernel's workgroups p, p + P and so on of physical workgroup p of P.
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
					word.value = t.Op.apply(word.value, u.Operand, u.Expected)
				}
				w.Until(held)
			} else {
				w.softwareAtomic(t, olds)
			}
			for i, u := range t.Updates {
				w.history = append(w.history, Record{
					Workgroup: group, Wavefront: w.number, Lane: u.Lane, Variable: u.Variable,
					Op: t.Op, Operand: u.Operand, Expected: u.Expected, Old: olds[i], Begin: begin,
					End: w.Now(),
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
	inParts(k.Loads, w.Clause, func(n int) int64 { return w.Timing.Access(w, LoadAccess, n) })
	inParts(k.UniformLoads, w.Clause, func(n int) int64 { return w.Timing.Access(w, UniformAccess, n) })
	if k.Further != nil {
		k.Further.Run(w)
	}
	inParts(k.Cycles, quantum, func(n int) int64 { return w.Timing.Compute(w, n) })
	inParts(k.Stores, mostAccesses, func(n int) int64 { return w.Timing.Access(w, StoreAccess, n) })
	w.Progress()
}

// Words of local memory of one requesting wavefront.
const (
	localSum    = iota // LocalSum of Figure 6
	localNumber        // ThreadsNum of Figure 6
	localChoice        // whose address is served next
	localKeys          // per lane: its variable
	// By ticket, of operations that are not addition: operands and expected values.
	localOperands = localKeys + WavefrontLanes
	localExpected = localOperands + WavefrontLanes

	requesterWords = localExpected + WavefrontLanes
)

func (w *Front) localWord(word int) int { return w.number*requesterWords + word }
func (w *Front) ticketWord(array int, ticket uint32) int {
	return w.localWord(array + int(ticket%WavefrontLanes))
}

// softwareAtomic is software_atom_add of Figure 6. Where the lanes may update
// different addresses, or an operation decides what another one does, one request follows
// the other.
func (w *Front) softwareAtomic(t *Statement, olds []uint32) {
	left := make([]int, len(t.Updates))
	for i, u := range t.Updates {
		left[i] = i
		if w.several {
			w.localStore(u.Lane, w.localWord(localKeys+u.Lane), uint32(u.Variable))
		}
	}
	for len(left) > 0 {
		chosen := left
		if left = nil; w.several {
			chosen, left = w.choose(t, chosen)
		}
		if len(chosen) > 0 {
			left = append(left, w.request(t, chosen, olds)...)
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
// of one address, and gives each its old value. It returns the lanes that have to ask again.
func (w *Front) request(t *Statement, chosen []int, olds []uint32) (again []int) {
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
	summed := w.Now()
	if t.Op == Add {
		summed = add(sum, partial, func(u Update) uint32 { return u.Operand })
	}
	w.localAwait(add(number, tickets, func(Update) uint32 { return 1 }))
	if t.Op != Add {
		for n, i := range chosen {
			u := t.Updates[i]
			w.localStore(u.Lane, w.ticketWord(localOperands, tickets[n]), u.Operand)
			w.localStore(u.Lane, w.ticketWord(localExpected, tickets[n]), u.Expected)
		}
	}
	w.localFence(FenceSum)
	old := w.wait(w.publish(t, chosen, tickets))
	w.localAwait(summed)
	for n, i := range chosen {
		served := true
		if olds[i], served = w.answer(t.Op, t.Updates[i], tickets[n], old, partial[n]); !served {
			again = append(again, i)
		}
	}
	return again
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
		w.write(u.Lane, w.layout.operands+w.slot, w.together(t.Op, u))
		if t.Op == CompareExchange {
			w.write(u.Lane, w.layout.expected+w.slot, u.Expected)
		}
		w.fence(FencePublish)
		w.write(u.Lane, w.layout.addresses+w.slot, uint32(requestOf(t.Op, u.Variable)))
	}
	return waiter
}

// together is the operand that does what all lanes do: their sum, or what the last of them
// leaves. Of CompareExchange it is the dominant lane's, after which most others change nothing.
func (w *Front) together(o Op, dominant Update) uint32 {
	switch o {
	case Add:
		return w.localLoad(dominant.Lane, w.localWord(localSum))
	case Exchange:
		lanes := w.localLoad(dominant.Lane, w.localWord(localNumber))
		return w.localLoad(dominant.Lane, w.ticketWord(localOperands, lanes-1))
	}
	return dominant.Operand
}

// answer is what a lane's operation returns where the first of its wavefront found that old value
// and the sum of those before it is the partial one. Exchanges follow each other by their
// tickets. A lane whose comparison holds after the first one's exchange has to ask by itself.
func (w *Front) answer(o Op, u Update, ticket, old, partial uint32) (value uint32, served bool) {
	of := func(ticket uint32) (operand, expected uint32) {
		return w.localLoad(u.Lane, w.ticketWord(localOperands, ticket)),
			w.localLoad(u.Lane, w.ticketWord(localExpected, ticket))
	}
	switch {
	case o == Add:
		return old + partial, true
	case ticket == 0:
		return old, true
	case o == Exchange:
		value, _ = of(ticket - 1)
		return value, true
	}
	operand, expected := of(0)
	value = o.apply(old, operand, expected)
	return value, o.apply(value, u.Operand, u.Expected) == value
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
