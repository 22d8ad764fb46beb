package device

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/internal/strictjson"
)

// relation is one that holds on every device, by physics or by what the quantities mean: the value
// of Less is at most that of More. Both are quantities by their places, or several with + * / max
// and min between them, from left to right. A place that begins with a dot is of each atomic of a
// table of the profile: the relation is asked of each. A quantity that the profile lacks, or that is
// not seen, breaks nothing, see known.
type relation struct {
	Of         string      // shared_atomics, global_atomics, or of the device as a whole
	Mechanisms []Mechanism // of which it is asked; nil: of all that add or access
	Less, More string
	Because    string
}

// relations are what physics and the meaning of the quantities demand. None holds a number that was
// measured on a device.
var (
	//go:embed relations.json
	relationsText []byte
	relations     = strictjson.Embedded[[]relation]("device/relations.json", &relationsText)
)

// slack is by how much a measured time or rate breaks a relation at least: readings of quantities
// that are alike come out some percent apart.
const slack = 1.1

// breach is a relation that a profile breaks: less is above more.
type breach struct {
	less, more side
	because    string
	further    int // other atomics of the profile that break the same relation less
}

func (b breach) String() string {
	text := fmt.Sprintf("%s is above %s: %s", b.less, b.more, b.because)
	switch {
	case b.further == 1:
		text += "; so it is with 1 other atomic"
	case b.further > 1:
		text += fmt.Sprintf("; so it is with %d other atomics", b.further)
	}
	return text
}

// Doubts says of each relation that the profile breaks that there is no such device. None says that
// the profile is right.
func (p *Profile) Doubts() (lines []string) {
	for _, b := range p.breaches() {
		lines = append(lines, fmt.Sprintf("no device is as the profile of %s says: %s", p.Name, b))
	}
	return lines
}

// breaches lists the relations that the profile breaks, each by the atomic that breaks it most.
func (p *Profile) breaches() (all []breach) {
	if own, err := Builtin(p.Name); err == nil && own == p {
		return nil // a test asks them all
	}
	known := p.known()
	for _, r := range relations() {
		var worst breach
		count := 0
		for _, prefix := range r.atomics(p) {
			b := breach{because: r.Because}
			if !b.less.evaluate(r.Less, prefix, known) || !b.more.evaluate(r.More, prefix, known) ||
				!b.broken() {
				continue
			}
			if count++; count == 1 || b.less.value*worst.more.value > worst.less.value*b.more.value {
				worst = b
			}
		}
		if worst.further = count - 1; count > 0 {
			all = append(all, worst)
		}
	}
	return all
}

// broken gives both sides the unit of either, and reports whether the relation is broken.
func (b *breach) broken() bool {
	unit, limit := cmp.Or(b.less.unit, b.more.unit), b.more.value
	b.less.unit, b.more.unit = unit, unit
	if unit != "1" && unit != "byte" { // of these, none is measured
		limit *= slack
	}
	return b.less.value > limit
}

// known returns quantities by their places, without what the device has not, and zeros that stand
// for what was not seen, or is taken to cost nothing.
func (p *Profile) known() map[string]Quantity {
	all, x := map[string]Quantity{}, &p.Exchange
	has := map[string]bool{"shuffle": x.HasShuffle.Value, "ballot": x.HasBallot.Value, "match": x.HasMatch.Value}
	p.Facts(func(f Fact) {
		group, rest, _ := strings.Cut(f.Place, ".")
		what, _, _ := strings.Cut(rest, "_")
		field := f.Place[strings.LastIndex(f.Place, ".")+1:]
		if q := f.Quantity; q != nil && (group != "exchange" || has[what]) &&
			(q.Value != 0 || !slices.Contains([]string{"bank", "write", "hold", "fill_bytes"}, field)) {
			all[f.Place] = *q
		}
	})
	return all
}

// atomics returns the places of the atomics of which the relation is asked, "" where it is of none.
func (r *relation) atomics(p *Profile) (places []string) {
	mechanisms := map[string]Mechanism{}
	switch r.Of {
	case "":
		return []string{""}
	case "shared_atomics":
		for key, a := range p.SharedAtomics {
			mechanisms[key] = a.Mechanism
		}
	case "global_atomics":
		for key, a := range p.GlobalAtomics {
			mechanisms[key] = a.Mechanism
		}
	}
	for _, key := range slices.Sorted(maps.Keys(mechanisms)) {
		m := mechanisms[key]
		if m != Absent && (r.Mechanisms == nil || slices.Contains(r.Mechanisms, m)) {
			places = append(places, r.Of+"."+key)
		}
	}
	return places
}

// side is one side of a relation.
type side struct {
	text  string // with whole places
	value float64
	unit  string // "" of a product
}

func (s side) String() string {
	if s.text == "1" { // the number one, not a quantity
		return s.text
	}
	text := s.text + " = " + strconv.FormatFloat(s.value, 'g', 4, 64)
	return strings.TrimSuffix(text+" "+s.unit, " 1")
}

// evaluate puts together what a relation names, for the atomic at that place. It reports whether all
// quantities are known.
func (s *side) evaluate(expression, atomic string, known map[string]Quantity) bool {
	words := strings.Fields(expression)
	for i := 0; i < len(words); i += 2 {
		number, err := strconv.ParseFloat(words[i], 64)
		if err != nil {
			if strings.HasPrefix(words[i], ".") {
				words[i] = atomic + words[i]
			}
			q, ok := known[words[i]]
			if !ok {
				return false
			}
			number, s.unit = q.Value, q.Unit
		}
		if i == 0 {
			s.value = number
		} else {
			s.value = operators[words[i-1]](s.value, number)
		}
	}
	if s.text = strings.Join(words, " "); strings.ContainsAny(s.text, "*/") {
		s.unit = ""
	}
	return true
}

var operators = map[string]func(a, b float64) float64{
	"+":   func(a, b float64) float64 { return a + b },
	"*":   func(a, b float64) float64 { return a * b },
	"/":   func(a, b float64) float64 { return a / b },
	"min": math.Min,
	"max": math.Max,
}
