package equations

import (
	"math"
	"slices"
)

// Crossover returns the number of workgroups from which on a kernel with that
// work is as fast with the coordinator as with the device's own atomic
// operation. It is 1 where a single workgroup is enough and infinite where no
// number is.
//
// Both times are linear in the number of workgroups between the points where
// one of the maxima in them changes sides, so the number is solved for on each
// stretch.
func (p Pipelined) Crossover(lanes, sides float64, w KernelWork) float64 {
	gain := func(n float64) float64 {
		c := Concurrency{Lanes: lanes, Workgroups: n}
		return p.SystemKernelCycles(c, w) - p.SoftwareKernelCycles(c, sides, w)
	}
	bends := append([]float64{1}, p.bends()...)
	for i, low := range bends {
		at := gain(low)
		if at >= 0 {
			return low
		}
		high, last := low+1, i+1 == len(bends)
		if !last {
			high = bends[i+1]
		}
		slope := (gain(high) - at) / (high - low)
		if root := low - at/slope; slope > 0 && (last || root <= high) {
			return root
		}
	}
	return math.Inf(1)
}

// bends are the numbers of workgroups above 1 at which Software bends, in
// ascending order: where compute units get a second wavefront, and where a scan
// becomes longer than an answer.
func (p Pipelined) bends() []float64 {
	slope := p.idleCycles(1) - p.idleCycles(0)
	list := []float64{p.Units, (p.answerCycles() - p.idleCycles(0)) / slope}
	list = slices.DeleteFunc(list, func(n float64) bool { return !(n > 1) || math.IsInf(n, 1) })
	slices.Sort(list)
	return slices.Compact(list)
}
