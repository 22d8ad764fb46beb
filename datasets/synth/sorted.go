package synth

// sorted makes a grouped stream: equal targets stand next to each other.
func sorted(dst []uint32, s Spec, r *Rand) {
	uniform(dst, s, r)
	radixSort(dst)
}

// radixSort sorts in linear time, three passes of 11 bits.
func radixSort(a []uint32) {
	const width = 11
	from, to := a, make([]uint32, len(a))
	for shift := 0; shift < 32; shift += width {
		var start [1 << width]int
		for _, v := range from {
			start[v>>shift&(1<<width-1)]++
		}
		sum := 0
		for d, n := range start {
			start[d] = sum
			sum += n
		}
		for _, v := range from {
			d := v >> shift & (1<<width - 1)
			to[start[d]] = v
			start[d]++
		}
		from, to = to, from
	}
	copy(a, from)
}
