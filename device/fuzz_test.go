package device

import (
	"errors"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzParseLaunches: each launch of a list is one that a GPU may have, and reads as itself.
func FuzzParseLaunches(f *testing.F) {
	for _, text := range []string{"264x512", "1-8x32-1024x1-8", "1x32-x1", "18446744073709551615x1024", "1x32x8", "0x1", "1x1x1x1",
		"1-18446744073709551615x32"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var list []Launch
		var err error
		allocation.Bound(t, len(text), func() { list, err = ParseLaunches(text) })
		if err != nil {
			if !errors.Is(err, ErrLaunch) {
				t.Fatal(err)
			}
			return
		}
		if len(list) == 0 {
			t.Fatalf("%q is no launch", text)
		}
		for _, l := range list {
			if again, err := ParseLaunch(l.String()); err != nil || again != l {
				t.Fatalf("%q: %v reads as %v, %v", text, l, again, err)
			}
		}
	})
}

// FuzzNames: a name of a type, an operation or an operand reads as what prints as it.
func FuzzNames(f *testing.F) {
	seeds := []string{"one", "random", "fetch_add", "f8", "pow", ""}
	for _, v := range Types() {
		seeds = append(seeds, v.String())
	}
	for _, v := range Ops() {
		seeds = append(seeds, v.String())
	}
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := ParseType(text); err == nil && v.String() != text {
			t.Errorf("type %q is %s", text, v)
		}
		if v, err := ParseOp(text); err == nil && v.String() != text {
			t.Errorf("operation %q is %s", text, v)
		}
		if v, err := ParseOperation(text); err == nil && string(v) != text {
			t.Errorf("operation %q is %s", text, v)
		}
		if v, err := ParseOperand(text); err == nil && v.String() != text {
			t.Errorf("operand %q is %s", text, v)
		}
	})
}
