package calls

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/gpu/driver"
	"github.com/atomtune/atomtune/variant"
)

// TestSortPrice holds the formula against sums made by hand: 1,000,000 updates
// of 200,000 of 300,000 targets, so 19 bits and 3 passes, at 1,000 bytes a us.
func TestSortPrice(t *testing.T) {
	p := sortPrice{firstUS: 5, bytesPerUS: 1000}
	costs := sortCosts{reduceUS: 12, countUS: 4, passUS: 13, byteFactor: 1.75}
	const n, bins, unique = 1000000, 300000, 200000
	sort, segments := variant.Variant{Base: variant.Sort}, variant.Variant{Base: variant.SegReduce}
	for _, c := range []struct {
		v    variant.Variant
		call device.Call
		want float64
	}{
		// cleared 1,200; moved 8,000 + 1,600 + 2,400
		{segments, device.Call{Type: device.F32}, 5 + 12 + 1200 + 1.75*12000},
		// counted: no values are read
		{segments, device.Call{Type: device.U32, Operand: device.One}, 5 + 12 + 1200 + 1.75*8000},
		// moved also 4,000 and 3 passes of 16,000
		{sort, device.Call{Type: device.F32}, 5 + 16 + 39 + 1200 + 1.75*64000},
		{sort, device.Call{Type: device.U32, Operand: device.One}, 5 + 16 + 39 + 1200 + 1.75*36000},
		// 8 bytes: cleared 2,400; moved 4,000 + 72,000 + 12,000 + 2,400 + 4,000
		{sort, device.Call{Type: device.F64}, 5 + 16 + 39 + 2400 + 1.75*94400},
	} {
		call := &recordings.Call{Implementation: c.v, Call: c.call, Updates: n, Bins: bins}
		if got := p.call(costs, call, unique); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s %v: %v us, want %v", c.v, c.call, got, c.want)
		}
	}
}

// TestSortPasses: keys of up to 8 bits take a pass, each 8 bits more another.
func TestSortPasses(t *testing.T) {
	p := sortPrice{bytesPerUS: 1e30}
	for bins, want := range map[uint64]float64{1: 1, 2: 1, 3: 1, 256: 1, 257: 2, 1 << 24: 3, 1<<24 +
		1: 4, 1 << 32: 4} {
		call := &recordings.Call{Implementation: variant.Variant{Base: variant.Sort}, Bins: bins}
		if got := p.call(sortCosts{passUS: 1}, call, 0); math.Abs(got-want) > 1e-6 {
			t.Errorf("%d targets take %g passes, want %g", bins, got, want)
		}
	}
}

// TestMeasurePrice takes the fake GPU's 2 us a kernel and 4 TB/s apart again.
func TestMeasurePrice(t *testing.T) {
	g := newCallsGPU()
	p, err := measuredPrice(g, g)
	if err != nil || g.allocated != 0 {
		t.Fatal(err, g.allocated)
	}
	perCopy := 2 + float64(8*leastCopyWords)/4e6
	if math.Abs(p.firstUS-2) > 1e-6 || math.Abs(p.bytesPerUS/(8*leastCopyWords/perCopy)-1) > 1e-6 {
		t.Errorf("%+v", p)
	}
	if _, err := measuredPrice(g, stopped{g}); !errors.Is(err, ErrClock) {
		t.Errorf("a clock that stands: error %v", err)
	}
	g.description.Attributes = append(g.description.Attributes,
		driver.Attribute{Name: "l2_bytes", Value: 12 << 20, Unit: "byte"})
	before := len(g.launches)
	if _, err := measuredPrice(g, g); err != nil {
		t.Error(err)
	}
	for _, l := range g.launches[before:] {
		if l.kernel == "copy_stream" && l.args[2].(uint64) != 6<<20 {
			t.Errorf("copies of %d words stay in an L2 of 12 MiB", l.args[2])
		}
	}
}

func measuredPrice(g *callsGPU, on driver.GPU) (*sortPrice, error) {
	c, s := testSuite(g.description), driver.NewSession(context.Background(), on)
	c.measurePrice(s)
	return c.price, s.Err()
}

type stopped struct{ *callsGPU }

func (s stopped) Time(enqueue func() error) (float64, error) { return 1, enqueue() }
