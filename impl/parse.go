package impl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// ErrName is wrapped by every error that Parse returns.
var ErrName = errors.New("unknown implementation")

// Parse reads the name of an implementation for single targets. Errors wrap ErrName and quote the part that is
// wrong.
func Parse(name string) (v Spec, err error) { return parse(name, Spec.Validate) }

// Split parts a list of names, with commas or blanks between them, from the commas within names: r=8 in
// "sr,private:pad=1,r=8" begins none.
func Split(list string) (names []string) {
	for _, word := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		head, _, parameter := strings.Cut(word, "=")
		if last := len(names) - 1; last >= 0 && parameter && !strings.Contains(head, ":") {
			names[last] += "," + word
		} else {
			names = append(names, word)
		}
	}
	return names
}

func parse(name string, validate func(v Spec) error) (v Spec, err error) {
	seen := map[string]bool{}
	for i, part := range strings.Split(name, "+") {
		word, params, hasParams := strings.Cut(part, ":")
		if err = v.addPart(word, i == 0); seen[word] {
			err = fmt.Errorf("%q is given twice", word)
		}
		seen[word] = true
		if err == nil && hasParams {
			err = v.addParams(word, params)
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = validate(v)
	}
	if err != nil {
		return Spec{}, fmt.Errorf("%w %q: %v", ErrName, name, err)
	}
	return v, nil
}

func (v *Spec) addPart(word string, first bool) error {
	if r := slices.IndexFunc(reductions[:],
		func(r reductionRow) bool { return r.name == word }); r > 0 {
		if v.Reduces() {
			return fmt.Errorf("two warp reductions")
		}
		v.Reduction = Reduction(r)
		return nil
	}
	if word == scatter {
		v.Scatter = true
		return nil
	}
	b := slices.IndexFunc(table[:], func(r row) bool { return r.name == word })
	if b < 0 {
		return fmt.Errorf("%q is not one of %s", word, strings.Join(Names(), ", "))
	}
	if !first {
		return fmt.Errorf("%q must come first", word)
	}
	v.Algorithm = Algorithm(b)
	return nil
}

// Validate reports a combination of parts that no implementation for single targets has.
func (v Spec) Validate() error {
	switch {
	case int(v.Algorithm) >= len(table) || int(v.Reduction) >= len(reductions) || v.Map > Block ||
		v.Scope > BlockScope ||
		v.Masks > Hash:
		return fmt.Errorf("no such parts: base %d, reduction %d, mapping %d, scope %d, masks %d", v.Algorithm,
			v.Reduction, v.Map, v.Scope, v.Masks)
	case !table[v.Algorithm].combines && (v.Reduces() || v.Scatter):
		return fmt.Errorf("%s combines with nothing", v.Algorithm)
	case v.Scatter && !table[v.Algorithm].scatters:
		return fmt.Errorf("%s does not combine with ss", v.Algorithm)
	case v.Scatter && !reductions[v.Reduction].scatters:
		return fmt.Errorf("ss combines with sr only")
	case v.Scope != WarpScope && (v.Scatter || !v.AddsAtTargets()):
		return fmt.Errorf("sr:scope=block stands alone")
	case v.Masks != Ballots && !v.AddsAtTargets():
		return fmt.Errorf("peers:masks=hash stands alone")
	case v.Reduction == Runs:
		return fmt.Errorf("%s is of rows alone", v)
	case 0 < v.Slots && v.Slots < MinSlots:
		return fmt.Errorf("s=%d is outside %d to %d", v.Slots, MinSlots, MaxSlots)
	}
	return v.checkParameters()
}

// takes reports whether a part of the implementation takes a parameter.
func (v Spec) takes(parameter string) bool {
	return table[v.Algorithm].takes(parameter) || reductions[v.Reduction].takes(parameter)
}

// needs reports whether the implementation is none without a parameter.
func (v Spec) needs(parameter string) bool { return table[v.Algorithm].needs == parameter }

// MarshalText writes the canonical name.
func (v Spec) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a name as Parse does, or as ParseWide does where that knows none.
func (v *Spec) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err != nil {
		if wide, wrong := ParseWide(string(text)); wrong == nil {
			parsed, err = wide, nil
		}
	}
	if err == nil {
		*v = parsed
	}
	return err
}
