package fit

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
)

// TestReadingIntervals: the range of few repeats is widened by Lord's factors, that of six and
// more stands as it is.
func TestReadingIntervals(t *testing.T) {
	for repeats, want := range map[int]Interval{
		2: {0, 100 + 6.353*20}, 3: {100 - 1.304*20, 100 + 1.304*20},
		5: {100 - 0.507*20, 100 + 0.507*20}, 6: {90, 110}, 50: {90, 110},
	} {
		r := reading{Reading: recordings.Reading{Value: 100, Low: 90, High: 110, Repeats: repeats}}
		if got := r.interval(); math.Abs(got.Low-want.Low) > 1e-9 ||
			math.Abs(got.High-want.High) > 1e-9 {
			t.Errorf("%d repeats: %+v, want %+v", repeats, got, want)
		}
	}
}

// TestEstimateIntervals: what two estimates make together lies between the ends that lie
// furthest apart.
func TestEstimateIntervals(t *testing.T) {
	a := estimate{value: 10, interval: Interval{9, 12}}
	b := estimate{value: 4, interval: Interval{3, 5}}
	for name, c := range map[string]struct {
		got  estimate
		want estimate
	}{
		"less": {a.less(b), estimate{value: 6, interval: Interval{4, 9}}},
		"plus": {a.plus(b), estimate{value: 14, interval: Interval{12, 17}}},
		"by":   {a.by(b), estimate{value: 40, interval: Interval{27, 60}}},
		"per":  {a.per(b), estimate{value: 2.5, interval: Interval{9.0 / 5, 4}}},
	} {
		if c.got.value != c.want.value || c.got.interval != c.want.interval {
			t.Errorf("%s: %v in %+v, want %v in %+v", name, c.got.value, c.got.interval, c.want.value,
				c.want.interval)
		}
	}
}
