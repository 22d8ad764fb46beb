package tuner

import (
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// TestPlainFirst: where nothing collides, nothing that reduces collisions is
// ranked before plain atomics, on any device and for any type.
func TestPlainFirst(t *testing.T) {
	indices := make([]uint32, 1<<16)
	for i := range indices {
		indices[i] = uint32(i * 40503 % (1 << 21)) // all different, none clustered
	}
	checked := 0
	for _, name := range []string{"h200", "gtx680", "c2075"} {
		d, err := device.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 1 << 16} {
			s, err := collision.Analyze(indices[:n], collision.Options{Bins: 1 << 21})
			if err != nil {
				t.Fatal(err)
			}
			for _, typ := range device.Types() {
				got, err := Choose(&s, d, Options{Call: device.Call{Type: typ}})
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range got.Ranking {
					if r.Implementation == (variant.Variant{}) {
						break
					}
					if v := r.Implementation; v.Base == variant.Global && v.Reduction != variant.None &&
						!v.Scatter {
						t.Errorf("%s, %s, %d updates: %s stands before naive", name, typ, n, v)
					}
				}
				checked++
			}
		}
	}
	if checked != 36 {
		t.Errorf("%d choices checked", checked)
	}
}
