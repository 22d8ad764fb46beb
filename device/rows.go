package device

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/atomtune/atomtune/impl"
)

// ErrCall reports an invalid call.
var ErrCall = errors.New("no such call")

// MostWidth bounds the elements of a row.
const MostWidth = 1 << 20

// Wide reports whether each update adds a row of elements.
func (c Call) Wide() bool { return c.Width > 0 }

// ValueType is the type of the values that updates bring.
func (c Call) ValueType() Type {
	if c.Values == 0 {
		return c.Type
	}
	return c.Values
}

// Index is the size of an index in bytes.
func (c Call) Index() int { return cmp.Or(c.IndexBytes, 4) }

// RowTypes lists the types of targets of rows.
func RowTypes() []Type { return append(Types(), BF16) }

// Parse reads the name of an implementation of such calls.
func (c Call) Parse(name string) (impl.Spec, error) {
	if c.Wide() {
		return impl.ParseWide(name)
	}
	return impl.Parse(name)
}

// Check returns nil for an implementation of such calls, and else what is wrong with it.
func (c Call) Check(v impl.Spec) error {
	if c.Wide() {
		return v.ValidateWide()
	}
	return v.Validate()
}

func (c Call) validateWide() error {
	if c.Width > MostWidth {
		return fmt.Errorf("%w: rows of %d elements, want 1 to %d", ErrCall, c.Width, MostWidth)
	}
	if c.Type > BF16 || c.ValueType() != c.Type && (c.Type != F32 || c.Values != BF16) {
		return fmt.Errorf("%w: %s values for %s targets (values of rows have the type of their targets, or are "+
			"bf16 for f32)", ErrType, c.ValueType(), c.Type)
	}
	why := ""
	switch {
	case c.Operand != Loaded:
		why = "each update adds a row of loaded values"
	case c.Op != Add && !c.Op.Extreme():
		why = "rows support add, min and max, not " + c.Op.String()
	case c.Op.Extreme() && c.Type == BF16:
		why = "extremes of bf16 need compare-and-swap, for which rows have no price"
	case c.Returns:
		why = "kernels for rows do not return old values"
	case c.Index() != 4 && c.Index() != 8:
		why = fmt.Sprintf("indices of %d bytes, want 4 or 8", c.IndexBytes)
	default:
		return nil
	}
	return fmt.Errorf("%w: %s", ErrCall, why)
}

// canAddRows is CanCall where each update adds a row. The header needs warps of 32 lanes that match their
// values, an atomic for the type, and for targets of 16 bits one that adds several of these.
func (p *Profile) canAddRows(v impl.Spec, c Call) error {
	switch {
	case p.Core.WarpLanes.Value != 32 || p.Paths != nil || !p.Exchange.HasMatch.Value:
		return p.cannot(v, "there are no kernels for row scatters")
	case c.Type == BF16 && !p.Rows.Vectors.Value:
		return p.cannot(v, "it adds bfloat16 by compare-and-swap, which is not priced")
	case p.GlobalUpdate(c).Mechanism != Native:
		return p.cannot(v, "it has no atomic %s of %s, which row scatters need", c.Op, c.Type)
	}
	if _, why := p.Limits().RowShape(v, c); why != "" {
		return p.cannot(v, "%s", why)
	}
	return nil
}

// Vectors reports whether one request adds a piece of several elements, as it can sums of floats of up to 32
// bits (PTX ISA, red).
func (p *Profile) Vectors(c Call) bool {
	return p.Rows.Vectors.Value && c.Op == Add && (c.Type == F32 || c.Type == BF16)
}

// RowShape is how the header cuts a call that adds rows. A row is cut into pieces of Piece neighbouring
// elements, one for each of the Group lanes that hold it, and where these do not suffice into Passes
// parts, each of blocks of its own. Unroll is the number of updates of a group that are under way together.
type RowShape struct {
	Shape
	Piece   int // elements that a lane loads and adds together
	Group   int // lanes, a power of two up to the warp
	Columns int // elements of a row that a block handles
	Passes  int // blocks beside each other that share the columns
	// Registers of a thread, to which the header bounds the kernels by the bytes of a piece of sums: they bound how
	// many blocks an SM holds.
	Registers int
	Slots     int // rows with sums in shared memory, of each warp of a block; 0 but for hot
}

