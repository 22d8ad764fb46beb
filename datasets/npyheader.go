package datasets

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
)

// npyHeader is the dictionary of an npy file.
type npyHeader struct {
	descr   string // the element type; structuredDescr if it is a list
	fortran bool
	shape   []uint64
}

// structuredDescr stands for an element type of several fields.
const structuredDescr = "[]"

// parseNPYHeader reads the literal of the Python dictionary that NumPy
// writes: exactly the keys descr, fortran_order and shape, in any order.
func parseNPYHeader(text string) (npyHeader, error) {
	p := &literal{rest: strings.TrimRight(text, " \n")}
	var h npyHeader
	seen := map[string]bool{}
	p.expect("{")
	for p.err == nil && !p.accept("}") {
		key := p.str()
		p.expect(":")
		if seen[key] {
			p.fail("key %q twice", key)
		}
		seen[key] = true
		switch key {
		case "descr":
			h.descr = p.descr()
		case "fortran_order":
			h.fortran = p.boolean()
		case "shape":
			h.shape = p.tuple()
		default:
			p.fail("unknown key %q", key)
		}
		if h.descr == structuredDescr {
			return h, p.err
		}
		if !p.accept(",") && p.err == nil {
			p.expect("}")
			break
		}
	}
	if p.space(); p.err == nil && p.rest != "" {
		p.fail("%s after the dictionary", quote([]byte(p.rest)))
	}
	if p.err == nil && len(seen) != 3 {
		p.fail("keys descr, fortran_order and shape are not all there")
	}
	return h, p.err
}

// literal reads a Python literal from the front of a text. The first fault
// sticks and every later step does nothing.
type literal struct {
	rest string
	err  error
}

func (p *literal) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

func (p *literal) space() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// accept takes a token if it comes next.
func (p *literal) accept(token string) bool {
	p.space()
	if p.err != nil || !strings.HasPrefix(p.rest, token) {
		return false
	}
	p.rest = p.rest[len(token):]
	return true
}

func (p *literal) expect(token string) {
	if p.accept(token) {
		return
	}
	if p.rest == "" {
		p.fail("ends where %q should stand", token)
		return
	}
	p.fail("%s where %q should stand", quote([]byte(p.rest)), token)
}

// str reads a quoted string without escapes.
func (p *literal) str() string {
	p.space()
	if p.rest == "" || p.rest[0] != '\'' && p.rest[0] != '"' {
		p.fail("%s where a string should stand", quote([]byte(p.rest)))
		return ""
	}
	body, rest, closed := strings.Cut(p.rest[1:], p.rest[:1])
	if !closed || strings.ContainsAny(body, "\\\n") {
		p.fail("%s is no closed string", quote([]byte(p.rest)))
		return ""
	}
	p.rest = rest
	return body
}

// descr reads an element type; of a list it only says that it is one.
func (p *literal) descr() string {
	if p.accept("[") {
		return structuredDescr
	}
	return p.str()
}

func (p *literal) boolean() bool {
	if p.accept("True") {
		return true
	}
	p.expect("False")
	return false
}

// tuple reads a tuple of non-negative integers: (), (3,), (3, 4), (3, 4,).
func (p *literal) tuple() []uint64 {
	p.expect("(")
	lengths := []uint64{}
	for p.err == nil && !p.accept(")") {
		length, err := p.length()
		if err != nil {
			p.fail("%w", err)
		}
		lengths = append(lengths, length)
		if p.accept(",") {
			continue
		}
		if len(lengths) == 1 {
			p.fail("shape is a number in parentheses, not a tuple")
		}
		p.expect(")")
		break
	}
	return lengths
}

// length reads one dimension; Python 2 wrote an L behind it.
func (p *literal) length() (uint64, error) {
	p.space()
	n := 0
	var v uint64
	for ; n < len(p.rest) && p.rest[n] >= '0' && p.rest[n] <= '9'; n++ {
		high, low := bits.Mul64(v, 10)
		sum, carry := bits.Add64(low, uint64(p.rest[n]-'0'), 0)
		if high != 0 || carry != 0 {
			return 0, errors.New("a dimension above 2^64-1")
		}
		v = sum
	}
	if n == 0 {
		return 0, fmt.Errorf("%s where a dimension should stand", quote([]byte(p.rest)))
	}
	p.rest = strings.TrimPrefix(p.rest[n:], "L")
	return v, nil
}
