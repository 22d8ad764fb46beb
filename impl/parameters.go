package impl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxReplicas, MaxPad and MaxRanges bound the parameters of `private`, MinSlots to MaxSample those
// of `hot`, MinWidth and MaxWidth that of `partition`, which numbers the targets of a range in 16
// bits, MinThreshold and MaxThreshold those of `sr` and `vr`, MaxSamples that of `vr`. One lane
// alone has nothing to reduce; a threshold above the warp's lanes never reduces.
const (
	MaxReplicas  = 1024
	MaxPad       = 1024
	MaxRanges    = 64
	MinSlots     = 16
	MaxSlots     = 1 << 16
	MinSample    = 1 << 10
	MaxSample    = 1 << 20
	MinWidth     = 1 << 6
	MaxWidth     = 1 << 16
	MinThreshold = 2
	MaxThreshold = 128
	MaxSamples   = 32
)

// parameter is a number in names, or one of two words.
type parameter struct {
	key       string
	at        func(v *Spec) field
	low, high int
	omitted   int       // the value that names leave out and that is stored as 0
	power     bool      // powers of two alone
	words     [2]string // of the values 0 and 1; empty for a number
}

// field is where a parameter's value stands.
type field interface {
	get() int
	set(n int)
}

type held[T ~int | ~uint8] struct{ at *T }

func (h held[T]) get() int  { return int(*h.at) }
func (h held[T]) set(n int) { *h.at = T(n) }

func in[T ~int | ~uint8](at *T) field { return held[T]{at} }

// parameters lists those of all parts.
var parameters = [...]parameter{
	{key: "s", at: func(v *Spec) field { return in(&v.Slots) }, low: MinWideSlots, high: MaxSlots, power: true},
	{key: "r", at: func(v *Spec) field { return in(&v.Replicas) }, low: 1, high: MaxReplicas, omitted: 1},
	{key: "pad", at: func(v *Spec) field { return in(&v.Pad) }, high: MaxPad},
	{key: "ranges", at: func(v *Spec) field { return in(&v.Ranges) }, low: 1, high: MaxRanges, omitted: 1},
	{key: "sample", at: func(v *Spec) field { return in(&v.Sample) }, low: MinSample, high: MaxSample,
		power: true},
	{key: "w", at: func(v *Spec) field { return in(&v.Width) }, low: MinWidth, high: MaxWidth, power: true},
	{key: "m", at: func(v *Spec) field { return in(&v.Samples) }, low: 1, high: MaxSamples, omitted: 1},
	{key: "t", at: func(v *Spec) field { return in(&v.Threshold) }, low: MinThreshold, high: MaxThreshold},
	{key: "map", at: func(v *Spec) field { return in(&v.Map) }, high: 1, words: [2]string{"cyclic", "block"}},
	{key: "scope", at: func(v *Spec) field { return in(&v.Scope) }, high: 1, words: [2]string{"warp", "block"}},
	{key: "masks", at: func(v *Spec) field { return in(&v.Masks) }, high: 1, words: [2]string{"ballot", "hash"}},
}

// parameterOf returns the parameter of that key.
func parameterOf(key string) *parameter {
	return &parameters[slices.IndexFunc(parameters[:], func(p parameter) bool { return p.key == key })]
}

// isWord reports whether the parameter is one of two words, and no number.
func (p *parameter) isWord() bool { return p.words[1] != "" }

// left is the value of the parameter that the implementation's name leaves out; 0: none.
func (p *parameter) left(v *Spec) int {
	if p.key == "t" {
		return reductions[v.Reduction].fixed
	}
	return p.omitted
}

// check reports a value outside the parameter's bounds.
func (p *parameter) check(n int) error {
	switch {
	case n < p.low || n > p.high:
		return fmt.Errorf("%s=%d is outside %d to %d", p.key, n, p.low, p.high)
	case p.power && n&(n-1) != 0:
		return fmt.Errorf("%s=%d is not a power of two", p.key, n)
	}
	return nil
}

// parts returns the algorithm and the warp reduction of the implementation.
func (v *Spec) parts() [2]part {
	return [...]part{table[v.Algorithm].part, reductions[v.Reduction].part}
}

