package speedup

import (
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// TestIndexBytes: wider indices never make a call or its floor faster, and 0 stands for 4 bytes.
func TestIndexBytes(t *testing.T) {
	checked, slower := 0, 0
	for at, name := range []string{"h100", "h200", "gtx580"} {
		d := builtin(t, name)
		streams := drawnStreams(t, int(d.Core.WarpLanes.Value), 12)
		for k := range 4 {
			c := everyCall(5*at + 7*k)
			for _, v := range candidates() {
				var before []float64
				for _, bytes := range []int{1, 2, 0, 4, 8} {
					c.IndexBytes = bytes
					b, err := CompileAll([]impl.Spec{v}, d, c)
					if err != nil {
						break
					}
					var now []float64
					for i := range streams {
						if s := &streams[i]; !v.NeedsGrouped() || s.Runs == s.Unique {
							us := []float64{0}
							b.US(s, us)
							now = append(now, us[0], b.Floor(s).US, b.Floor(s).Bytes)
						}
					}
					for i := range before {
						checked++
						if now[i] < before[i] || bytes == 4 && now[i] != before[i] {
							t.Errorf("%s %s %+v: %d-byte indices: %v, before %v", name, v, c, bytes, now[i], before[i])
						}
						if now[i] > before[i] {
							slower++
						}
					}
					before = now
				}
			}
		}
	}
	if checked < 10000 || slower < checked/4 {
		t.Errorf("%d numbers were compared, %d grew", checked, slower)
	}
}

// TestIndexFloor: 50 million 64-bit indices are 400 MB, which an H100 reads in 119 us at its specified 3.35 TB/s.
func TestIndexFloor(t *testing.T) {
	s := scale(measure(uniform(50_000, 10, 1), 10, 32), 1000)
	d := builtin(t, "h100")
	for bytes, least := range map[int]float64{8: 119, 4: 59, 2: 29} {
		b, err := CompileAll([]impl.Spec{{}}, d, device.Call{Operand: device.One, IndexBytes: bytes})
		if err != nil {
			t.Fatal(err)
		}
		us := []float64{0}
		b.US(&s, us)
		if f := b.Floor(&s); f.Bytes != float64(bytes)*5e7+40 || f.US < least || us[0] < f.US {
			t.Errorf("%d bytes: floor %+v, price %v, want at least %v us", bytes, f, us, least)
		}
	}
}
