package calls

import (
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/variant"
)

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
		if b := c.Implementation.Base; b == variant.Sort || b == variant.SegReduce {
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
