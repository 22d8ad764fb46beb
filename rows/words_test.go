package rows

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/device"
)

// TestKindOf: the types of targets and values name the kind, and what there is not says what there is.
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
		_, err := KindOf(wrong[0], wrong[1])
		if !errors.Is(err, ErrCall) || !strings.Contains(err.Error(), "there are f32, bf16, bf16 to f32") {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}

func TestWords(t *testing.T) {
	c := Call{Kind: Widened, Width: 12, Keeps: true}
	if got, want := c.Words(), "rows of 12 f32 targets, adding bf16 values, to an array that is there"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, f := range Forms() {
		if f.Does() == "" || (f.Class().String() == "naive") != (f == Naive) {
			t.Errorf("%s is %s: %s", f, f.Class(), f.Does())
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

func TestImplementations(t *testing.T) {
	for _, c := range []struct {
		form  Form
		slots int
		name  string
	}{{Naive, 0, "naive"}, {Hot, 0, "hot"}, {Hot, 64, "hot:s=64"}, {Sort, 0, "sort"}} {
		if got := Implementation(c.form, c.slots); got != c.name {
			t.Errorf("%s of %d slots: %s", c.form, c.slots, got)
		}
		if f, slots, err := ParseImplementation(c.name); f != c.form || slots != c.slots || err != nil {
			t.Errorf("%s: %s of %d slots, %v", c.name, f, slots, err)
		}
	}
	for _, name := range []string{"", "private", "hot:", "hot:s=3", "hot:s=0", "hot:r=4", "hot:s=4096", "runs:s=8"} {
		if _, _, err := ParseImplementation(name); !errors.Is(err, ErrForm) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
