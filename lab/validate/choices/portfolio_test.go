package choices

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// TestPortfolio sums up made-up distances: streams with a hot target are compared with uniform
// ones of their size alone, and where the targets do not fit shared memory.
func TestPortfolio(t *testing.T) {
	d, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	made := func(label string, updates, bins, hottest uint64, over float64) distance {
		return distance{&recorded.Question{Label: label, Asked: recorded.Asked{Device: d,
			Stats: &collision.Stats{Updates: updates, Bins: bins, MaxFrequency: hottest}}}, over}
	}
	const few, many = 1000, 1 << 20 // targets
	rows, checks := portfolio([]distance{
		made("uniform:a", 1<<20, many, 10, 2), made("uniform:b", 3<<20, many, 10, 8), // in the mean 4
		made("zipf:a", 1<<21, many, 1<<15, 12), made("hotspot:a", 1<<21, many, 1<<12, 3),
		made("zipf:b", 1<<21, many, 100, 100),    // no hot target
		made("zipf:c", 1<<21, few, 1<<15, 100),   // fits shared memory
		made("zipf:d", 1<<22, many, 1<<15, 1000), // no uniform stream of that size
	})
	want := map[string][2]float64{ // number and maximum
		wholePortfolio: {7, 1000}, "2^20 to 2^22 updates": {6, 100}, "2^22 to 2^24 updates": {1, 1000},
		"uniform": {2, 8}, "zipf": {4, 1000}, "hotspot": {1, 3}, skewedPortfolio: {2, 3},
	}
	for _, r := range rows {
		if w := want[r.Group]; float64(r.Over.Points) != w[0] || math.Abs(r.Over.Max-w[1]) > 1e-9*w[1] {
			t.Errorf("%+v, want %v", r, w)
		}
	}
	if len(rows) != len(want) {
		t.Errorf("%d rows, want %d", len(rows), len(want))
	}
	for i, value := range []float64{math.Pow(2*8*12*3*100*100*1000, 1.0/7), 1000, 1.5} {
		if c := checks[i]; math.Abs(c.Value-value) > 1e-9*value || c.Status != validate.Enforced ||
			c.Failure() == "" {
			t.Errorf("%+v, want %v and a failure", c, value)
		}
	}
}
