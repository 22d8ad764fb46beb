package datasets

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/atomtune/atomtune/internal/visible"
)

// Inactive is in a stream read with Options.Ignore for what is ignored: a lane without an
// update.
const Inactive = math.MaxUint32

// IgnoreNull is the Options.Ignore that takes nulls of Parquet and Arrow, NaN, and empty cells, for padding.
const IgnoreNull = "null"

func isActive(index uint32) bool { return index != Inactive }

// ignored is what Options.Ignore says; the zero value ignores nothing.
type ignored struct {
	text    string
	integer bool
	value   uint64 // of an integer, in two's complement
}

func newIgnored(opt Options) ignored {
	i := ignored{text: opt.Ignore}
	if v, err := strconv.ParseInt(i.text, 10, 64); err == nil {
		i.integer, i.value = true, uint64(v)
	} else if v, err := strconv.ParseUint(i.text, 10, 64); err == nil {
		i.integer, i.value = true, v
	}
	return i
}

func (i *ignored) given() bool { return i.text != "" }

// word reports whether a word is ignored: the same text, the same integer, or with IgnoreNull none.
func (i *ignored) word(word []byte) bool {
	if !i.given() {
		return false
	}
	if string(word) == i.text || len(word) == 0 && i.text == IgnoreNull {
		return true
	}
	number := integer(word)
	return i.integer && isInteger(number) && bytes.Equal(canonical(number), canonical(integer([]byte(i.text))))
}

// canonical returns an integer without leading zeros; that of 0 is empty.
func canonical(integer []byte) []byte {
	digits, negative := bytes.CutPrefix(integer, []byte{'-'})
	if digits = bytes.TrimLeft(digits, "0"); negative && len(digits) > 0 {
		return append([]byte{'-'}, digits...)
	}
	return digits
}

// element returns the ignored integer as an element of so many bytes, sign-extended; ok: there is such a one.
func (i *ignored) element(bytes int, signed bool) (v uint64, ok bool) {
	if !i.integer {
		return 0, false
	}
	unused := 64 - 8*bytes
	if signed {
		v = uint64(int64(i.value<<unused) >> unused)
		return v, v == i.value && (int64(v) < 0) == (i.text[0] == '-')
	}
	v = i.value << unused >> unused
	return v, v == i.value || i.text[0] == '-' && int64(i.value)>>(8*bytes-1) == -1
}

func (o Options) checkIgnore() error {
	switch {
	case o.Ignore == "":
		return nil
	case o.sorts():
		return fmt.Errorf("%w: ignore %s needs the order of the file: ignored positions have no place in order "+
			"%s", ErrOptions, visible.Line(o.Ignore), o.Order)
	case o.Bins > Inactive:
		return fmt.Errorf("%w: %d bins are more than 2^32-1, and one index stands for what is ignored",
			ErrOptions, o.Bins)
	}
	return nil
}
