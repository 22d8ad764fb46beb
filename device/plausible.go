package device

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// slack is by how much a measured time or rate breaks a relation at least: readings of quantities
// that are alike come out some percent apart.
const slack = 1.1

// Breach is a relation of physics, or of what quantities mean, that a profile breaks: the value of
// Less is above that of More. Both are places in the profile, or several with what connects them.
type Breach struct {
	Less, More           string
	LessValue, MoreValue float64
	Unit                 string // of both; "1" of counts
	Because              string // why it cannot be
	// Further is the number of other atomics of the profile that break the same relation less.
	Further int
}

func (b Breach) String() string {
	text := fmt.Sprintf("%s is above %s: %s", show(b.Less, b.LessValue, b.Unit),
		show(b.More, b.MoreValue, b.Unit), b.Because)
	switch {
	case b.Further == 1:
		text += "; so it is with 1 other atomic"
	case b.Further > 1:
		text += fmt.Sprintf("; so it is with %d other atomics", b.Further)
	}
	return text
}

func show(place string, value float64, unit string) string {
	if place == "1" { // the number one, not a quantity
		return place
	}
	text := place + " = " + strconv.FormatFloat(value, 'g', 4, 64)
	return strings.TrimSuffix(text+" "+unit, " 1")
}

// Implausible lists the relations that the profile breaks, one Breach of each: there is no such
// device. None says that the profile is right.
func (p *Profile) Implausible() (all []Breach) {
	if own, err := Builtin(p.Name); err == nil && own == p {
		return nil // a test asks them all
	}
	type answer struct {
		q  Quantity
		ok bool
	}
	found := map[string]answer{}
	known := func(place string) (Quantity, bool) {
		a, again := found[place]
		if !again {
			a.q, a.ok = p.known(place)
			found[place] = a
		}
		return a.q, a.ok
	}
	for i := range relations {
		if b := relations[i].worst(p, known); b != nil {
			all = append(all, *b)
		}
	}
	return all
}

// Doubts says of each relation that the profile breaks that there is no such device.
func (p *Profile) Doubts() (lines []string) {
	for _, b := range p.Implausible() {
		lines = append(lines, fmt.Sprintf("no device is as the profile of %s says: %s", p.Name, b))
	}
	return lines
}

// known returns a quantity by its place, false if the profile lacks it, has not what it is of, or
// holds a zero there that stands for what was not seen.
func (p *Profile) known(place string) (q Quantity, ok bool) {
	parts := strings.Split(place, ".")
	if lacks := map[string]bool{"shuffle": !p.Exchange.HasShuffle.Value,
		"ballot": !p.Exchange.HasBallot.Value, "match": !p.Exchange.HasMatch.Value}; parts[0] == "exchange" {
		what, _, _ := strings.Cut(parts[1], "_")
		if lacks[what] {
			return q, false
		}
	}
	v := reflect.ValueOf(p)
	for _, name := range parts {
		if v = reflect.Indirect(v); !v.IsValid() {
			return q, false
		}
		if v.Kind() == reflect.Map {
			v = v.MapIndex(reflect.ValueOf(name))
		} else {
			v = v.Field(fieldNamed(v.Type(), name))
		}
	}
	if v = reflect.Indirect(v); v.IsValid() {
		q, ok = v.Interface().(Quantity)
	}
	return q, ok && (q.Value != 0 || !slices.Contains(unseen, parts[len(parts)-1]))
}

// fieldNamed returns the number of the field that has that name in a profile's file.
func fieldNamed(t reflect.Type, name string) int {
	for i := range t.NumField() {
		if tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); tag == name {
			return i
		}
	}
	panic("no quantity " + name) // a relation names it: a test evaluates them all
}

// unseen are the quantities of which 0 says that they were not seen, or are taken to cost nothing.
var unseen = []string{"bank", "write", "hold", "fill_bytes"}

// worst returns the breach by the largest factor, nil where there is none.
func (r *relation) worst(p *Profile, known func(place string) (Quantity, bool)) (worst *Breach) {
	breaches := 0
	for _, prefix := range r.atomics(p) {
		b := r.breach(prefix, known)
		if b == nil {
			continue
		}
		breaches++
		if worst == nil || b.LessValue*worst.MoreValue > worst.LessValue*b.MoreValue {
			worst = b
		}
	}
	if worst != nil {
		worst.Further = breaches - 1
	}
	return worst
}

// atomics returns the places of the atomics of which the relation is asked, "" where it is of none.
func (r *relation) atomics(p *Profile) (places []string) {
	mechanisms := map[string]Mechanism{}
	switch r.table {
	case "":
		return []string{""}
	case inShared:
		for key, a := range p.SharedAtomics {
			mechanisms[key] = a.Mechanism
		}
	case inGlobal:
		for key, a := range p.GlobalAtomics {
			mechanisms[key] = a.Mechanism
		}
	}
	for _, key := range slices.Sorted(maps.Keys(mechanisms)) {
		m := mechanisms[key]
		if m != Absent && (r.mechanisms == nil || slices.Contains(r.mechanisms, m)) {
			places = append(places, r.table+"."+key)
		}
	}
	return places
}

// breach compares both sides for the atomic at that place.
func (r *relation) breach(atomic string, known func(place string) (Quantity, bool)) *Breach {
	less, more := evaluate(r.less, atomic, known), evaluate(r.more, atomic, known)
	if less == nil || more == nil {
		return nil
	}
	b := Breach{Less: less.text, More: more.text, LessValue: less.value, MoreValue: more.value,
		Unit: cmp.Or(less.unit, more.unit), Because: r.because}
	limit := b.MoreValue
	if b.Unit != "1" && b.Unit != "byte" { // of these, none is measured
		limit *= slack
	}
	if b.LessValue <= limit {
		return nil
	}
	return &b
}

// side is one side of a relation.
type side struct {
	text  string // with whole places
	value float64
	unit  string // "" of a product
}

// evaluate puts together what a relation names, for the atomic at that place. It returns nil if one
// of the quantities is not known.
func evaluate(expression, atomic string, known func(place string) (Quantity, bool)) *side {
	words := strings.Fields(expression)
	s := side{}
	for i := 0; i < len(words); i += 2 {
		number, err := strconv.ParseFloat(words[i], 64)
		if err != nil {
			if strings.HasPrefix(words[i], ".") {
				words[i] = atomic + words[i]
			}
			q, ok := known(words[i])
			if !ok {
				return nil
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
	return &s
}

var operators = map[string]func(a, b float64) float64{
	"+":   func(a, b float64) float64 { return a + b },
	"*":   func(a, b float64) float64 { return a * b },
	"/":   func(a, b float64) float64 { return a / b },
	"min": math.Min,
	"max": math.Max,
}
