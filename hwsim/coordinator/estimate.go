package coordinator

import "fmt"

// The turns that all workgroups take once, of a stream, that Estimate simulates.
const (
	wholeTurns = 6 // up to so many, every one
	longTurns  = 4 // of more, those of the longer sample
	shortTurns = 2
)

// Estimate returns the time of the call in microseconds: of a short stream that
// of Run, and of a longer one, of n updates, what two samples of m and m/2 of them
// say, whole turns of all workgroups at equal distances,
//
//	t(n) = t(m) + (n - m)*(t(m) - t(m/2))/(m/2)
//
// Streams of any length can be estimated. Errors are those of Run, and ErrHistory
// for a simulation whose result is wrong.
func (c Call) Estimate(indices []uint32, variables uint64) (us float64, err error) {
	if err := c.check(indices[:min(len(indices), MaxUpdates)], variables); err != nil {
		return 0, err
	}
	turn := (Resident(c.Device, 1) - 1) * c.lanes()
	if len(indices) <= wholeTurns*turn {
		return c.time(indices, variables)
	}
	long, err := c.time(sample(indices, turn, longTurns), variables)
	if err != nil {
		return 0, err
	}
	short, err := c.time(sample(indices, turn, shortTurns), variables)
	if err != nil {
		return 0, err
	}
	slope := max(0, long-short) / float64((longTurns-shortTurns)*turn)
	return long + slope*float64(len(indices)-longTurns*turn), nil
}

func (c Call) time(indices []uint32, variables uint64) (float64, error) {
	r, err := c.Run(indices, variables)
	if err == nil && !r.Correct {
		err = fmt.Errorf("%w: wrong sums or old values", ErrHistory)
	}
	return r.US, err
}

// sample returns some turns of a stream, at equal distances.
func sample(indices []uint32, turn, turns int) []uint32 {
	all := len(indices) / turn
	part := make([]uint32, 0, turns*turn)
	for i := range turns {
		first := i * all / turns * turn
		part = append(part, indices[first:first+turn]...)
	}
	return part
}
