package rows

import (
	"errors"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/google/go-cmp/cmp"
)

func h200(t *testing.T) *device.Profile {
	t.Helper()
	p, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestShape: pieces, groups and blocks as the templates of the header are chosen.
func TestShape(t *testing.T) {
	for _, c := range []struct {
		call  Call
		form  Form
		slots int
		want  Shape
	}{
		{Call{Kind: F32, Width: 3}, Naive, 0,
			Shape{Piece: 1, Group: 32, Columns: 3, Passes: 1, Turns: 1, Threads: 256, Registers: 32}},
		{Call{Kind: F32, Width: 3}, Runs, 0,
			Shape{Piece: 1, Group: 4, Columns: 3, Passes: 1, Turns: 4, Threads: 256, Registers: 32}},
		{Call{Kind: F32, Width: 128}, Runs, 0,
			Shape{Piece: 4, Group: 32, Columns: 128, Passes: 1, Turns: 4, Threads: 256, Registers: 48}},
		{Call{Kind: F32, Width: 256}, Sort, 0,
			Shape{Piece: 4, Group: 32, Columns: 128, Passes: 2, Turns: 4, Threads: 256, Registers: 48}},
		{Call{Kind: BF16, Width: 256}, Runs, 0,
			Shape{Piece: 8, Group: 32, Columns: 256, Passes: 1, Turns: 2, Threads: 256, Registers: 56}},
		{Call{Kind: Widened, Width: 8}, Runs, 0,
			Shape{Piece: 4, Group: 2, Columns: 8, Passes: 1, Turns: 4, Threads: 256, Registers: 48}},
		{Call{Kind: F32, Width: 128}, Hot, 0, Shape{Piece: 4, Group: 32, Columns: 128, Passes: 1, Turns: 4,
			Threads: 1024, Registers: 64, Slots: 8, Shared: 32 + 4*8*128*32}},
		{Call{Kind: F32, Width: 4}, Hot, 4, Shape{Piece: 4, Group: 1, Columns: 4, Passes: 1, Turns: 4,
			Threads: 1024, Registers: 64, Slots: 4, Shared: 16 + 8*4 + 4*4096}},
		// Of 64 KiB for each warp three fit.
		{Call{Kind: F32, Width: 128}, Hot, 128, Shape{Piece: 4, Group: 32, Columns: 128, Passes: 1, Turns: 4,
			Threads: 96, Registers: 64, Slots: 128, Shared: 512 + 3*4*128*128}},
	} {
		got, err := c.call.Shape(h200(t), c.form, c.slots)
		if err != nil {
			t.Errorf("%s of %+v: %v", c.form, c.call, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s of %+v (-want +got):\n%s", c.form, c.call, diff)
		}
	}
}

func TestBlocks(t *testing.T) {
	p := h200(t)
	for _, c := range []struct {
		shape Shape
		want  int // of an SM
	}{
		{Shape{Threads: 256, Registers: 32}, 8},
		{Shape{Threads: 256, Registers: 48}, 5},
		{Shape{Threads: 1024, Registers: 64, Shared: 100000}, 1},
		{Shape{Threads: 96, Registers: 32, Shared: 197120}, 1},
	} {
		if got := c.shape.Blocks(p); got != 132*c.want {
			t.Errorf("%+v: %d blocks, want %d", c.shape, got, 132*c.want)
		}
	}
}

func TestBadCalls(t *testing.T) {
	for _, c := range []Call{{}, {Width: MostWidth + 1}, {Width: 1, Kind: 7}, {Width: 1, IndexBytes: 3}} {
		if err := c.Validate(); !errors.Is(err, ErrCall) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if err := (Call{Width: 8}).Validate(); err != nil || (Call{}).Index() != 4 || (Call{IndexBytes: 8}).Index() != 8 {
		t.Errorf("a good call: %v", err)
	}
	for _, slots := range []int{1, 3, 2048} {
		if _, err := (Call{Width: 8}).Shape(h200(t), Hot, slots); !errors.Is(err, ErrCall) {
			t.Errorf("%d slots: %v", slots, err)
		}
	}
	if _, err := (Call{Width: 128}).Shape(h200(t), Hot, 512); !errors.Is(err, device.ErrCannot) {
		t.Errorf("256 KiB for a warp: %v", err)
	}
}

// FuzzParseImplementation: a form and slots print as a name that reads as the same, and types as the
// name that they were read from.
func FuzzParseImplementation(f *testing.F) {
	for _, text := range []string{"f32", "bf16", "f64", "hot:s=8", "sort", "naive:", "hot:s=-2", "hot:s=08", "bf16 to f32"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var i Implementation
		var err error
		allocation.Bound(t, len(text), func() { i, err = ParseImplementation(text) })
		if err != nil && !errors.Is(err, ErrForm) {
			t.Error(err)
		}
		if again, wrong := ParseImplementation(i.String()); err == nil && (wrong != nil || again != i) {
			t.Errorf("%q is %s, which reads as %s, %v", text, i, again, wrong)
		}
		kind, err := ParseKind(text)
		if err != nil && !errors.Is(err, ErrCall) || err == nil && kind.String() != text {
			t.Errorf("%q is %s, %v", text, kind, err)
		}
	})
}

// TestKindOf: the types of targets and values name the kind.
func TestKindOf(t *testing.T) {
	for _, k := range Kinds() {
		if got, err := KindOf(k.Target(), k.Value()); err != nil || got != k {
			t.Errorf("%s to %s: %v, %v", k.Value(), k.Target(), got, err)
		}
	}
	if got, err := KindOf("bf16", ""); err != nil || got != BF16 {
		t.Errorf("bf16: %v, %v", got, err)
	}
	for _, wrong := range [][2]string{{"u32", ""}, {"bf16", "f32"}, {"f32", "f16"}} {
		if _, err := KindOf(wrong[0], wrong[1]); !errors.Is(err, ErrCall) {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}

// TestLaunch: the blocks of a row's parts stand beside each other in the grid.
func TestLaunch(t *testing.T) {
	s := Shape{Threads: 256, Registers: 48, Passes: 2, Turns: 4, Shared: 100}
	want := device.Shape{Blocks: 2 * 5 * 132, Threads: 256, SharedBytes: 100, Unroll: 4, BlocksPerSM: 5}
	if diff := cmp.Diff(want, s.Launch(h200(t))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestImplementations: names read as what they name, which stands once and is covered by its form and itself.
func TestImplementations(t *testing.T) {
	list := Implementations()
	for _, want := range list {
		i, err := ParseImplementation(want.String())
		covered := 0
		for _, other := range list {
			if i.Covers(other) {
				covered++
			}
		}
		if i != want || err != nil || covered != 1 || !(Implementation{Form: i.Form}).Covers(i) {
			t.Errorf("%s: %s, covers %d, %v", want, i, covered, err)
		}
		if (i.Form.Class().String() == "naive") != (i.Form == Naive) || (i.WorkspaceBytes(9) > 0) != (i.Form == Sort) {
			t.Errorf("%s is %s and takes %d bytes", i, i.Form.Class(), i.WorkspaceBytes(9))
		}
	}
	for _, name := range []string{"", "private", "hot:", "hot:s=3", "hot:s=0", "hot:r=4", "hot:s=4096", "runs:s=8"} {
		if _, err := ParseImplementation(name); !errors.Is(err, ErrForm) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
