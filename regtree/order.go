package regtree

import "math"

// A keyed row is one to sort: by its value, as a number whose order is the value's.
type keyedRow struct {
	key uint64
	row int32
}

const (
	digitBits = 8
	digits    = 64 / digitBits // of a key
)

// ascending returns the indices of column in ascending order of value, equal values in order of
// index. It sorts by one digit of the keys after the other, from the lowest: without comparisons,
// which no processor would predict.
func ascending(column []float64) []int32 {
	from, to := make([]keyedRow, len(column)), make([]keyedRow, len(column))
	var counts [digits][1 << digitBits]int32
	for i, v := range column {
		key := sortKey(v)
		from[i] = keyedRow{key, int32(i)}
		for d := range counts {
			counts[d][uint8(key>>(d*digitBits))]++
		}
	}
	for d := range counts {
		if len(column) > 0 && counts[d][uint8(from[0].key>>(d*digitBits))] == int32(len(column)) {
			continue // all are alike in it
		}
		places, before := &counts[d], int32(0)
		for i, n := range places {
			places[i] = before
			before += n
		}
		for _, k := range from {
			digit := uint8(k.key >> (d * digitBits))
			to[places[digit]] = k
			places[digit]++
		}
		from, to = to, from
	}
	order := make([]int32, len(column))
	for i, k := range from {
		order[i] = k.row
	}
	return order
}

// sortKey returns a number that is as great beside other keys as v beside other finite values. Zero
// has one key for both signs.
func sortKey(v float64) uint64 {
	const sign = 1 << 63
	bits := math.Float64bits(v)
	switch {
	case v == 0:
		return sign
	case bits < sign:
		return bits | sign
	}
	return ^bits
}
