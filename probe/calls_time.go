package probe

import (
	"context"
	"slices"
)

// A call that takes longer than slowCallUS is warmed up once in place of twice.
const slowCallUS = 5000

// timeCalls returns the sorted times of repeated calls in microseconds. The
// calls before are not counted: the last of them tells how many repeats are
// worth their time.
func (c *callSuite) timeCalls(ctx context.Context, g GPU, enqueue func() error) ([]float64, error) {
	us, err := g.Time(enqueue)
	if err == nil && us <= slowCallUS {
		us, err = g.Time(enqueue)
	}
	if err != nil {
		return nil, err
	}
	times := make([]float64, c.repeatsOf(us))
	for i := range times {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if times[i], err = g.Time(enqueue); err != nil {
			return nil, err
		}
	}
	slices.Sort(times)
	return times, nil
}

// repeatsOf is the number of counted calls where one takes so many microseconds.
// Short calls, which vary most and cost least, are repeated most.
func (c *callSuite) repeatsOf(us float64) int {
	full, quick := 3, 3
	switch {
	case us < 200:
		full, quick = 15, 9
	case us < 2000:
		full, quick = 7, 5
	}
	switch {
	case c.repeats > 0:
		return c.repeats
	case c.quick:
		return quick
	}
	return full
}

// middle is the median of sorted numbers, at least one.
func middle(sorted []float64) float64 {
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}
