package fit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// alternatives lists the structures that meet the data as well as the best:
// what they differ in, the measurements do not tell.
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
				"as well as the one chosen, the rows bear out: " + strings.Join(list, ", ")})
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
		return c.Loops() && !c.Apart && c.StepTurn == 0
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
