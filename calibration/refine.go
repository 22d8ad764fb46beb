package calibration

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/calibration/regression"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// stepped returns the best structure with one step at an iteration in place of the
// parked lanes, and with neither.
func stepped(data rows, best *candidate) []*candidate {
	if !best.Loops() || best.Apart {
		return nil
	}
	var all []latency.Structure
	for _, iteration := range []int{0, 2, 3, 4} {
		s := best.Structure
		s.StepIteration = iteration
		all = append(all, s)
	}
	return fitAll(data, all, func(c *candidate) {
		for _, j := range branchTerms {
			c.Use[j] = false
		}
		c.hidden = best.hidden
		c.fit()
	})
}

// covered returns the best structure with a part of the first read's conflict
// beneath other work, where the word is read once.
func covered(data rows, best *candidate) []*candidate {
	if best.Mechanism != device.CAS {
		return nil
	}
	passes := 0.0
	return fitAll(data, slices.Repeat([]latency.Structure{best.Structure}, best.Lanes-1),
		func(c *candidate) {
			passes++
			c.hidden = passes
			c.hide()
			c.fit()
		})
}

// hide takes the hidden passes off the first read's.
func (c *candidate) hide() {
	rows := make([][]float64, len(c.X))
	for i, row := range c.X {
		rows[i] = slices.Clone(row)
		rows[i][latency.TermBank] -= min(row[latency.TermBank], c.hidden)
	}
	c.X = rows
}

// prune takes out terms that do not pay for themselves, the least useful first.
func (c *candidate) prune() {
	noise := max(c.scale, regression.LeastScale)
	c.loss = lossOf(c.errs, noise)
	for {
		var better *candidate
		for _, j := range c.Terms() {
			if j == latency.TermBase {
				continue
			}
			less := *c
			less.Use = slices.Clone(c.Use)
			less.Use[j] = false
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

// unroll makes a native unit of a loop in which nothing but the number of iterations counts: the unit
// serves the lanes of a bank one by one, and what looked like locks are its banks.
func (c *candidate) unroll() {
	if c.Mechanism != device.Lock || c.Wide || c.Locks > c.Banks {
		return
	}
	for _, j := range append(branchTerms, latency.TermBank, latency.TermWrite, latency.TermStep) {
		if c.Use[j] {
			return
		}
	}
	c.Mechanism, c.Banks, c.Locks, c.StepIteration = device.Native, c.Locks, 0, 0
}

// name distinguishes a lock loop from a loop of the hardware: the first writes with bank conflicts of its
// own, the second swaps without, or has no more locks than banks.
func (c *candidate) name() {
	free := c.B[latency.TermWrite] == 0
	if c.Mechanism != device.Lock || c.Wide || c.Locks > c.Banks && !free {
		return
	}
	c.Mechanism = device.Spin
	if c.Locks > c.Banks {
		c.doubts = append(c.doubts, Unidentified{"mechanism", "with more locks than banks and no " +
			"conflict of writes, a lock loop whose writes are free is as likely"})
	}
}

const resamples = 300 // how often the rows are drawn anew

// intervals returns the constants with the 2.5th and 97.5th percentile of
// their values over resamples of the rows, each weighted anew. Hidden is
// searched in whole passes and is known to one.
func (c *candidate) intervals() []Constant {
	rng := rand.New(rand.NewPCG(0, uint64(len(c.Y))))
	system, scaled := c.System(), c.Rescaled()
	scale := max(c.scale, regression.LeastScale)
	counts, weights := make([]float64, len(c.Y)), make([]float64, len(c.Y))
	drawn := intervals(resamples, c.B, func() []float64 {
		clear(counts)
		for range counts {
			counts[rng.IntN(len(counts))]++
		}
		for i, n := range counts {
			weights[i] = n * c.Weights[i]
		}
		for range 2 { // from the weights of the whole fit, twice weighted anew
			for i, e := range system.Errors(system.Least(weights, scaled)) {
				weights[i] = counts[i] * regression.Biweight(e/scale)
			}
		}
		return system.Least(weights, scaled)
	})
	var constants []Constant
	names := latency.Terms()
	for _, j := range c.Terms() {
		constants = append(constants, Constant{names[j], c.B[j], drawn[j]})
	}
	if c.hidden > 0 {
		bank := c.B[latency.TermBank]
		constants = append(constants, Constant{"hidden", c.hidden * bank,
			Interval{(c.hidden - 1) * bank, (c.hidden + 1) * bank}})
	}
	return constants
}

// alternatives lists the structures that meet the data as well as the best:
// what they differ in, the measurements could not determine.
func alternatives(all []*candidate, best *candidate) []Unidentified {
	others := map[string][]string{}
	note := func(part string, value any) {
		if text := fmt.Sprint(value); !slices.Contains(others[part], text) {
			others[part] = append(others[part], text)
		}
	}
	for _, c := range all {
		if c == best || c.penalised() > best.penalised()+margin {
			continue
		}
		switch sameBanks, sameLocks := c.Banks == best.Banks, c.Locks == best.Locks; {
		case c.Mechanism != best.Mechanism:
			note("mechanism", c.Mechanism)
		case sameBanks && !sameLocks:
			note("locks", c.Locks)
		case sameLocks && !sameBanks:
			note("banks", c.Banks)
		}
	}
	var doubts []Unidentified
	for _, part := range []string{"mechanism", "banks", "locks"} {
		if list := others[part]; len(list) > 0 {
			doubts = append(doubts, Unidentified{part,
				"as well as the one chosen, the rows support: " + strings.Join(list, ", ")})
		}
	}
	return doubts
}

// margin is the difference in penalised loss below which a structure is not
// ruled out: a likelihood ratio of about e^3.
const margin = 6

// unsupported lists the constants that came out as 0 with the reason.
func (c *candidate) unsupported() []Unidentified {
	var doubts []Unidentified
	for j, name := range latency.Terms() {
		if c.Use[j] || !c.applies(name) || slices.Contains(c.dependent, j) {
			continue
		}
		doubts = append(doubts, Unidentified{name, c.reason(j)})
	}
	return doubts
}

// applies reports whether a term belongs to the mechanism.
func (c *candidate) applies(name string) bool {
	switch name {
	case "round":
		return c.Loops() || c.Mechanism == device.Native
	case "bank":
		return c.Mechanism != device.Native
	case "write":
		return c.Loops() && (c.Mechanism == device.CAS || c.Locks > c.Banks)
	case "park", "merge", "merge_saved":
		return c.Loops() && !c.Apart && c.StepIteration == 0
	case "split", "ahead", "ahead_again", "ahead_last":
		return c.Apart
	case "half":
		return c.Wide && c.Mechanism == device.Spin
	case "paired":
		return c.Wide && (c.Mechanism == device.Spin || c.Mechanism == device.Access)
	case "partial":
		return true
	}
	return false
}

func (c *candidate) reason(j int) string {
	least, most := math.Inf(1), math.Inf(-1)
	for _, row := range c.X {
		least, most = min(least, row[j]), max(most, row[j])
	}
	switch {
	case least == 0 && most == 0:
		return "no row has it"
	case least == most:
		return "every row has as much of it, so that it is part of the base"
	}
	return "it explains nothing that the other constants and the noise do not; taken as 0"
}

// confound lists terms that in these rows are sums of others: only the constants' sums are told.
func (c *candidate) confound(dependent []int) {
	names := latency.Terms()
	for _, j := range dependent {
		if c.applies(names[j]) {
			c.doubts = append(c.doubts, Unidentified{names[j], "in every row its count follows from " +
				"those of other constants, which hold what it costs as well; taken as 0"})
		}
	}
}
