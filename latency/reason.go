package latency

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// reason says in a sentence what the choice does to the conflicts of a single
// copy, and in another why not more copies, other padding or another mapping.
func (p Params) reason(best Candidate, ranking []Candidate, o OptimizeOptions) string {
	text := fmt.Sprintf("One copy of %d words takes %.1f cycles (%s).", o.Words, best.Cycles,
		p.conflicts(best))
	if best.Replicas > 1 {
		one := slices.IndexFunc(ranking, func(c Candidate) bool { return c.Replicas == 1 })
		text = fmt.Sprintf("%s, take %.1f cycles instead of %.1f: %s.", layout(best), best.Cycles,
			ranking[one].Cycles, p.change(ranking[one], best))
	}
	others, sep := p.alternatives(best, ranking), " M"
	if len(others) > 0 {
		last := len(others) - 1
		if last > 0 {
			others[last] = strings.Join(others[:last], ", ") + " and " + others[last]
		}
		text, sep = text+" Alternatives: "+others[last], "; m"
	}
	if (best.Replicas+1)*o.Words > o.SharedWords {
		return text + fmt.Sprintf("%sore copies do not fit into %d words.", sep, o.SharedWords)
	}
	if len(others) > 0 {
		text += "."
	}
	return text
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
	add := func(holds func(Candidate) bool, name func(Candidate) string) {
		i := slices.IndexFunc(ranking, holds)
		if i < 0 {
			return
		}
		c := ranking[i]
		text := fmt.Sprintf("%s: %.1f cycles (%s", name(c), c.Cycles, p.conflicts(c))
		if p.Loops() && p.Locks > 0 && c.Replicas > best.Replicas && c.SharedWords > p.Locks {
			text += fmt.Sprintf("; its %d words share %d locks, where position conflicts turn into "+
				"lock conflicts", c.SharedWords, p.Locks)
		}
		if c.Cycles <= best.Cycles {
			text += "; the difference is not significant, or not worth it"
		}
		out = append(out, text+")")
	}
	add(func(c Candidate) bool { return c.Map == best.Map && c.Replicas == next }, layout)
	add(func(c Candidate) bool {
		return c.Replicas == best.Replicas && c.Map == best.Map && c.Pad != best.Pad &&
			(best.Pad == 0 || c.Pad == 0)
	}, func(c Candidate) string {
		if c.Pad == 0 {
			return "no padding"
		}
		return fmt.Sprintf("padding by %d", c.Pad)
	})
	add(func(c Candidate) bool { return c.Replicas == best.Replicas && c.Map != best.Map },
		func(c Candidate) string { return mapNames[c.Map] + " mapping" })
	return out
}

var mapNames = [...]string{impl.Cyclic: "cyclic", impl.Block: "block"}

func layout(c Candidate) string {
	name := fmt.Sprintf("%d copies, %s", c.Replicas, mapNames[c.Map])
	if c.Pad > 0 {
		name += fmt.Sprintf(" and padded by %d", c.Pad)
	}
	return name
}

func (m Means) passes() float64 { return m.ReadPasses + m.WritePasses }

func (p Params) conflicts(c Candidate) string {
	switch {
	case p.Loops():
		return fmt.Sprintf("%.2f iterations, %.2f further bank passes", c.Iterations, c.passes())
	case p.Mechanism == device.Native:
		return fmt.Sprintf("%.2f further lanes on the fullest bank", c.passes())
	}
	return fmt.Sprintf("%.2f further bank passes", c.passes())
}

// change says which conflicts a layout removes, and which it brings.
func (p Params) change(from, to Candidate) string {
	switch {
	case p.Loops():
		return fmt.Sprintf("position and lock conflicts go from %.2f iterations to %.2f, "+
			"bank conflicts from %.2f further passes to %.2f", from.Iterations, to.Iterations, from.passes(),
			to.passes())
	case p.Mechanism == device.Native:
		return fmt.Sprintf("the further lanes on the fullest bank go from %.2f to %.2f", from.passes(),
			to.passes())
	}
	return fmt.Sprintf("bank conflicts go from %.2f further passes to %.2f", from.passes(),
		to.passes())
}
