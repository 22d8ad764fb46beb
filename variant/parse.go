package variant

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrName is wrapped by every error that Parse returns.
var ErrName = errors.New("unknown implementation")

// MaxReplicas and MaxPad bound the parameters of `private`.
const (
	MaxReplicas = 1024
	MaxPad      = 1024
)

var bases = map[string]Base{
	"naive": Global, "private": Private, "coordinator": Coordinator,
	"sort": Sort, "segreduce": SegReduce, "threadprivate": ThreadPrivate,
}

var reductions = map[string]Reduction{"sr": SR, "vr": VR, "peers": Peers, "match": Match}

// Names lists the part names that Parse knows, in the order of the tables.
func Names() []string {
	return []string{
		"naive", "sr", "vr", "ss", "peers", "match", "private",
		"coordinator", "sort", "segreduce", "threadprivate",
	}
}

// Parse reads an implementation's name. Errors wrap ErrName and quote the
// part that is wrong.
func Parse(name string) (Variant, error) {
	var v Variant
	seen := map[string]bool{}
	for i, part := range strings.Split(name, "+") {
		word, params, hasParams := strings.Cut(part, ":")
		if seen[word] {
			return Variant{}, fmt.Errorf("%w %q: %q stands twice", ErrName, name, word)
		}
		seen[word] = true
		if err := v.addPart(word, i == 0); err != nil {
			return Variant{}, fmt.Errorf("%w %q: %v", ErrName, name, err)
		}
		if !hasParams {
			continue
		}
		if err := v.addParams(word, params); err != nil {
			return Variant{}, fmt.Errorf("%w %q: %v", ErrName, name, err)
		}
	}
	if err := v.Validate(); err != nil {
		return Variant{}, fmt.Errorf("%w %q: %v", ErrName, name, err)
	}
	return v, nil
}

func (v *Variant) addPart(word string, first bool) error {
	if r, ok := reductions[word]; ok {
		if v.Reduction != None {
			return fmt.Errorf("two warp reductions")
		}
		v.Reduction = r
		return nil
	}
	if word == "ss" {
		v.Scatter = true
		return nil
	}
	b, ok := bases[word]
	if !ok {
		return fmt.Errorf("no part is called %q (there are %s)", word, strings.Join(Names(), ", "))
	}
	if !first {
		return fmt.Errorf("%q must stand first", word)
	}
	v.Base = b
	return nil
}

func (v *Variant) addParams(word, params string) error {
	if word != "private" {
		return fmt.Errorf("%q takes no parameters", word)
	}
	seen := map[string]bool{}
	for _, kv := range strings.Split(params, ",") {
		key, value, _ := strings.Cut(kv, "=")
		if seen[key] {
			return fmt.Errorf("parameter %q stands twice", key)
		}
		seen[key] = true
		if err := v.setParam(key, value); err != nil {
			return err
		}
	}
	return nil
}

func (v *Variant) setParam(key, value string) error {
	switch key {
	case "r", "pad":
		n, err := strconv.Atoi(value)
		if err != nil || strconv.Itoa(n) != value {
			return fmt.Errorf("%s=%q is no number", key, value)
		}
		if key == "pad" {
			v.Pad = n
			return nil
		}
		if n < 1 {
			return fmt.Errorf("r=%d is outside 1 to %d", n, MaxReplicas)
		}
		v.Replicas = n
		if n == 1 {
			v.Replicas = 0
		}
		return nil
	case "map":
		m, ok := map[string]Mapping{"cyclic": Cyclic, "block": Block}[value]
		if !ok {
			return fmt.Errorf("map=%q is neither cyclic nor block", value)
		}
		v.Map = m
		return nil
	}
	return fmt.Errorf("no parameter is called %q (there are r, pad, map)", key)
}

// Validate reports a combination of parts that no implementation has.
func (v Variant) Validate() error {
	switch {
	case v.Base > ThreadPrivate || v.Reduction > Match || v.Map > Block:
		return fmt.Errorf("no such parts: base %d, reduction %d, mapping %d", v.Base, v.Reduction, v.Map)
	case v.Base != Private && (v.Replicas != 0 || v.Pad != 0 || v.Map != Cyclic):
		return fmt.Errorf("only private takes r, pad and map")
	case v.Base == Private && (v.R() > MaxReplicas || v.Replicas < 0):
		return fmt.Errorf("r=%d is outside 1 to %d", v.Replicas, MaxReplicas)
	case v.Pad < 0 || v.Pad > MaxPad:
		return fmt.Errorf("pad=%d is outside 0 to %d", v.Pad, MaxPad)
	case v.Base > Private && (v.Reduction != None || v.Scatter):
		return fmt.Errorf("%s combines with nothing", v.Base)
	case v.Scatter && v.Base == Private:
		return fmt.Errorf("private does not combine with ss")
	case v.Scatter && v.Reduction > SR:
		return fmt.Errorf("ss combines with sr only")
	}
	return nil
}

// String returns the part's name; Global is "naive".
func (b Base) String() string {
	for name, other := range bases {
		if other == b {
			return name
		}
	}
	return fmt.Sprintf("Base(%d)", uint8(b))
}

// String returns the part's name, empty for None.
func (r Reduction) String() string {
	for name, other := range reductions {
		if other == r {
			return name
		}
	}
	return ""
}

// String returns the canonical name. Of the parameters of `private`, pad and
// map are left out at their defaults, and r at 1 unless another stands.
func (v Variant) String() string {
	var parts []string
	if v.Base != Global || (v.Reduction == None && !v.Scatter) {
		parts = append(parts, v.Base.String()+v.params())
	}
	if v.Reduction != None {
		parts = append(parts, v.Reduction.String())
	}
	if v.Scatter {
		parts = append(parts, "ss")
	}
	return strings.Join(parts, "+")
}

func (v Variant) params() string {
	if v.R() == 1 && v.Pad == 0 && v.Map == Cyclic {
		return ""
	}
	s := fmt.Sprintf(":r=%d", v.R())
	if v.Pad != 0 {
		s += fmt.Sprintf(",pad=%d", v.Pad)
	}
	if v.Map == Block {
		s += ",map=block"
	}
	return s
}

// MarshalText writes the canonical name.
func (v Variant) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a name as Parse does.
func (v *Variant) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err == nil {
		*v = parsed
	}
	return err
}
