package tuner

import (
	"cmp"
	"math"
	"slices"
)

// nextPlace returns the place of a line's next point: its ends first, then the
// middle of the interval between neighbours that tells most. An interval counts
// by its width and by what the choice at one end would cost at the other:
//
//	width · (ln loss + 1/64)
//
// the larger of the two losses, at most mostLoss, which also counts where a
// choice was left out at the other end. So points gather where the choice
// flips, and where it flips nowhere they spread evenly.
func nextPlace(rows []Row) float64 {
	switch len(rows) {
	case 0:
		return 0
	case 1:
		return 1
	}
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b Row) int { return cmp.Compare(a.At, b.At) })
	best, place := math.Inf(-1), 0.0
	for i := range sorted[1:] {
		a, b := &sorted[i], &sorted[i+1]
		width := b.At - a.At
		if score := float64(width * (math.Log(max(a.lossOf(b), b.lossOf(a))) + 1.0/64)); score > best {
			best, place = score, a.At+width/2
		}
	}
	return place
}

// mostLoss bounds what one flip counts.
const mostLoss = 2

// lossOf is the loss at r of the fastest implementation of o.
func (r *Row) lossOf(o *Row) float64 {
	name, _ := o.fastest()
	_, least := r.fastest()
	us, ok := r.US[name]
	if !ok {
		return mostLoss
	}
	return min(us/least, mostLoss)
}

// fastest returns the implementation with the least time, of equal ones the first
// by name.
func (r *Row) fastest() (name string, us float64) {
	us = math.Inf(1)
	for n, t := range r.US {
		if t < us || t == us && n < name {
			name, us = n, t
		}
	}
	return name, us
}
