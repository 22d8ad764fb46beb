package collision

// insertionRun is the length up to which keys are sorted by insertion.
const insertionRun = 8

// sortKeys sorts keys in ascending order; scratch has at least their length and is overwritten.
func sortKeys(keys, scratch []uint32) {
	for lo := 0; lo < len(keys); lo += insertionRun {
		insertionSort(keys[lo:min(lo+insertionRun, len(keys))])
	}
	mergeRuns(keys, scratch, insertionRun)
}

func insertionSort(keys []uint32) {
	for i := 1; i < len(keys); i++ {
		key, j := keys[i], i
		for ; j > 0 && keys[j-1] > key; j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = key
	}
}

// mergeRuns sorts keys that consist of sorted runs of the given length, the
// last one possibly shorter.
func mergeRuns(keys, scratch []uint32, run int) {
	from, to := keys, scratch[:len(keys)]
	for ; run < len(keys); run *= 2 {
		for lo := 0; lo < len(keys); lo += 2 * run {
			mid, hi := min(lo+run, len(keys)), min(lo+2*run, len(keys))
			merge(to[lo:hi], from[lo:mid], from[mid:hi])
		}
		from, to = to, from
	}
	if len(keys) > 0 && &from[0] != &keys[0] {
		copy(keys, from)
	}
}

// merge writes the sorted union of a and b, both sorted, to dst.
func merge(dst, a, b []uint32) {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x, y := a[i], b[j]
		fromB := 0
		if y < x {
			fromB = 1
		}
		dst[i+j] = min(x, y)
		i += 1 - fromB
		j += fromB
	}
	copy(dst[i+j:], a[i:])
	copy(dst[i+j:], b[j:])
}

// highestFrequency returns the length of the longest run of equal keys in
// sorted, and the number of runs.
func highestFrequency(sorted []uint32) (highest, distinct uint64) {
	var count uint64
	for i, key := range sorted {
		if i == 0 || key != sorted[i-1] {
			count = 0
			distinct++
		}
		count++
		highest = max(highest, count)
	}
	return highest, distinct
}

// radix sorts targets by their low bits, digit by digit from the lowest. It keeps its memory.
type radix struct{ scratch []uint32 }

const (
	digitBits = 8
	digits    = 1 << digitBits
	// smallSort is the length up to which a merge sort is faster.
	smallSort = 256
)

// sort sorts keys that agree in all but their low bits, in ascending order.
func (r *radix) sort(keys []uint32, bits uint) {
	if cap(r.scratch) < len(keys) {
		r.scratch = make([]uint32, len(keys))
	}
	scratch := r.scratch[:len(keys)]
	if len(keys) <= smallSort {
		sortKeys(keys, scratch)
		return
	}
	from, to := keys, scratch
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
