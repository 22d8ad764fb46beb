package micro

import (
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/bindings/cuda/ptx"
	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/internal/must"
)

// TestUnrolls holds the operations of an iteration against the PTX, in which they stand
// one after the other: the instruction for which a kernel is there occurs as often.
func TestUnrolls(t *testing.T) {
	checked := 0
	for _, module := range ptx.Modules() {
		m := must.Get(ptx.Load(module))(t)
		for _, k := range m.Kernels {
			want := unrollOf(k.Name)
			opcode := ptx.Atomics(module, k.Name)
			if want == 0 || opcode == "" || strings.Contains(opcode, " ") {
				continue
			}
			at := slices.IndexFunc(k.Instructions,
				func(i ptx.Instruction) bool { return i.Opcode == opcode })
			if k.Name == "read_and_add" { // an addition for every four loads
				want /= 4
			}
			checked++
			// Sums that begin a chain or count its steps stand beside.
			if got := k.Instructions[at].Count; got < want || got > want+want/8+2 {
				t.Errorf("%s: %d times %s, want %d", k.Name, got, opcode, want)
			}
		}
	}
	if checked < 60 {
		t.Errorf("only %d kernels have one instruction that counts", checked)
	}
}

// TestStreamSizes: whatever L2 has, some array is an eighth of it to six tenths.
func TestStreamSizes(t *testing.T) {
	for _, c := range []struct{ l2, first uint64 }{
		{512 << 10, 64 << 10}, {3 << 19, 128 << 10}, {4 << 20, 512 << 10}, {50 << 20, 1 << 20},
		{0, 1 << 20},
	} {
		for _, quick := range []bool{false, true} {
			d := hopper()
			d.Attributes = append(slices.Clone(d.Attributes), driver.Attribute{Name: "l2_bytes",
				Value: float64(c.l2), Unit: "byte"})
			sizes := (&bench{device: d, quick: quick}).streamSizes()
			within := slices.ContainsFunc(sizes, func(bytes uint64) bool {
				return bytes >= c.l2/8 &&
					10*bytes <= 6*c.l2
			})
			if sizes[0] != c.first || within != (c.l2 > 0) {
				t.Errorf("L2 of %d bytes, quick %v: sizes %v", c.l2, quick, sizes)
			}
		}
	}
}

// TestSpan: warps that run together take from the first that begins to the last that ends.
func TestSpan(t *testing.T) {
	for _, c := range []struct {
		all  []interval
		want float64
	}{
		{[]interval{{10, 25, 0}}, 15},
		{[]interval{{10, 25, 0}, {5, 12, 0}, {20, 40, 0}, {11, 13, 0}}, 35},
	} {
		if got := span(c.all); got != c.want {
			t.Errorf("%v: %v cycles, want %v", c.all, got, c.want)
		}
	}
}
