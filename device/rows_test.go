package device

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
)

// The implementations that add rows in several ways.
var (
	rowRuns = impl.Spec{Reduction: impl.Runs}
	rowSort = impl.Spec{Algorithm: impl.Sort}
)

func hotRows(slots int) impl.Spec { return impl.Spec{Algorithm: impl.Hot, Slots: slots} }

// TestRowShape: pieces, groups and blocks as the templates of the header are chosen.
func TestRowShape(t *testing.T) {
	p, err := Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	grid := func(perSM, passes, threads, unroll int, shared uint64) Shape {
		return Shape{Blocks: uint64(132 * perSM * passes), Threads: threads, SharedBytes: shared, Unroll: unroll,
			BlocksPerSM: perSM}
	}
	for _, c := range []struct {
		call Call
		v    impl.Spec
		want RowShape
	}{
		{Call{Type: F32, Width: 3}, impl.Spec{},
			RowShape{Shape: grid(8, 1, 256, 1, 0), Piece: 1, Group: 32, Columns: 3, Passes: 1, Registers: 32}},
		{Call{Type: F32, Width: 3}, rowRuns,
			RowShape{Shape: grid(8, 1, 256, 4, 0), Piece: 1, Group: 4, Columns: 3, Passes: 1, Registers: 32}},
		{Call{Type: F32, Width: 128}, rowRuns,
			RowShape{Shape: grid(5, 1, 256, 4, 0), Piece: 4, Group: 32, Columns: 128, Passes: 1, Registers: 48}},
		{Call{Type: F32, Width: 256}, rowSort,
			RowShape{Shape: grid(5, 2, 256, 4, 0), Piece: 4, Group: 32, Columns: 128, Passes: 2, Registers: 48}},
		{Call{Type: BF16, Width: 256}, rowRuns,
			RowShape{Shape: grid(4, 1, 256, 2, 0), Piece: 8, Group: 32, Columns: 256, Passes: 1, Registers: 56}},
		{Call{Type: F32, Values: BF16, Width: 8}, rowRuns,
			RowShape{Shape: grid(5, 1, 256, 4, 0), Piece: 4, Group: 2, Columns: 8, Passes: 1, Registers: 48}},
		{Call{Type: F64, Width: 8}, rowRuns,
			RowShape{Shape: grid(5, 1, 256, 4, 0), Piece: 2, Group: 4, Columns: 8, Passes: 1, Registers: 48}},
		{Call{Type: U64, Width: 3}, rowRuns,
			RowShape{Shape: grid(6, 1, 256, 4, 0), Piece: 1, Group: 4, Columns: 3, Passes: 1, Registers: 40}},
		{Call{Type: I64, Op: Max, Width: 64}, hotRows(0), RowShape{Shape: grid(1, 1, 1024, 4, 32+8*8*64*32), Piece: 2,
			Group: 32, Columns: 64, Passes: 1, Registers: 64, Slots: 8}},
		{Call{Type: BF16, Width: 6}, rowRuns,
			RowShape{Shape: grid(6, 1, 256, 4, 0), Piece: 2, Group: 4, Columns: 6, Passes: 1, Registers: 40}},
		{Call{Type: F32, Width: 128}, hotRows(0), RowShape{Shape: grid(1, 1, 1024, 4, 32+4*8*128*32), Piece: 4,
			Group: 32, Columns: 128, Passes: 1, Registers: 64, Slots: 8}},
		{Call{Type: F32, Width: 4}, hotRows(4), RowShape{Shape: grid(1, 1, 1024, 4, 16+8*4+4*4096), Piece: 4, Group: 1,
			Columns: 4, Passes: 1, Registers: 64, Slots: 4}},
		// Of 64 KiB for each warp three fit.
		{Call{Type: F32, Width: 128}, hotRows(128), RowShape{Shape: grid(1, 1, 96, 4, 512+3*4*128*128), Piece: 4,
			Group: 32, Columns: 128, Passes: 1, Registers: 64, Slots: 128}},
	} {
		got, why := p.Limits().RowShape(c.v, c.call)
		if why != "" {
			t.Errorf("%s of %+v: %s", c.v, c.call, why)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s of %+v (-want +got):\n%s", c.v, c.call, diff)
		}
	}
	if err := p.CanCall(hotRows(512), Call{Type: F32, Width: 128}, 1000); !errors.Is(err, ErrCannot) {
		t.Errorf("256 KiB for a warp: %v", err)
	}
}

