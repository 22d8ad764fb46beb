package variant

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxReplicas and MaxPad bound the parameters of `private`, MinThreshold and MaxThreshold those of
// `sr` and `vr`, MaxSamples that of `vr`. One lane alone has nothing to reduce; a threshold above
// the warp's lanes never reduces.
const (
	MaxReplicas  = 1024
	MaxPad       = 1024
	MinThreshold = 2
	MaxThreshold = 128
	MaxSamples   = 32
)

// parameter is a number that belongs to a part of a name.
type parameter struct {
	key       string
	value     *int
	low, high int
	standard  int    // which names leave out and variants hold as 0
	takers    string // in words
}

func (v *Variant) numbers() [4]parameter {
	fixed := reductions[v.Reduction].fixed
	return [...]parameter{
		{"t", &v.Threshold, MinThreshold, MaxThreshold, fixed, "sr and vr take t"},
		{"m", &v.Samples, 1, MaxSamples, 1, "vr takes m"},
		{"r", &v.Replicas, 1, MaxReplicas, 1, "private takes r, pad and map"},
		{"pad", &v.Pad, 0, MaxPad, 0, "private takes r, pad and map"},
	}
}

func (p parameter) check(n int) error {
	if n < p.low || n > p.high {
		return fmt.Errorf("%s=%d is outside %d to %d", p.key, n, p.low, p.high)
	}
	return nil
}

// addParams reads the parameters of one part: key=value, joined by commas.
func (v *Variant) addParams(word, params string) error {
	var known []string
	for _, p := range []part{table[v.Base].part, reductions[v.Reduction].part} {
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
		switch {
		case seen[key]:
			return fmt.Errorf("parameter %q stands twice", key)
		case !slices.Contains(known, key):
			return fmt.Errorf("no parameter of %s is called %q (there are %s)", word, key,
				strings.Join(known, ", "))
		}
		seen[key] = true
		if err := v.setParam(key, value); err != nil {
			return err
		}
	}
	return nil
}

func (v *Variant) setParam(key, value string) error {
	if key == "map" {
		m := slices.Index([]string{Cyclic: "cyclic", Block: "block"}, value)
		if m < 0 {
			return fmt.Errorf("map=%q is neither cyclic nor block", value)
		}
		v.Map = Mapping(m)
		return nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || strconv.Itoa(n) != value {
		return fmt.Errorf("%s=%q is no number", key, value)
	}
	for _, p := range v.numbers() {
		if p.key != key {
			continue
		}
		if *p.value = n; n == p.standard {
			*p.value = 0
		}
		return p.check(n)
	}
	return nil
}

// String returns the canonical name. Parameters at their defaults are left out,
// but r stands wherever another parameter of `private` does.
func (v Variant) String() string {
	var parts []string
	if !v.AddsAtTargets() || (!v.Reduces() && !v.Scatter) {
		name := v.Base.String()
		if v.R() != 1 || v.Pad != 0 || v.Map != Cyclic {
			name += fmt.Sprintf(":r=%d", v.R())
		}
		if v.Pad != 0 {
			name += fmt.Sprintf(",pad=%d", v.Pad)
		}
		if v.Map == Block {
			name += ",map=block"
		}
		parts = append(parts, name)
	}
	if v.Reduces() {
		name, sep := v.Reduction.String(), ":"
		if v.M() != 1 {
			name, sep = fmt.Sprintf("%s:m=%d", name, v.Samples), ","
		}
		if v.Threshold != 0 && v.Threshold != reductions[v.Reduction].fixed {
			name += fmt.Sprintf("%st=%d", sep, v.Threshold)
		}
		parts = append(parts, name)
	}
	if v.Scatter {
		parts = append(parts, scatter)
	}
	return strings.Join(parts, "+")
}
