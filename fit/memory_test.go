package fit

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
)

// TestFootprint: adds to at most a quarter of L2 and to twice as much or more tell what stays there; without
// either it is assumed.
func TestFootprint(t *testing.T) {
	const l2 = 1 << 24
	for _, c := range []struct {
		bytes   []int
		assumed bool
	}{
		{[]int{l2 / 4, 2 * l2}, false}, {[]int{l2 / 8, 4 * l2, 8 * l2}, false},
		{[]int{l2/4 + 1, 2 * l2}, true}, {[]int{l2 / 4, 2*l2 - 1}, true}, {nil, true},
	} {
		var list []recordings.Reading
		for _, n := range c.bytes {
			ns := 1.0
			if n > l2 {
				ns = 20
			}
			list = append(list, recordings.Reading{Suite: "global", Name: "footprint", Value: ns, Unit: "ns",
				Parameters: fmt.Sprintf("op=u32_add bytes=%d", n), Low: ns, High: ns, Repeats: 3})
		}
		rows, err := newLookup(list)
		if err != nil {
			t.Fatal(err)
		}
		b := &builder{rows: rows}
		b.p.Core.WarpLanes.Value = 32
		b.footprint(l2, 1000)
		if m := b.p.Memory; (m.L2AtomicBytes.Source == "assumed") != c.assumed || (m.MissBytes.Source == "assumed") != c.assumed {
			t.Errorf("%v: %+v", c.bytes, m)
		}
	}
}