// HotRowSamples is how many updates a block looks at to find hot rows.
const HotRowSamples = 2048

// Of the header: bytes of a vector reduction, and of hot rows the room of a warp's sums and the counters of
// the sample that finds the rows.
const (
	rowLanes      = 32
	pieceBytes    = 16
	smRegisters   = 1 << 16
	hotRowBytes   = 4096
	hotRowThreads = 1024
	rowThreads    = 256
)

// RowShape returns how a call of an implementation is cut where arrays are aligned, and why a block has not as
// much shared memory, "" if it has. Hot without slots takes 4 KiB of each warp.
func (l Limits) RowShape(v impl.Spec, c Call) (s RowShape, why string) {
	s = RowShape{Shape: Shape{Threads: rowThreads, Unroll: 1}, Piece: 1, Group: rowLanes, Columns: int(c.Width),
		Passes: 1, Registers: 32}
	if v.IsNaive() {
		return s.resident(l), ""
	}
	s.Piece = c.piece()
	most := s.Piece
	for c.Width%uint64(s.Piece) != 0 {
		s.Piece /= 2
	}
	s.Group = 1
	for s.Group < rowLanes && int(c.Width) > s.Piece*s.Group {
		s.Group *= 2
	}
	s.Columns = min(int(c.Width), s.Piece*s.Group)
	s.Passes = (int(c.Width) + s.Piece*s.Group - 1) / (s.Piece * s.Group)
	s.Unroll = 4
	if s.Piece > 4 {
		s.Unroll = 2
	}
	bytes := s.Piece * c.SumBytes()
	s.Registers = map[int]int{4: 32, 8: 40, 16: 48, 32: 56}[bytes]
	if v.Algorithm == impl.Hot {
		s.Registers = map[int]int{4: 32, 8: 48, 16: 64, 32: 64}[bytes]
		if s.Slots = v.Slots; s.Slots == 0 {
			s.Slots = impl.MinWideSlots
			for columns := min(int(c.Width), rowLanes*most); s.Slots < impl.MaxWideSlots &&
				2*s.Slots*columns*c.SumBytes() <= hotRowBytes; {
				s.Slots *= 2
			}
		}
		why = s.fit(l, c)
	}
	return s.resident(l), why
}

// piece is how many elements a vector of the header holds at most.
func (c Call) piece() int { return pieceBytes / max(c.ValueType().Bytes(), c.Type.Bytes()) }

// SumBytes is the size of a sum of rows in shared memory, which of bf16 is a float.
func (c Call) SumBytes() int { return max(4, c.Type.Bytes()) }

// fit gives each warp the sums of its hot rows, in blocks as large as shared memory allows.
func (s *RowShape) fit(l Limits, c Call) (why string) {
	for s.Threads = hotRowThreads; ; s.Threads -= rowLanes {
		// The tags of a table and the sums of each warp, or what finding the tags takes.
		sums := c.SumBytes() * s.Slots * s.Columns * s.Threads / rowLanes
		sampling := 8*s.Slots + 4*SampleCounters(s.Slots)
		s.SharedBytes = uint64(4*((s.Slots+3)/4*4) + max(sums, sampling))
		switch {
		case s.SharedBytes <= l.SharedBytes:
			return ""
		case s.Threads == rowLanes:
			return fmt.Sprintf("its sums need %d bytes of shared memory, but a block has "+
				"%d", s.SharedBytes, l.SharedBytes)
		}
	}
}

// resident fills in the grid: of each pass as many blocks as the device holds at once, by the threads,
// registers and shared memory of an SM.
func (s RowShape) resident(l Limits) RowShape {
	s.BlocksPerSM = max(1, min(l.MaxWarps*l.WarpLanes/s.Threads, smRegisters/(s.Registers*s.Threads),
		l.fit(s.SharedBytes)))
	s.Blocks = uint64(s.BlocksPerSM * l.SMs * s.Passes)
	return s
}

// Abreast is the number of blocks of each pass.
func (s *RowShape) Abreast() int { return int(s.Blocks) / s.Passes }
