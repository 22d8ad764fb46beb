package datasets

import (
	"strconv"

	"github.com/atomtune/atomtune/internal/visible"
)

// elements turns the integers of a binary stream into indices: each is its own, or with Keys the
// number of its key, and what Ignore says is Inactive.
type elements struct {
	in     *input
	signed bool
	limit  uint64            // first index that is out of range
	keys   map[uint64]uint32 // nil where integers are indices
	skips  bool              // the integer skip is ignored
	skip   uint64
}

// newElements returns those of integers of so many bytes; that Ignore names none panics.
func newElements(in *input, opt Options, bytes int, signed bool) elements {
	e := elements{in: in, signed: signed, limit: opt.limit()}
	ignore := newIgnored(opt)
	if ignore.given() && !ignore.integer {
		panic(in.fail(ErrOptions, "--ignore %s is no integer, as indices here are", visible.Line(opt.Ignore)))
	}
	e.skip, e.skips = ignore.element(bytes, signed)
	if opt.Keys {
		e.keys = map[uint64]uint32{}
	}
	return e
}

// plain reports whether an integer below the limit is its own index.
func (e *elements) plain() bool { return e.keys == nil && !e.skips }

// index returns the index of an integer, which is sign-extended, of the update of a number.
func (e *elements) index(v, update uint64) uint32 {
	switch {
	case e.skips && v == e.skip:
		return Inactive
	case e.keys != nil:
		return e.key(v, update)
	case v >= e.limit:
		value, negative := e.text(v)
		panic(e.in.fail(ErrRange, "update %d: %s", update, rangeFault(value, negative, e.limit)))
	}
	return uint32(v)
}

const integerKeyBytes = 50 // about the memory of one

// key numbers a key.
func (e *elements) key(v, update uint64) uint32 {
	id, known := e.keys[v]
	if known {
		return id
	}
	if id = uint32(len(e.keys)); uint64(len(e.keys)) >= e.limit {
		key, _ := e.text(v)
		panic(e.in.fail(ErrRange, "update %d: %s", update, keyFault(key, len(e.keys), e.limit)))
	}
	e.in.hold(integerKeyBytes, "distinct keys")
	e.keys[v] = id
	return id
}

// text returns an integer in decimal digits, and whether it is negative.
func (e *elements) text(v uint64) (digits string, negative bool) {
	if e.signed && int64(v) < 0 {
		return strconv.FormatInt(int64(v), 10), true
	}
	return strconv.FormatUint(v, 10), false
}
