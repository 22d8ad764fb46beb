package latency

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// reason says in a sentence what the choice does to the conflicts of a single
// copy, and in another why not more copies, other padding or another mapping.
func (p Params) reason(best Candidate, ranking []Candidate, o OptimizeOptions) string {
	text := fmt.Sprintf("One copy of %d words takes %.1f cycles (%s).", o.Words, best.Cycles,
		p.conflicts(best))
	if best.Replicas > 1 {
		one := fastest(ranking, func(c Candidate) bool { return c.Replicas == 1 })
		text = fmt.Sprintf("%s take %.1f cycles instead of %.1f: %s.", layout(best), best.Cycles,
			one.Cycles, p.change(*one, best))
	}
	others, sep := p.alternatives(best, ranking), " M"
	if len(others) > 0 {
		last := len(others) - 1
		if last > 0 {
			others[last] = strings.Join(others[:last], ", ") + " and " + others[last]
		}
		text, sep = text+" Of the others, "+others[last], "; m"
	}
	if (best.Replicas+1)*o.Words > o.SharedWords {
		return text + fmt.Sprintf("%sore copies do not fit into %d words.", sep, o.SharedWords)
	}
	if len(others) > 0 {
		text += "."
	}
	return text
}

// fastest is the first of the ranking for which a condition holds, nil if there is none.
func fastest(ranking []Candidate, holds func(Candidate) bool) *Candidate {
	if i := slices.IndexFunc(ranking, holds); i >= 0 {
		return &ranking[i]
	}
	return nil
}

// alternatives are the best candidates with the next number of copies, and with as many but
// other padding or another mapping.
func (p Params) alternatives(best Candidate, ranking []Candidate) []string {
	next := 0
	for _, c := range ranking {
		if c.Map == best.Map && c.Replicas > best.Replicas && (next == 0 || c.Replicas < next) {
			next = c.Replicas
		}
	}
	var out []string
	add := func(name func(Candidate) string, holds func(Candidate) bool) {
		if c := fastest(ranking, holds); c != nil {
			out = append(out, p.alternative(name(*c), best, *c))
		}
	}
	add(layout, func(c Candidate) bool { return c.Map == best.Map && c.Replicas == next })
	add(padName, func(c Candidate) bool {
		return c.Replicas == best.Replicas && c.Map == best.Map && c.Pad != best.Pad &&
			(best.Pad == 0 || c.Pad == 0)
	})
	add(func(c Candidate) string { return mapName(c.Map) + " mapping" },
		func(c Candidate) bool { return c.Replicas == best.Replicas && c.Map != best.Map })
	return out
}

// alternative says what a candidate would take, and what speaks against it.
func (p Params) alternative(name string, best, c Candidate) string {
	text := fmt.Sprintf("%s %.1f (%s%s", name, c.Cycles, p.conflicts(c), p.sharing(best, c))
	if c.Cycles <= best.Cycles {
		text += "; not told apart, or not worth it"
	}
	return text + ")"
}

func layout(c Candidate) string {
	name := fmt.Sprintf("%d copies, %s", c.Replicas, mapName(c.Map))
	if c.Pad > 0 {
		name += fmt.Sprintf(" and padded by %d", c.Pad)
	}
	return name + ","
}

func padName(c Candidate) string {
	if c.Pad == 0 {
		return "no padding"
	}
	return fmt.Sprintf("padding by %d", c.Pad)
}

func mapName(m variant.Mapping) string {
	if m == variant.Block {
		return "block"
	}
	return "cyclic"
}

func (m Means) passes() float64 { return m.ReadPasses + m.WritePasses }

func (p Params) conflicts(c Candidate) string {
	switch {
	case p.Loops():
		return fmt.Sprintf("%.2f turns, %.2f further bank passes", c.Turns, c.passes())
	case p.Mechanism == device.Native:
		return fmt.Sprintf("%.2f further lanes on the fullest bank", c.passes())
	}
	return fmt.Sprintf("%.2f further bank passes", c.passes())
}

// change says which conflicts a layout removes, and which it brings.
func (p Params) change(from, to Candidate) string {
	switch {
	case p.Loops():
		return fmt.Sprintf("position and lock conflicts go from %.2f turns to %.2f, "+
			"bank conflicts from %.2f further passes to %.2f", from.Turns, to.Turns, from.passes(), to.passes())
	case p.Mechanism == device.Native:
		return fmt.Sprintf("the further lanes on the fullest bank go from %.2f to %.2f", from.passes(),
			to.passes())
	}
	return fmt.Sprintf("bank conflicts go from %.2f further passes to %.2f", from.passes(),
		to.passes())
}

// sharing explains what more copies meet once they outgrow the locks.
func (p Params) sharing(best, more Candidate) string {
	if !p.Loops() || p.Locks == 0 || more.Replicas <= best.Replicas || more.SharedWords <= p.Locks {
		return ""
	}
	return fmt.Sprintf("; its %d words share %d locks, where position conflicts turn into lock "+
		"conflicts", more.SharedWords, p.Locks)
}