// TestRowShapesOfTheHeader: calls of hot are cut as bindings/cuda/test/rows_test.cc has it of the header, which reads the
// same lines.
func TestRowShapesOfTheHeader(t *testing.T) {
	p, err := Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range []Call{{Type: F32}, {Type: F32, Values: BF16}, {Type: F64}, {Type: U64}, {Type: BF16}} {
		for _, c.Width = range []uint64{1, 2, 3, 12, 64, 100, 1024} {
			for _, slots := range []int{0, 64} {
				s, why := p.Limits().RowShape(hotRows(slots), c)
				if why != "" {
					s.Threads, s.SharedBytes = 0, 0
				}
				lines = append(lines, fmt.Sprint(c.Type, " ", c.ValueType(), " ", c.Width, " ", slots, " ", s.Piece, " ",
					s.Columns, " ", s.Slots, " ", s.Threads, " ", s.SharedBytes))
			}
		}
	}
	golden.Compare(t, "../bindings/cuda/test/row_shapes.txt", lines)
}

// TestWideCalls: which calls add rows.
func TestWideCalls(t *testing.T) {
	for _, c := range []Call{{Type: F32, Width: 1}, {Type: BF16, Width: MostWidth}, {Type: F32, Values: BF16, Op: Min, Width: 2},
		{Type: I64, Op: Max, Width: 3, IndexBytes: 8}, {Type: F64, Values: F64, Width: 3, Keeps: true}} {
		if err := c.Validate(); err != nil || c.Index() != max(4, c.IndexBytes) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for want, calls := range map[error][]Call{
		ErrType: {{Type: BF16}, {Type: 7, Width: 1}, {Type: F64, Values: BF16, Width: 1}, {Type: F32, Values: F64, Width: 1},
			{Type: F32, Width: 1, Values: 9}},
		ErrCall: {{Type: F32, Width: MostWidth + 1}, {Type: F32, Width: 1, IndexBytes: 3}, {IndexBytes: 3}, {Type: F32, Width: 1, IndexBytes: 2},
			{Type: F32, Width: 1, Operand: One}, {Type: F32, Width: 1, Op: Mad}, {Type: BF16, Width: 1, Op: Min},
			{Type: F32, Width: 1, Returns: true}, {Values: F32}},
	} {
		for _, c := range calls {
			if err := c.Validate(); !errors.Is(err, want) {
				t.Errorf("%+v: %v, want %v", c, err, want)
			}
		}
	}
}

// TestElements: the types of rows are read by name, single targets have no others than before.
func TestElements(t *testing.T) {
	for _, want := range RowTypes() {
		got, err := ParseElement(want.String())
		if err != nil || Type(got) != want {
			t.Errorf("%s: %v, %v", want, got, err)
		}
		if _, err := ParseType(want.String()); (err == nil) != (want != BF16) {
			t.Errorf("%s alone: %v", want, err)
		}
	}
	for _, name := range []string{"f16", "u8", "u16"} {
		if _, err := ParseElement(name); !errors.Is(err, ErrType) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i, name := range IndexNames() {
		if got, err := ParseIndex(name); err != nil || got.String() != name || got.Bytes() != []int{1, 2, 4, 4, 8, 8}[i] {
			t.Errorf("%s: %v of %d bytes, %v", name, got, got.Bytes(), err)
		}
	}
	if _, err := ParseIndex("f32"); !errors.Is(err, ErrType) {
		t.Errorf("f32 as an index: %v", err)
	}
}
