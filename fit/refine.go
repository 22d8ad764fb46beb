package fit

import (
	"slices"

	"github.com/atomtune/atomtune/device"
)

// stepped returns the best structure with one step at a turn in place of the
// parked lanes, and with neither.
func stepped(data rows, best *candidate) ([]*candidate, error) {
	if !best.Loops() || best.Apart {
		return nil, nil
	}
	var all []*candidate
	for turn := range 5 {
		if turn == 1 {
			continue
		}
		s := best.Structure
		s.StepTurn = turn
		c, err := newCandidate(data, s)
		if err != nil {
			return nil, err
		}
		for _, name := range branchTerms {
			c.use[termNumber[name]] = false
		}
		c.hidden = best.hidden
		c.fit()
		all = append(all, c)
	}
	return all, nil
}

// covered returns the best structure with a part of the first read's conflict
// beneath other work, where the word is read once.
func covered(data rows, best *candidate) ([]*candidate, error) {
	if best.Mechanism != device.CAS {
		return nil, nil
	}
	bank := termNumber["bank"]
	var all []*candidate
	for passes := 1; passes < best.Lanes; passes++ {
		c, err := newCandidate(data, best.Structure)
		if err != nil {
			return nil, err
		}
		c.hidden = float64(passes)
		for _, row := range c.x {
			row[bank] -= min(row[bank], c.hidden)
		}
		c.fit()
		all = append(all, c)
	}
	return all, nil
}

// prune takes out terms that do not pay for themselves, the least useful
// first.
func (c *candidate) prune() {
	noise := max(scaleOf(c.errs), leastScale)
	c.loss = lossOf(c.errs, noise)
	for {
		var better *candidate
		for _, j := range c.terms() {
			if j == termNumber["base"] {
				continue
			}
			less := *c
			less.use = slices.Clone(c.use)
			less.use[j] = false
			less.fit()
			less.loss = lossOf(less.errs, noise)
			if less.penalised() < c.penalised() && (better == nil || less.penalised() < better.penalised()) {
				better = &less
			}
		}
		if better == nil {
			return
		}
		*c = *better
	}
}

// unroll makes a native unit of a loop in which nothing but the number of turns
// counts: the unit serves the lanes of a bank one by one, and what looked like
// locks are its banks.
func (c *candidate) unroll() {
	if c.Mechanism != device.Lock || c.Wide || c.Locks > c.Banks {
		return
	}
	for _, name := range append([]string{"bank", "write", "step"}, branchTerms...) {
		if c.use[termNumber[name]] {
			return
		}
	}
	c.Mechanism, c.Banks, c.Locks, c.StepTurn = device.Native, c.Locks, 0, 0
}

// name tells a lock loop from a loop of the hardware: the first writes with
// bank conflicts of its own, the second swaps without, or has no more locks
// than banks.
func (c *candidate) name() {
	if c.Mechanism != device.Lock || c.Wide {
		return
	}
	switch {
	case c.Locks <= c.Banks:
		c.Mechanism = device.Spin
	case c.b[termNumber["write"]] == 0:
		c.Mechanism = device.Spin
		c.doubts = append(c.doubts, Unidentified{"mechanism", "with more locks than banks and no conflict of writes, a lock loop whose writes are free is as likely"})
	}
}
