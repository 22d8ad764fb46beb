package calls

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/must"
)

// TestSortPrice holds the formula against sums made by hand: 1,000,000 updates
// of 200,000 of 300,000 targets, so 19 bits and 3 passes, at 1,000 bytes a us.
func TestSortPrice(t *testing.T) {
	p := sortPrice{firstUS: 5, bytesPerUS: 1000}
	costs := sortCosts{reduceUS: 12, countUS: 4, passUS: 13, byteFactor: 1.75}
	const n, bins, unique = 1000000, 300000, 200000
	sort, segments := impl.Spec{Algorithm: impl.Sort}, impl.Spec{Algorithm: impl.SegReduce}
	for _, c := range []struct {
		v    impl.Spec
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
		call := &recordings.Call{Implementation: impl.Spec{Algorithm: impl.Sort}, Bins: bins}
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

// recordedPrice is what measurePrice would measure, from the readings.
func recordedPrice(t *testing.T) *sortPrice {
	t.Helper()
	readings := must.Get(h200.Archive.Readings())(t)
	var p sortPrice
	for _, r := range readings {
		switch r.Suite + " " + r.Name + " " + r.Parameters {
		case "call empty_kernels launches=1":
			p.firstUS = r.Value
		case "memory copy_bandwidth bytes=134217728":
			p.bytesPerUS = r.Value / 1e6
		}
	}
	if p.firstUS <= 0 || p.bytesPerUS <= 0 {
		t.Fatalf("the readings give no price: %+v", p)
	}
	return &p
}

// recordedSort is a sort or a segmented reduction of the recordings.
type recordedSort struct {
	recordings.Call
	unique uint64 // targets of its stream
}

// sortsOf holds those of a part that were read already.
var sortsOf = map[recordings.Part][]recordedSort{}

func recordedSorts(t *testing.T, part recordings.Part) []recordedSort {
	t.Helper()
	if all := sortsOf[part]; all != nil {
		return all
	}
	streams := must.Get(h200.Archive.Streams())(t)
	calls := must.Get(h200.Archive.Calls(part))(t)
	var all []recordedSort
	for _, c := range calls {
		if b := c.Implementation.Algorithm; b == impl.Sort || b == impl.SegReduce {
			all = append(all, recordedSort{c, streams[c.Label].Unique})
		}
	}
	sortsOf[part] = all
	return all
}

// ratios returns predicted over measured times, sorted.
func ratios(all []recordedSort, p *sortPrice, costs sortCosts) []float64 {
	list := make([]float64, len(all))
	for i, c := range all {
		list[i] = p.call(costs, &c.Call, c.unique) / c.MedianUS
	}
	slices.Sort(list)
	return list
}

// TestRecordedSorts recomputes what the comment of cub says: how many calls were
// fitted, and how near the prediction comes on the part that was not.
func TestRecordedSorts(t *testing.T) {
	p := recordedPrice(t)
	if n := len(recordedSorts(t, recordings.Fit)); n != 1072 {
		t.Errorf("%d calls of the fit part", n)
	}
	held := ratios(recordedSorts(t, recordings.HeldOut), p, cub)
	if len(held) != 1116 {
		t.Fatalf("%d calls of the held-out part", len(held))
	}
	for q, want := range map[float64]float64{0.05: 0.83, 0.5: 0.99, 0.95: 1.15} {
		if got := held[int(math.Round(q*float64(len(held)-1)))]; math.Abs(got-want) > 0.005 {
			t.Errorf("quantile %v of predicted over measured: %.3f, want %.2f", q, got, want)
		}
	}
}

// TestCostsAreFitted: on the fit part no cost that is a tenth less or more makes
// the relative errors smaller.
func TestCostsAreFitted(t *testing.T) {
	p, fitted := recordedPrice(t), recordedSorts(t, recordings.Fit)
	loss := func(costs sortCosts) float64 {
		sum := 0.0
		for _, r := range ratios(fitted, p, costs) {
			sum += (r - 1) * (r - 1)
		}
		return sum
	}
	least := loss(cub)
	for name, of := range map[string]func(*sortCosts) *float64{
		"reduceUS":   func(c *sortCosts) *float64 { return &c.reduceUS },
		"countUS":    func(c *sortCosts) *float64 { return &c.countUS },
		"passUS":     func(c *sortCosts) *float64 { return &c.passUS },
		"byteFactor": func(c *sortCosts) *float64 { return &c.byteFactor },
	} {
		for _, factor := range []float64{0.9, 1.1} {
			costs := cub
			*of(&costs) *= factor
			if got := loss(costs); got <= least {
				t.Errorf("%s %.3g: squared errors %.4f, not above %.4f", name, *of(&costs), got, least)
			}
		}
	}
}
