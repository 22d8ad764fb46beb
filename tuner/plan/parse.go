package plan

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// ErrPlan reports text that is not a plan of this version of the format.
var ErrPlan = errors.New("no plan")

// fields lists the fields of a line in their order, with what reads each.
var fields = []struct {
	name string
	read func(p *Plan, value string) error
}{
	{"device", func(p *Plan, v string) error { return name(&p.Device, v) }},
	{"version", func(p *Plan, v string) error { return name(&p.Version, v) }},
	{"op", func(p *Plan, v string) error { return into(&p.Op, device.ParseOp, v) }},
	{"type", func(p *Plan, v string) error { return into(&p.Type, device.ParseType, v) }},
	{"value", func(p *Plan, v string) error { return into(&p.Operand, device.ParseOperand, v) }},
	{"index", func(p *Plan, v string) error { return into(&p.Index, ParseIndex, v) }},
	{"returns", func(p *Plan, v string) error { return into(&p.Returns, flag, v) }},
	{"updates", func(p *Plan, v string) error { return into(&p.Updates, number, v) }},
	{"bins", func(p *Plan, v string) error { return into(&p.Bins, number, v) }},
	{"sample", func(p *Plan, v string) error { return into(&p.Sample, hash, v) }},
	{"implementation", func(p *Plan, v string) error {
		return into(&p.Implementation, impl.Parse, v)
	}},
	{"launch", func(p *Plan, v string) error { return into(&p.Launch, launch, v) }},
}

// Parse reads the line of one plan: the fields of Plan.String in their order, one blank between
// two. The error wraps ErrPlan and names the field and its value.
func Parse(line string) (Plan, error) {
	var p Plan
	words := strings.Split(line, " ")
	for i, f := range fields {
		if i == len(words) {
			return Plan{}, fmt.Errorf("%w: %q has no field %s", ErrPlan, line, f.name)
		}
		value, ok := strings.CutPrefix(words[i], f.name+"=")
		if !ok {
			return Plan{}, fmt.Errorf("%w: %q is where the field %s should be", ErrPlan, words[i], f.name)
		}
		if err := f.read(&p, value); err != nil {
			return Plan{}, fmt.Errorf("%w: %s: %w", ErrPlan, words[i], err)
		}
	}
	if len(words) > len(fields) {
		return Plan{}, fmt.Errorf("%w: unknown field %q", ErrPlan, words[len(fields)])
	}
	return p, nil
}

// into reads a value into its place.
func into[T any](to *T, read func(string) (T, error), value string) (err error) {
	*to, err = read(value)
	return err
}

func name(to *string, value string) error {
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		c := value[i]
		if c == '_' {
			c = ' '
		} else if c == '%' && i+2 < len(value) {
			n, _ := strconv.ParseUint(value[i+1:i+3], 16, 8) // what is not a number escapes as another text
			c, i = byte(n), i+2
		}
		b.WriteByte(c)
	}
	if *to = b.String(); value == "" || escape(*to) != value {
		return fmt.Errorf("%q is not a name", value)
	}
	return nil
}

func flag(value string) (bool, error) {
	if value != "0" && value != "1" {
		return false, fmt.Errorf("%q is neither 0 nor 1", value)
	}
	return value == "1", nil
}

func number(value string) (uint64, error) {
	n, err := strconv.ParseUint(value, 10, 64)
	if err == nil && strconv.FormatUint(n, 10) != value {
		err = fmt.Errorf("%q is not written as a plain number", value)
	}
	return n, err
}

func hash(value string) (uint64, error) {
	n, err := strconv.ParseUint(value, 16, 64)
	if err == nil && fmt.Sprintf("%016x", n) != value {
		err = fmt.Errorf("%q is not 16 hexadecimal digits", value)
	}
	return n, err
}

func launch(value string) (device.Launch, error) {
	if value == rule {
		return device.Launch{}, nil
	}
	return device.ParseLaunch(value)
}
