package speedup

import "math/bits"

// The library kernels that sort and reduce segments keep a tile of keys in
// registers, so that an SM holds few of their warps and little hides the latency
// of a key's way through them: each of its words waits once for memory. The
// counts are those that agree with the recorded calls on the H200.
const (
	sortWarps    = 12  // resident per SM, of a pass of the sort
	sortKeys     = 22  // of a thread in a tile of a pass
	segmentWarps = 24  // resident per SM, of a segmented reduction
	segmentKeys  = 15  // of a thread in a tile of a segmented reduction
	furtherWord  = 0.8 // of the wait for a key that one for another word of its value adds
)

// tilesUS is the time of a kernel whose resident warps work off the stream in
// tiles of so many keys per thread, each key in a turn of so many cycles: a tile
// to fill the device, and the rest. Key and value come word by word, one after the
// other; those of the library that was measured partly together, in the first tile wholly.
func (b *Bundle) tilesUS(st *stream, warps, keys, turn float64) float64 {
	words := b.updateBytes * (1.0 / indexBytes)
	together := words
	if b.inOrder > 0 {
		together, words = 1, 1+furtherWord*(words-1)
	}
	fill, rest := min(keys, st.turns), st.turns/(b.sms*min(warps, b.maxWarps))
	return (fill*(turn+together*b.load) + rest*(turn+words*b.load) + 2*b.load + b.barrier) * b.cycle
}

// sortUS is the end of the call: a histogram of all digits, a scan of it, a pass
// for each digit, and the segmented reduction. The library launches a clearing of
// its own before the histogram and before each pass.
func (b *Bundle) sortUS(st *stream, x *phaseBounds) float64 {
	digits := digitsOf(st.Bins)
	number := st.clears + 1
	end := b.after(st.start, number, b.histogramUS(st, digits, &x[0]))
	end = b.after(end, number+1, 0)
	pass := b.passUS(st, &x[1])
	for i := 0.0; i < digits; i++ {
		end = b.after(b.after(end, number+2, 0), number+3, pass)
		number += 2
	}
	for i := range x[1] {
		x[1][i] *= digits
	}
	return b.segmentsUS(st, b.after(end, number+2, 0), number+2, 0, x[2:])
}

// digitsOf is the number of 8-bit digits of an index, at least 1.
func digitsOf(bins uint64) float64 { return float64((bits.Len64(max(bins, 2)-1) + 7) / 8) }

// histogramUS is the time of counting all digits of all keys, which reads the
// keys once. The counts of equal digits meet in shared memory.
func (b *Bundle) histogramUS(st *stream, digits float64, x *bounds) float64 {
	bytes := st.updates * indexBytes
	each := loopInstructions + loadInstructions + digits*digitInstructions
	turn := st.head + digits*digitInstructions*b.alu
	x[boundIssue] = st.turns * each * b.issue
	x[boundMemory] = bytes * b.byteUS(bytes)
	x[boundPort] = st.turns * digits * b.passPort * min(st.active, 2) * b.perSM
	x[boundLatency] = (max(1, st.turns/(b.sms*b.maxWarps))*turn + b.barrier) * b.cycle
	return max(x[boundIssue], x[boundMemory], x[boundPort], x[boundLatency])
}

// passUS is the time of one pass of a radix sort over an 8-bit digit. It reads
// and writes key and value once: 2 · updates · (4 + size) bytes, or 4 where the
// value is a constant. Blocks look back at the counts of those before them.
func (b *Bundle) passUS(st *stream, x *bounds) float64 {
	bytes := 2 * st.updates * b.updateBytes
	turn := 8*b.ballot + rankInstructions*b.alu
	each := rankInstructions + 8*b.ballotCost + 2*loadInstructions*b.loads
	x[boundIssue] = st.turns * each * b.issue
	x[boundMemory] = bytes * b.byteUS(bytes)
	x[boundExchange] = st.turns * 8 * b.ballotPort * b.perSM
	x[boundPort] = st.turns * 4 * b.loads * b.words * b.passPort * b.perSM
	x[boundLatency] = b.tilesUS(st, sortWarps, sortKeys, turn)
	return max(x[boundIssue], x[boundMemory], x[boundExchange], x[boundPort], x[boundLatency])
}

// segReduceUS is the end of the call on a grouped stream.
func (b *Bundle) segReduceUS(st *stream, x *phaseBounds) float64 {
	return b.segmentsUS(st, st.start, st.clears, b.touchedSectors(st), x[:])
}

// segmentsUS is the end of a segmented reduction whose first launch, which only
// prepares, has that number and ends then. The second reads key and value once
// and writes each segment's key and sum; blocks look back at the carries of
// those before them. The third stores the sums at their targets, which writes so many
// parts of sectors: none after a sort, whose sums lie in the order of their targets.
func (b *Bundle) segmentsUS(st *stream, end, number, parts float64, x []bounds) float64 {
	sums := st.unique * (indexBytes + b.size)
	bytes, tree := st.updates*b.updateBytes+sums, b.treeSteps
	each := b.turnInstructions + tree*(segmentSteps+b.exchangeCost) + flushInstructions
	turn := tree * (b.shuffle + 2*b.alu)
	sweep, store := &x[0], &x[1]
	sweep[boundIssue] = st.turns * each * b.issue
	sweep[boundExchange] = st.turns * tree * b.shufflePort * b.perSM
	sweep[boundMemory] = bytes * b.byteUS(bytes)
	carries := st.unique * b.sliceShare * b.storePart
	sweep[boundLatency] = b.tilesUS(st, segmentWarps, segmentKeys, turn) + carries
	bytes = sums + st.unique*b.size
	filled := b.touchedSectors(st) * st.coldShare
	if parts > 0 {
		filled = parts * b.evicted(halves*st.bins*b.size)
	}
	fill := filled * b.fill
	store[boundMemory] = bytes*b.byteUS(bytes) + fill
	store[boundSlice] = parts*b.sliceShare*b.storePart + fill
	store[boundLatency] = (b.load + flushInstructions*b.alu) * b.cycle
	end = b.after(end, number+1,
		max(sweep[boundIssue], sweep[boundExchange], sweep[boundMemory], sweep[boundLatency]))
	return b.after(end, number+2, max(store[boundMemory], store[boundSlice], store[boundLatency]))
}
