package synth

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Parse reads a stream's name, such as
//
//	uniform:n=65536,k=1024,seed=1
//	mixture:n=65536,k=1024,seed=1,block=32,of=uniform+zipf:s=1.2:share=3
//
// n and k are required; the seed is 0 and parameters have their defaults where
// they are not given. The parts of a mixture follow of=, joined by +, their
// parameters set off by colons. The result is complete, and Parse(s.String())
// is s. The error wraps ErrSyntax, ErrFamily or ErrParam.
func Parse(text string) (Spec, error) {
	s, err := parse(text)
	if err != nil {
		return Spec{}, fmt.Errorf("stream %q: %w", text, err)
	}
	return s, nil
}

func parse(text string) (Spec, error) {
	name, list, _ := strings.Cut(text, ":")
	s := Spec{Family: name}
	if _, ok := family(name); !ok {
		return s, fmt.Errorf("family %q: %w", name, ErrFamily)
	}
	pairs, err := parsePairs(strings.Split(list, ","))
	if err != nil {
		return s, err
	}
	for _, required := range []string{"n", "k"} {
		if !slices.ContainsFunc(pairs, func(p pair) bool { return p.key == required }) {
			return s, fmt.Errorf("no %s: %w", required, ErrParam)
		}
	}
	for _, p := range pairs {
		if err := s.set(p.key, p.value); err != nil {
			return s, err
		}
	}
	return s.Complete()
}

type pair struct{ key, value string }

func parsePairs(fields []string) ([]pair, error) {
	var pairs []pair
	for _, field := range fields {
		key, value, ok := strings.Cut(field, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is not key=value: %w", field, ErrSyntax)
		}
		if slices.ContainsFunc(pairs, func(p pair) bool { return p.key == key }) {
			return nil, fmt.Errorf("%s is given twice: %w", key, ErrParam)
		}
		pairs = append(pairs, pair{key, value})
	}
	return pairs, nil
}

func (s *Spec) set(key, value string) error {
	var err error
	switch key {
	case "n":
		var n uint64
		n, err = setNumber(key, value, MaxUpdates)
		s.N = int(n)
	case "k":
		var k uint64
		k, err = setNumber(key, value, maxTargets)
		s.K = uint32(k)
	case "seed":
		s.Seed, err = setNumber(key, value, math.MaxUint64)
	case "of":
		s.Parts, err = parseParts(value)
	default:
		s.Params, err = setParam(s.Params, key, value)
	}
	return err
}

// setNumber reads a whole number of decimal digits, high at most.
func setNumber(key, value string, high uint64) (uint64, error) {
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil || n > high {
		return 0, fmt.Errorf("%s=%s: want a whole number up to %d: %w", key, value, high, ErrParam)
	}
	return n, nil
}

func setParam(params map[string]float64, key, value string) (map[string]float64, error) {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || strings.ContainsAny(value, "xX_") {
		return nil, fmt.Errorf("%s=%s: not a decimal number: %w", key, value, ErrParam)
	}
	if params == nil {
		params = make(map[string]float64)
	}
	params[key] = v
	return params, nil
}

func parseParts(text string) ([]Part, error) {
	var parts []Part
	for word := range strings.SplitSeq(text, "+") {
		p, err := parsePart(word)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

func parsePart(word string) (Part, error) {
	fields := strings.Split(word, ":")
	p := Part{Family: fields[0], Share: 1}
	pairs, err := parsePairs(fields[1:])
	if err != nil {
		return p, err
	}
	for _, field := range pairs {
		if p.Params, err = setParam(p.Params, field.key, field.value); err != nil {
			return p, err
		}
	}
	share, ok := p.Params["share"]
	if !ok {
		return p, nil
	}
	delete(p.Params, "share")
	p.Share = share
	return p, checkShare(p)
}

// String returns the name that Parse reads, with every parameter in the family's order. A Spec
// that is not valid prints what is known of it and does not parse.
func (s Spec) String() string {
	if complete, err := s.Complete(); err == nil {
		s = complete
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s:n=%d,k=%d,seed=%d", s.Family, s.N, s.K, s.Seed)
	writeParams(&b, s.Family, s.Params, ',')
	for i, p := range s.Parts {
		separator := "+"
		if i == 0 {
			separator = ",of="
		}
		b.WriteString(separator + p.Family)
		writeParams(&b, p.Family, p.Params, ':')
		if p.Share != 1 {
			fmt.Fprintf(&b, ":share=%s", decimal(p.Share))
		}
	}
	return b.String()
}

func writeParams(b *strings.Builder, name string, params map[string]float64, separator byte) {
	f, _ := family(name)
	for _, p := range f.Params {
		if v, ok := params[p.Name]; ok {
			fmt.Fprintf(b, "%c%s=%s", separator, p.Name, decimal(v))
		}
	}
}

// decimal prints the shortest number that reads back as v, with an exponent
// only below 1e-4: a positive one would bring a plus sign into a mixture.
func decimal(v float64) string {
	if v > 0 && v < 1e-4 {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
