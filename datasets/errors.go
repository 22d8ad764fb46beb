package datasets

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/atomtune/atomtune/datasets/tensor"
	"github.com/atomtune/atomtune/internal/visible"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// The sentinels that every error about an input wraps, to be told apart with errors.Is. A file that
// cannot be opened or read wraps the operating system's error instead, such as fs.ErrNotExist.
var (
	// ErrOptions: an option is wrong in itself or does not apply to the format.
	ErrOptions = errors.New("wrong option")
	// ErrFormat: the content is not what its format says.
	ErrFormat = tensor.ErrMalformed
	// ErrUnsupported: the content is valid, but no index stream (floats, points, large images).
	ErrUnsupported = tensor.ErrUnsupported
	// ErrEmpty: the input holds no update.
	ErrEmpty = errors.New("empty stream")
	// ErrRange: an index is negative, above 2^32-1 or outside of the bins.
	ErrRange = errors.New("index out of range")
	// ErrLarge: the input takes more memory than the options allow.
	ErrLarge = wholefile.ErrLarge
	// ErrGap: too many bytes without an update, or too many updates from almost no bytes.
	ErrGap = errors.New("gap between updates")
	// ErrTruncated: the input holds less or more than it promises.
	ErrTruncated = tensor.ErrTruncated
)

// InputError is a fault in an input, printed as "file:line: message", without an unknown line.
type InputError struct {
	Name    string // the file as it was asked for, or "stdin"
	Line    uint64 // counted from 1; 0 where the format has no lines
	Message string
	Kind    error // the sentinel
	Cause   error // the error underneath, nil if there is none
}

// Error implements error.
func (e *InputError) Error() string {
	text := visible.Line(e.Name)
	if e.Line > 0 {
		text += fmt.Sprintf(":%d", e.Line)
	}
	text += ": " + e.Message
	if e.Cause != nil {
		text += ": " + visible.Line(e.Cause.Error())
	}
	return text
}

// Unwrap returns the sentinel and the cause.
func (e *InputError) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// longest is how much of a piece of input an error shows, longestName of a name.
const longest, longestName = 40, 200

func quote(b []byte) string { return tensor.Shorten(string(b)) }

// shown is a piece of a file as it is to be typed, or the beginning of one of more than most bytes.
func shown(text string, most int) string {
	if len(text) > most {
		text = text[:most] + "..."
	}
	return visible.Line(text)
}

// mostListed is how many arrays or columns an error lists.
const mostListed = 20

// choose returns the place of the column or array that is wanted, by its name or, of columns, its number counted
// from 0; of one alone nothing needs to be said.
func (in *input) choose(line uint64, noun, wanted string, n int, name, shown func(i int) string) int {
	fault := func(format string, args ...any) {
		var list []string
		for i := range min(n, mostListed) {
			list = append(list, shown(i))
		}
		if n > mostListed {
			list = append(list, fmt.Sprintf("and %d more", n-mostListed))
		}
		panic(in.failLine(line, ErrOptions, "%s %s", fmt.Sprintf(format, args...), strings.Join(list, "; ")))
	}
	found := -1
	for i := range n {
		if wanted == "" || name(i) != wanted {
			continue
		}
		if found >= 0 {
			fault("--%s %q: two %ss are named so:", noun, wanted, noun)
		}
		found = i
	}
	number, isNumber := decimal([]byte(wanted))
	switch numbered := noun == "column"; {
	case found >= 0:
		return found
	case wanted == "" && n == 1:
		return 0
	case wanted == "" && n == 0:
		panic(in.fail(ErrEmpty, "holds no %s", noun))
	case wanted == "" && numbered:
		fault("choose one column with --column, by its name or number:")
	case wanted == "":
		fault("holds several %ss; choose one with --%s NAME:", noun, noun)
	case numbered && isNumber && number < uint64(n):
		return int(number)
	}
	fault("--%s %q: no such %s, only", noun, wanted, noun)
	return 0
}

// catch turns the panics by which decoders stop at a fault of their input into an error.
func catch(err *error) {
	switch fault := recover().(type) {
	case nil:
	case runtime.Error:
		panic(fault)
	case error:
		*err = fault
	default:
		panic(fault)
	}
}
