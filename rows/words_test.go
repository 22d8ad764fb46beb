package rows

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/device"
)

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

func TestImplementations(t *testing.T) {
	for _, f := range Forms() {
		for _, slots := range []int{0, 64} {
			if slots > 0 && f != Hot {
				continue
			}
			name := Implementation(f, slots)
			if form, n, err := ParseImplementation(name); form != f || n != slots || err != nil {
				t.Errorf("%s: %s of %d slots, %v", name, form, n, err)
			}
			if (f.Class().String() == "naive") != (f == Naive) {
				t.Errorf("%s is %s", f, f.Class())
			}
		}
	}
	for _, name := range []string{"", "private", "hot:", "hot:s=3", "hot:s=0", "hot:r=4", "hot:s=4096", "runs:s=8"} {
		if _, _, err := ParseImplementation(name); !errors.Is(err, ErrForm) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
