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

// Implementation is a form, of Hot with the slots of its table: 0 are those that the call takes.
type Implementation struct {
	Form  Form
	Slots int
}

// Implementations lists what a choice ranks: each form, and Hot with each table.
func Implementations() (list []Implementation) {
	for _, f := range Forms() {
		if f != Hot {
			list = append(list, Implementation{Form: f})
			continue
		}
		for slots := 2; slots <= MostSlots; slots *= 2 {
			list = append(list, Implementation{f, slots})
		}
	}
	return list
}

// String returns the form's name, with the slots of its table, "hot:s=8" for instance.
func (i Implementation) String() string {
	if i.Slots > 0 {
		return fmt.Sprintf("%s:s=%d", i.Form, i.Slots)
	}
	return i.Form.String()
}

// MarshalText writes what String returns.
func (i Implementation) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// Covers reports whether i is other, or its form without slots.
func (i Implementation) Covers(other Implementation) bool {
	return i.Form == other.Form && (i.Slots == 0 || i.Slots == other.Slots)
}

// WorkspaceBytes is the device memory that a call on so many positions takes beside the stream and the
// targets: of Sort the row and the place of each, before and after. A few words, and what a library's
// sort adds to them, are left out.
func (i Implementation) WorkspaceBytes(positions uint64) uint64 {
	if i.Form == Sort {
		return 4 * 4 * positions
	}
	return 0
}

// ParseImplementation reads what String writes. Errors wrap ErrForm.
func ParseImplementation(name string) (i Implementation, err error) {
	text, table, given := strings.Cut(name, ":")
	if i.Form, err = ParseForm(text); err != nil || !given {
		return i, err
	}
	number, is := strings.CutPrefix(table, "s=")
	slots, bad := strconv.Atoi(number)
	if i.Slots = slots; i.Form != Hot || !is || bad != nil || slots < 2 || slots > MostSlots || slots&(slots-1) != 0 {
		return i, fmt.Errorf("%w: %q (%s takes s=S, a power of two from 2 to %d)", ErrForm, name, Hot, MostSlots)
	}
	return i, nil
}

// Class returns the class of a form. All of them end in atomics on the targets.
func (f Form) Class() variant.Class {
	if f == Naive {
		return variant.Naive
	}
	return variant.ReducedCollision
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
