package speedup

import (
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

func BenchmarkBundle(b *testing.B) {
	list := runnable(builtin(b, "h200"), device.Call{})
	all, err := CompileAll(list, builtin(b, "h200"), device.Call{})
	if err != nil {
		b.Fatal(err)
	}
	out := make([]float64, len(list))
	for name, bins := range map[string]uint32{"few": 256, "many": 1 << 20} {
		s := scale(measure(uniform(1<<14, bins, 1), uint64(bins), 32), 64)
		b.Run("targets="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				all.US(&s, out)
			}
		})
	}
}

func TestUSDoesNotAllocate(t *testing.T) {
	checked := map[variant.Variant]bool{}
	for name, lanes := range map[string]int{"h200": 32, "hd5870": 64} {
		d := builtin(t, name)
		stream := uniform(4096, 100, 1)
		s := tabled(stream, 100, lanes)
		for _, v := range runnable(d, device.Call{}) {
			m, err := Compile(v, d, device.Call{})
			if err != nil {
				t.Fatal(err)
			}
			if n := testing.AllocsPerRun(100, func() { m.US(&s) }); n != 0 {
				t.Errorf("%s on %s: %v allocations", v, name, n)
			}
			checked[v] = true
		}
	}
	if len(checked) < len(candidates()) {
		t.Errorf("%d implementations checked", len(checked))
	}
}