// alone says which parts alone take a parameter.
func alone(key string) error {
	var names []string
	for _, r := range table {
		if r.takes(key) {
			names = append(names, r.name)
		}
	}
	for _, r := range reductions {
		if r.takes(key) {
			names = append(names, r.name)
		}
	}
	verb := "take"
	if len(names) == 1 {
		verb = "takes"
	}
	return fmt.Errorf("only %s %s %s", strings.Join(names, " and "), verb, key)
}

// checkParameters reports a value that is out of bounds, or of a parameter that no part takes.
func (v *Spec) checkParameters() error {
	for i := range parameters {
		p := &parameters[i]
		n := p.at(v).get()
		switch {
		case n != 0 && !v.takes(p.key):
			return alone(p.key)
		case n == 0 && v.needs(p.key):
			return fmt.Errorf("%s needs %s", v.Algorithm, p.key)
		case n != 0 && p.check(n) != nil:
			return p.check(n)
		}
	}
	return nil
}

// addParams reads the parameters of one part: key=value, joined by commas.
func (v *Spec) addParams(word, params string) error {
	var known []string
	for _, p := range v.parts() {
		if p.name == word {
			known = p.parameters
		}
	}
	if known == nil {
		return fmt.Errorf("%q takes no parameters", word)
	}
	seen := map[string]bool{}
	for _, kv := range strings.Split(params, ",") {
		key, value, _ := strings.Cut(kv, "=")
		if seen[key] {
			return fmt.Errorf("parameter %q is given twice", key)
		}
		seen[key] = true
		if !slices.Contains(known, key) {
			return fmt.Errorf("no parameter of %s is called %q (want one of %s)", word, key,
				strings.Join(known, ", "))
		}
		if err := v.setParam(key, value); err != nil {
			return err
		}
	}
	return nil
}

// setParam sets a parameter; values that the canonical name leaves out become 0.
func (v *Spec) setParam(key, value string) error {
	p := parameterOf(key)
	n, err := p.parse(value)
	if err != nil {
		return err
	}
	if n == p.left(v) {
		n = 0
	}
	p.at(v).set(n)
	return nil
}

func (p *parameter) parse(value string) (n int, err error) {
	if p.isWord() {
		if n = slices.Index(p.words[:], value); n < 0 {
			err = fmt.Errorf("%s=%q is neither %s nor %s", p.key, value, p.words[0], p.words[1])
		}
		return n, err
	}
	if n, err = strconv.Atoi(value); err != nil || strconv.Itoa(n) != value {
		return 0, fmt.Errorf("%s=%q is not a number", p.key, value)
	}
	return n, p.check(n)
}

// named returns a part's name with its parameters.
func (v *Spec) named(p part) string {
	var list []string
	for _, key := range p.parameters {
		q := parameterOf(key)
		switch n := q.at(v).get(); {
		case n == 0 || n == q.left(v):
		case q.isWord():
			list = append(list, key+"="+q.words[n])
		default:
			list = append(list, fmt.Sprintf("%s=%d", key, n))
		}
	}
	if len(list) == 0 {
		return p.name
	}
	if first := p.parameters[0]; p.leads && !strings.HasPrefix(list[0], first+"=") {
		list = slices.Insert(list, 0, fmt.Sprintf("%s=%d", first, parameterOf(first).left(v)))
	}
	return p.name + ":" + strings.Join(list, ",")
}

// Form returns the name of the implementation without its numbers: `private` of `private:r=8,pad=1`. What
// a call takes beyond its closed form is told implementation by implementation.
func (v Spec) Name() string {
	for _, p := range parameters {
		if !p.isWord() {
			p.at(&v).set(0)
		}
	}
	return v.String()
}

// String returns the canonical name. Parameters at their defaults are left out,
// but r stands wherever another parameter of `private` does.
func (v Spec) String() string {
	var names []string
	if !v.AddsAtTargets() || (!v.Reduces() && !v.Scatter) {
		if int(v.Algorithm) >= len(table) {
			return v.Algorithm.String()
		}
		names = append(names, v.named(table[v.Algorithm].part))
	}
	if v.Reduces() && int(v.Reduction) < len(reductions) {
		names = append(names, v.named(reductions[v.Reduction].part))
	}
	if v.Scatter {
		names = append(names, scatter)
	}
	return strings.Join(names, "+")
}
