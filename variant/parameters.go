package variant

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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
	if key == "map" {
		m, ok := map[string]Mapping{"cyclic": Cyclic, "block": Block}[value]
		if !ok {
			return fmt.Errorf("map=%q is neither cyclic nor block", value)
		}
		v.Map = m
		return nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || strconv.Itoa(n) != value {
		return fmt.Errorf("%s=%q is no number", key, value)
	}
	switch key {
	case "pad":
		v.Pad = n
	case "r":
		v.Replicas, err = unlessDefault(key, n, 1, MaxReplicas, 1)
	case "m":
		v.Samples, err = unlessDefault(key, n, 1, MaxSamples, 1)
	case "t":
		v.Threshold, err = unlessDefault(key, n, MinThreshold, MaxThreshold,
			reductions[v.Reduction].fixed)
	}
	return err
}

// unlessDefault checks the bounds of a parameter and turns its default into 0.
func unlessDefault(key string, n, low, high, standard int) (int, error) {
	switch {
	case n < low || n > high:
		return 0, fmt.Errorf("%s=%d is outside %d to %d", key, n, low, high)
	case n == standard:
		return 0, nil
	}
	return n, nil
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
		name, before := v.Reduction.String(), ":"
		if v.M() != 1 {
			name, before = fmt.Sprintf("%s:m=%d", name, v.Samples), ","
		}
		if v.Threshold != 0 && v.Threshold != reductions[v.Reduction].fixed {
			name += fmt.Sprintf("%st=%d", before, v.Threshold)
		}
		parts = append(parts, name)
	}
	if v.Scatter {
		parts = append(parts, scatter)
	}
	return strings.Join(parts, "+")
}
