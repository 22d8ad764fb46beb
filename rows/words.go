package rows

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// does says of each form what it does about updates that meet.
var does = []string{
	"an atomic for each element, where it belongs",
	"neighbouring updates of a row are added first, and each run is one addition to its row",
	"neighbouring updates of a row are added first, and frequent rows, which a sample finds, have " +
		"sums in the shared memory of each warp",
	"the updates are sorted by row, and those of a row are added first",
}

// Does says in words what a form does about updates that meet.
func (f Form) Does() string { return does[f] }

// ParseImplementation reads a form's name with the slots of its table, "hot:s=8" for instance; 0 slots
// are those that the call takes. Errors wrap ErrForm.
func ParseImplementation(name string) (f Form, slots int, err error) {
	text, table, given := strings.Cut(name, ":")
	if f, err = ParseForm(text); err != nil || !given {
		return f, 0, err
	}
	number, is := strings.CutPrefix(table, "s=")
	slots, bad := strconv.Atoi(number)
	if f != Hot || !is || bad != nil || slots < 2 || slots > MostSlots || slots&(slots-1) != 0 {
		return f, 0, fmt.Errorf("%w: %q (%s takes s=S, a power of two from 2 to %d)", ErrForm, name, Hot,
			MostSlots)
	}
	return f, slots, nil
}

// Implementation is a form's name with the slots of its table, if there are any.
func Implementation(f Form, slots int) string {
	if slots > 0 {
		return fmt.Sprintf("%s:s=%d", f, slots)
	}
	return f.String()
}

// Class returns the class of a form. All of them end in atomics on the targets.
func (f Form) Class() variant.Class {
	if f == Naive {
		return variant.Naive
	}
	return variant.ReducedCollision
}

// Target and Value are the names of the types of targets and values.
func (k Kind) Target() string {
	if k == BF16 {
		return "bf16"
	}
	return "f32"
}

func (k Kind) Value() string {
	if k == F32 {
		return "f32"
	}
	return "bf16"
}

// KindOf returns the kind of targets and values of these types. No type of values is that of the
// targets. Errors wrap ErrCall.
func KindOf(target, value string) (Kind, error) {
	if value == "" || value == target {
		return ParseKind(target)
	}
	return ParseKind(value + " to " + target)
}

// Words says what each update does, for example "rows of 128 f32 targets, adding bf16 values".
func (c Call) Words() string {
	text := fmt.Sprintf("rows of %d %s targets, adding %s values", c.Width, c.Kind.Target(), c.Kind.Value())
	if c.Keeps {
		text += ", to an array that is there"
	}
	return text
}

// Launch returns the launch of the form's main kernel: its blocks are those of all passes.
func (s Shape) Launch(d *device.Profile) device.Shape {
	blocks := s.Blocks(d)
	return device.Shape{Blocks: uint64(blocks * s.Passes), Threads: s.Threads,
		SharedBytes: uint64(s.Shared), Unroll: s.Turns, BlocksPerSM: blocks / int(d.Core.SMs.Value)}
}
