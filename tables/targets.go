package tables

import "math"

// The rows have 1 to 2^mostTargets targets, powers of 2^rowStep. Break-even
// points are sought among all numbers up to each, and from there on among the
// powers of 2^(1/fine), so that neighbours differ by less than 5 % or by one.
const (
	mostTargets = 24
	rowStep     = 2
	each        = 128
	fine        = 16
)

// fineTargets lists the numbers of targets among which break-even points are
// sought, in ascending order.
func fineTargets() []uint32 {
	var list []uint32
	for k := range uint32(each) {
		list = append(list, k+1)
	}
	for i := range mostTargets*fine + 1 {
		if k := uint32(math.Round(math.Exp2(float64(i) / fine))); k > each {
			list = append(list, k)
		}
	}
	return list
}

// Targets lists the numbers of targets of a table's rows, in ascending order.
func Targets() []uint64 {
	var list []uint64
	for e := 0; e <= mostTargets; e += rowStep {
		list = append(list, 1<<e)
	}
	return list
}
