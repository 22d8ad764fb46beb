package synth

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/internal/quantity"
)

// Parse reads a stream's name, such as
//
//	uniform:n=65536,k=1024,seed=1
//	mixture:n=65536,k=1024,seed=1,block=32,of=uniform+zipf:s=1.2:share=3
//
// n and k are required, and may be 64k, 64Ki or 1e6; the seed is 0 and parameters have their defaults where they are not given.
// The parts of a mixture follow of=, joined by +, their parameters set off by colons. The result is
// complete, and Parse(s.String()) is s. The error wraps ErrSyntax, ErrFamily or ErrParam.
func Parse(text string) (Spec, error) {
	name, list, _ := strings.Cut(text, ":")
	s := Spec{Family: name, Params: map[string]float64{}}
	given, err := eachPair(strings.Split(list, ","), func(key, value string) (err error) {
		switch key {
		case "n":
			err = setNumber(&s.N, key, value, MaxUpdates)
		case "k":
			err = setNumber(&s.K, key, value, maxTargets)
		case "seed":
			err = setNumber(&s.Seed, key, value, math.MaxUint64)
		case "of":
			s.Parts, err = parseParts(value)
		default:
			err = setParam(s.Params, key, value)
		}
		return err
	})
	for _, required := range []string{"n", "k"} {
		if err == nil && !given[required] {
			err = fmt.Errorf("no %s: %w", required, ErrParam)
		}
	}
	if _, ok := family(name); !ok {
		err = fmt.Errorf("family %q: %w", name, ErrFamily)
	}
	if err == nil {
		s, err = s.Complete()
	}
	if err != nil {
		return Spec{}, fmt.Errorf("stream %q: %w", text, err)
	}
	return s, nil
}

// eachPair hands out keys and values of fields that are key=value, no key twice, and returns the keys.
func eachPair(fields []string, set func(key, value string) error) (map[string]bool, error) {
	given := map[string]bool{}
	for _, field := range fields {
		key, value, ok := strings.Cut(field, "=")
		switch {
		case !ok || key == "":
			return nil, fmt.Errorf("%q is not key=value: %w", field, ErrSyntax)
		case given[key]:
			return nil, fmt.Errorf("%s is given twice: %w", key, ErrParam)
		}
		if err := set(key, value); err != nil {
			return nil, err
		}
		given[key] = true
	}
	return given, nil
}

func setNumber[N int | uint32 | uint64](to *N, key, value string, high uint64) error {
	n, err := quantity.Parse(value)
	if err == nil && n > high {
		err = fmt.Errorf("want a whole number up to %d", high)
	}
	if err != nil {
		return fmt.Errorf("%s=%s: %w: %w", key, value, err, ErrParam)
	}
	*to = N(n)
	return nil
}

func setParam(params map[string]float64, key, value string) (err error) {
	params[key], err = strconv.ParseFloat(value, 64)
	if err != nil || strings.ContainsAny(value, "xX_") {
		return fmt.Errorf("%s=%s: not a decimal number: %w", key, value, ErrParam)
	}
	return nil
}

func parseParts(text string) (parts []Part, err error) {
	for word := range strings.SplitSeq(text, "+") {
		fields := strings.Split(word, ":")
		p := Part{Family: fields[0], Params: map[string]float64{}, Share: 1}
		_, err := eachPair(fields[1:], func(key, value string) error {
			return setParam(p.Params, key, value)
		})
		if share, ok := p.Params["share"]; ok && err == nil {
			delete(p.Params, "share")
			p.Share = share
			err = p.checkShare() // not even 0, which Complete would make 1
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// String returns the name that Parse reads, with every parameter in the family's order. A Spec
// that is not valid prints what is known of it and does not parse.
func (s Spec) String() string {
	if complete, err := s.Complete(); err == nil {
		s = complete
	}
	text := fmt.Sprintf("%s:n=%d,k=%d,seed=%d", s.Family, s.N, s.K, s.Seed)
	text += paramsText(s.Family, s.Params, ",")
	separator := ",of="
	for _, p := range s.Parts {
		text += separator + p.Family + paramsText(p.Family, p.Params, ":")
		if p.Share != 1 {
			text += ":share=" + decimal(p.Share)
		}
		separator = "+"
	}
	return text
}

func paramsText(name string, params map[string]float64, separator string) (text string) {
	f, _ := family(name)
	for _, p := range f.Params {
		if v, ok := params[p.Name]; ok {
			text += separator + p.Name + "=" + decimal(v)
		}
	}
	return text
}

// decimal prints the shortest number that reads back as v, with an exponent
// only below 1e-4: a positive one would bring a plus sign into a mixture.
func decimal(v float64) string {
	format := byte('f')
	if v > 0 && v < 1e-4 {
		format = 'e'
	}
	return strconv.FormatFloat(v, format, -1, 64)
}
