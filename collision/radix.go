package collision

// radix sorts targets by their low bits, digit by digit from the lowest. Its
// room is kept from one sort to the next.
type radix struct {
	spare []uint32
}

const (
	digitBits = 8
	digits    = 1 << digitBits
	// smallSort is the length up to which a merge sort is faster.
	smallSort = 256
)

// sort sorts keys that agree in all but their low bits, in ascending order.
func (r *radix) sort(keys []uint32, bits uint) {
	if cap(r.spare) < len(keys) {
		r.spare = make([]uint32, len(keys))
	}
	spare := r.spare[:len(keys)]
	if len(keys) <= smallSort {
		sortKeys(keys, spare)
		return
	}
	from, to := keys, spare
	for shift := uint(0); shift < bits; shift += digitBits {
		partition(to, from, shift)
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
}

// partition copies keys to dst ordered by the digit that begins at bit shift,
// equal digits in their old order, and returns where each digit ends.
func partition(dst, keys []uint32, shift uint) (ends [digits]uint32) {
	for _, key := range keys {
		ends[key>>shift%digits]++
	}
	var sum uint32
	for d, n := range ends {
		ends[d] = sum
		sum += n
	}
	for _, key := range keys {
		d := key >> shift % digits
		dst[ends[d]] = key
		ends[d]++
	}
	return ends
}
