package variant

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

// parameter is a number in names.
type parameter struct {
	key       string
	in        func(v *Variant) *int
	low, high int
	omitted   int  // the value that names leave out and that is stored as 0
	power     bool // powers of two alone
}

// numbers lists the parameters of all parts but words.
var numbers = [...]parameter{
	{key: "s", in: func(v *Variant) *int { return &v.Slots }, low: MinSlots, high: MaxSlots,
		power: true},
	{key: "r", in: func(v *Variant) *int { return &v.Replicas }, low: 1, high: MaxReplicas,
		omitted: 1},
	{key: "pad", in: func(v *Variant) *int { return &v.Pad }, high: MaxPad},
	{key: "ranges", in: func(v *Variant) *int { return &v.Ranges }, low: 1, high: MaxRanges,
		omitted: 1},
	{key: "sample", in: func(v *Variant) *int { return &v.Sample }, low: MinSample,
		high: MaxSample, power: true},
	{key: "w", in: func(v *Variant) *int { return &v.Width }, low: MinWidth, high: MaxWidth,
		power: true},
	{key: "m", in: func(v *Variant) *int { return &v.Samples }, low: 1, high: MaxSamples,
		omitted: 1},
	{key: "t", in: func(v *Variant) *int { return &v.Threshold }, low: MinThreshold,
		high: MaxThreshold},
}

// word is a parameter of two words, the first of which names leave out.
type word struct {
	key    string
	values [2]string
	get    func(v *Variant) int // the place of its value
	set    func(v *Variant, place int)
}

// words lists the parameters that are no numbers.
var words = [...]word{
	{"map", [2]string{"cyclic", "block"}, func(v *Variant) int { return int(v.Map) },
		func(v *Variant, place int) { v.Map = Mapping(place) }},
	{"scope", [2]string{"warp", "block"}, func(v *Variant) int { return int(v.Scope) },
		func(v *Variant, place int) { v.Scope = Scope(place) }},
	{"masks", [2]string{"ballot", "hash"}, func(v *Variant) int { return int(v.Masks) },
		func(v *Variant, place int) { v.Masks = Masks(place) }},
}

// wordOf returns the parameter of that key if its values are words, else nil.
func wordOf(key string) *word {
	if i := slices.IndexFunc(words[:], func(w word) bool { return w.key == key }); i >= 0 {
		return &words[i]
	}
	return nil
}

// numberOf returns the parameter of that key.
func numberOf(key string) *parameter {
	return &numbers[slices.IndexFunc(numbers[:], func(p parameter) bool { return p.key == key })]
}

// left is the value of the parameter that the implementation's name leaves out; 0: none.
func (p *parameter) left(v *Variant) int {
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
		return fmt.Errorf("%s=%d is no power of two", p.key, n)
	}
	return nil
}

// parts returns the base and the warp reduction of the implementation.
func (v *Variant) parts() [2]part {
	return [...]part{table[v.Base].part, reductions[v.Reduction].part}
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
func (v *Variant) checkParameters() error {
	for i := range numbers {
		p := &numbers[i]
		n := *p.in(v)
		switch {
		case n != 0 && !v.takes(p.key):
			return alone(p.key)
		case n == 0 && v.needs(p.key):
			return fmt.Errorf("%s needs %s", v.Base, p.key)
		case n != 0 && p.check(n) != nil:
			return p.check(n)
		}
	}
	for i := range words {
		if w := &words[i]; w.get(v) != 0 && !v.takes(w.key) {
			return alone(w.key)
		}
	}
	return nil
}

// addParams reads the parameters of one part: key=value, joined by commas.
func (v *Variant) addParams(word, params string) error {
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
			return fmt.Errorf("parameter %q stands twice", key)
		}
		seen[key] = true
		if !slices.Contains(known, key) {
			return fmt.Errorf("no parameter of %s is called %q (there are %s)", word, key,
				strings.Join(known, ", "))
		}
		if err := v.setParam(key, value); err != nil {
			return err
		}
	}
	return nil
}

// setParam sets a parameter; values that the canonical name leaves out become 0.
func (v *Variant) setParam(key, value string) error {
	if w := wordOf(key); w != nil {
		place := slices.Index(w.values[:], value)
		if place < 0 {
			return fmt.Errorf("%s=%q is neither %s nor %s", key, value, w.values[0], w.values[1])
		}
		w.set(v, place)
		return nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || strconv.Itoa(n) != value {
		return fmt.Errorf("%s=%q is no number", key, value)
	}
	p := numberOf(key)
	if err := p.check(n); err != nil {
		return err
	}
	if n == p.left(v) {
		n = 0
	}
	*p.in(v) = n
	return nil
}

// named returns a part's name with its parameters.
func (v *Variant) named(p part) string {
	var list []string
	for _, key := range p.parameters {
		if w := wordOf(key); w != nil {
			if place := w.get(v); place != 0 {
				list = append(list, key+"="+w.values[place])
			}
			continue
		}
		number := numberOf(key)
		if n := *number.in(v); n != 0 && n != number.left(v) {
			list = append(list, fmt.Sprintf("%s=%d", key, n))
		}
	}
	if len(list) == 0 {
		return p.name
	}
	if first := p.parameters[0]; p.leads && !strings.HasPrefix(list[0], first+"=") {
		list = slices.Insert(list, 0, fmt.Sprintf("%s=%d", first, numberOf(first).left(v)))
	}
	return p.name + ":" + strings.Join(list, ",")
}

// Form returns the name of the implementation without its numbers: `private` of `private:r=8,pad=1`. What
// a call takes beyond its closed form is told form by form.
func (v Variant) Form() string {
	for _, p := range numbers {
		*p.in(&v) = 0
	}
	return v.String()
}

// String returns the canonical name. Parameters at their defaults are left out,
// but r stands wherever another parameter of `private` does.
func (v Variant) String() string {
	var names []string
	if !v.AddsAtTargets() || (!v.Reduces() && !v.Scatter) {
		if int(v.Base) >= len(table) {
			return v.Base.String()
		}
		names = append(names, v.named(table[v.Base].part))
	}
	if v.Reduces() && int(v.Reduction) < len(reductions) {
		names = append(names, v.named(reductions[v.Reduction].part))
	}
	if v.Scatter {
		names = append(names, scatter)
	}
	return strings.Join(names, "+")
}
