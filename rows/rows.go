// Package rows describes updates of rows, where each index updates Width consecutive targets:
//
//	A[index[u]·Width + j] += values[u·Width + j]   for 0 <= j < Width
//
// Gradients of embeddings, messages of a graph network and gradients of splats are such updates. The
// package names the forms in which cuda/atomtune_rows_update.cuh makes them, and says how that header
// cuts a call into pieces, groups of lanes and blocks. It holds no formula of time.
//
// To add a form: its kernel in cuda/atomtune_rows.cuh, its name in RowForm of that header and in Forms,
// what it does in words.go, its shape in Call.Shape, its price in rows/price, and its simulation in
// hwsim/internal/kernel/rowupdate.go. Recorded calls of lab/bench/rows judge both.
package rows

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
)

// The errors of this package.
var (
	ErrForm = errors.New("no form of updates of rows")
	ErrCall = errors.New("no updates of rows")
)

// Form is how updates of rows are made.
type Form uint8

// The forms, as RowForm of the header names them.
const (
	Naive Form = iota // an atomic for each element
	Runs              // neighbouring updates of a row are added first
	Hot               // and frequent rows, found by a sample, have sums in shared memory
	Sort              // the updates are sorted by row
)

var formNames = []string{"naive", "runs", "hot", "sort"}

// Forms lists the forms.
func Forms() []Form { return []Form{Naive, Runs, Hot, Sort} }

// String returns the form's name.
func (f Form) String() string {
	if int(f) < len(formNames) {
		return formNames[f]
	}
	return fmt.Sprintf("Form(%d)", uint8(f))
}

// ParseForm reads a form's name. Errors wrap ErrForm.
func ParseForm(name string) (Form, error) {
	if i := slices.Index(formNames, name); i >= 0 {
		return Form(i), nil
	}
	return 0, fmt.Errorf("%w: %q (there are %s)", ErrForm, name, strings.Join(formNames, ", "))
}

// Kind says of what types values and targets are. Sums are float in all of them.
type Kind uint8

// The kinds.
const (
	F32     Kind = iota // float values and targets
	BF16                // bfloat16 values and targets
	Widened             // bfloat16 values and float targets
)

var kindTypes = []struct{ target, value string }{{"f32", "f32"}, {"bf16", "bf16"}, {"f32", "bf16"}}

// Kinds lists the kinds.
func Kinds() []Kind { return []Kind{F32, BF16, Widened} }

// Target and Value are the names of the types of targets and values.
func (k Kind) Target() string { return kindTypes[k].target }

func (k Kind) Value() string { return kindTypes[k].value }

// String returns the kind's name, "bf16 to f32" for instance.
func (k Kind) String() string {
	switch {
	case int(k) >= len(kindTypes):
		return fmt.Sprintf("Kind(%d)", uint8(k))
	case k.Target() == k.Value():
		return k.Target()
	}
	return k.Value() + " to " + k.Target()
}

// ParseKind reads a kind's name. Errors wrap ErrCall.
func ParseKind(name string) (Kind, error) {
	var names []string
	for _, k := range Kinds() {
		if names = append(names, k.String()); k.String() == name {
			return k, nil
		}
	}
	return 0, fmt.Errorf("%w: type %q (there are %s)", ErrCall, name, strings.Join(names, ", "))
}

// KindOf returns the kind of targets and values of these types. No type of values is that of the
// targets. Errors wrap ErrCall.
func KindOf(target, value string) (Kind, error) {
	if value == "" || value == target {
		return ParseKind(target)
	}
	return ParseKind(value + " to " + target)
}

// ValueBytes and TargetBytes are the sizes of a value and of a target: 2 or 4.
func (k Kind) ValueBytes() int { return typeBytes[k.Value()] }

func (k Kind) TargetBytes() int { return typeBytes[k.Target()] }

var typeBytes = map[string]int{"f32": 4, "bf16": 2}

// Call is a call on an index stream.
type Call struct {
	Kind  Kind
	Width uint64 // elements of a row
	// IndexBytes is the size of an index, 4 or 8; 0 stands for 4.
	IndexBytes int
	// Keeps says that the targets hold sums already, so that nothing is cleared.
	Keeps bool
}

// MostWidth bounds a row.
const MostWidth = 1 << 20

// Validate reports a call that is none. Errors wrap ErrCall.
func (c Call) Validate() error {
	if int(c.Kind) >= len(kindTypes) || c.Width < 1 || c.Width > MostWidth {
		return fmt.Errorf("%w: type %s, rows of %d elements, want 1 to %d", ErrCall, c.Kind, c.Width, MostWidth)
	}
	if c.IndexBytes != 0 && c.IndexBytes != 4 && c.IndexBytes != 8 {
		return fmt.Errorf("%w: indices of %d bytes, want 4 or 8", ErrCall, c.IndexBytes)
	}
	return nil
}

// Index is the size of an index in bytes.
func (c Call) Index() int {
	if c.IndexBytes == 0 {
		return 4
	}
	return c.IndexBytes
}

// Check reports a call that is none by an error that wraps ErrCall, and by one that wraps
// device.ErrCannot a device without what the header needs: warps of 32 lanes that match their
// values, an atomic that adds floats, and for targets of 16 bits one that adds these.
func Check(d *device.Profile, c Call) error {
	if d == nil {
		return fmt.Errorf("%w: no device", ErrCall)
	}
	if err := c.Validate(); err != nil {
		return err
	}
	switch {
	case d.Core.WarpLanes.Value != 32 || d.Paths != nil || !d.Exchange.HasMatch.Value:
		return fmt.Errorf("%w: updates of rows have no kernel on %s", device.ErrCannot, d.Title)
	case d.GlobalAtomics[d.Types[device.F32].Global].Mechanism != device.Native:
		return fmt.Errorf("%w: %s has no atomic addition of floats, which updates of rows need",
			device.ErrCannot, d.Title)
	case c.Kind == BF16 && !d.Rows.Vectors.Value:
		return fmt.Errorf("%w: %s adds bfloat16 by compare-and-swap, which is not told of here",
			device.ErrCannot, d.Title)
	}
	return nil
}

// Shape is how the header cuts a call of a form. A row is cut into pieces of Piece neighbouring
// elements, one for each of the Group lanes that hold it, and where these do not suffice into Passes
// parts, each of blocks of its own.
type Shape struct {
	Piece   int // elements that a lane loads and adds together
	Group   int // lanes, a power of two up to the warp
	Columns int // elements of a row that a block handles
	Passes  int // blocks beside each other that share the columns
	Turns   int // updates of a group that are under way together
	Threads int // of a block
	// Registers of a thread, as nvcc 13 compiles the kernel for compute capability 9.0: they bound how
	// many blocks an SM holds.
	Registers int
	// Slots is how many rows have sums in shared memory, of each warp of a block; Shared are the
	// bytes of a block's shared memory. Both are 0 but for Hot.
	Slots, Shared int
}

// Of the header: the largest table of hot rows, and how many updates a block looks at to find them.
const (
	MostSlots  = 1024
	HotSamples = 2048
)

// Of the header: lanes of a warp, bytes of a vector reduction, and of hot rows the room of a warp's
// sums and the counters of the sample that finds the rows.
const (
	lanes       = 32
	pieceBytes  = 16
	registers   = 1 << 16 // of an SM
	hotBytes    = 4096
	hotThreads  = 1024
	fewThreads  = 256
	hotCounters = 4096
)

// Shape returns how a call of the form is cut where arrays are aligned, or an error that wraps
// device.ErrCannot where a block has not as much shared memory. slots of Hot is a power of two from
// 2 to 1,024, or 0 for 4 KiB of each warp.
func (c Call) Shape(d *device.Profile, f Form, slots int) (Shape, error) {
	s := Shape{Piece: 1, Group: lanes, Threads: fewThreads, Turns: 1, Passes: 1, Columns: int(c.Width),
		Registers: 32}
	if f == Naive {
		return s, nil
	}
	s.Piece = pieceBytes / max(c.Kind.ValueBytes(), c.Kind.TargetBytes())
	for c.Width%uint64(s.Piece) != 0 {
		s.Piece /= 2
	}
	s.Group = 1
	for s.Group < lanes && int(c.Width) > s.Piece*s.Group {
		s.Group *= 2
	}
	s.Columns = min(int(c.Width), s.Piece*s.Group)
	s.Passes = (int(c.Width) + s.Piece*s.Group - 1) / (s.Piece * s.Group)
	s.Turns = 4
	if s.Piece > 4 {
		s.Turns = 2
	}
	s.Registers = map[int]int{1: 32, 2: 40, 4: 48, 8: 56}[s.Piece]
	if f == Hot {
		s.Registers = map[int]int{1: 32, 2: 48, 4: 64, 8: 64}[s.Piece]
		return s.withTable(d, c, slots)
	}
	return s, nil
}

// Blocks is how many blocks of a pass a device holds at once, which is the launch of the header: as
// many of an SM as its threads, registers and shared memory allow.
func (s Shape) Blocks(d *device.Profile) int {
	of := min(int(d.Core.MaxWarps.Value*d.Core.WarpLanes.Value)/s.Threads, registers/(s.Registers*s.Threads))
	if s.Shared > 0 {
		of = min(of, int(d.Shared.BytesPerSM.Value)/s.Shared)
	}
	return max(1, of) * int(d.Core.SMs.Value)
}

// withTable gives each warp the sums of its hot rows, in blocks as large as shared memory allows.
func (s Shape) withTable(d *device.Profile, c Call, slots int) (Shape, error) {
	if s.Slots = slots; slots == 0 {
		columns := min(int(c.Width), lanes*pieceBytes/max(c.Kind.ValueBytes(), c.Kind.TargetBytes()))
		for s.Slots = 2; s.Slots < MostSlots && 2*s.Slots*columns*4 <= hotBytes; {
			s.Slots *= 2
		}
	}
	if s.Slots < 2 || s.Slots > MostSlots || s.Slots&(s.Slots-1) != 0 {
		return s, fmt.Errorf("%w: %d slots are no power of two from 2 to %d", ErrCall, s.Slots, MostSlots)
	}
	room := int(d.Shared.BytesPerBlock.Value)
	for s.Threads = hotThreads; ; s.Threads -= lanes {
		if s.Shared = s.sharedBytes(); s.Shared <= room {
			return s, nil
		}
		if s.Threads == lanes {
			return s, fmt.Errorf("%w: %s of %d slots has %d bytes of shared memory, the device %d",
				device.ErrCannot, Hot, s.Slots, s.Shared, room)
		}
	}
}

// sharedBytes are the tags of a table and the sums of each warp, or what finding the tags takes.
func (s Shape) sharedBytes() int {
	sums := 4 * s.Slots * s.Columns * s.Threads / lanes
	sampling := 8*s.Slots + 4*max(hotCounters, 8*s.Slots)
	return 4*((s.Slots+3)/4*4) + max(sums, sampling)
}
