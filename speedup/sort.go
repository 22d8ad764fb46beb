package speedup

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
)

// tilesUS is the time of a kernel of the library whose resident warps work off the stream in tiles
// of so many keys per thread, each key in an iteration of so many cycles: a tile to fill the device, and
// the rest. Key and value come word by word, one after the other or partly together.
func (b *Bundle) tilesUS(st *stream, warps, keys device.Quantity, iteration float64) float64 {
	further := (max(b.index, wordBytes)+b.value)*(1.0/wordBytes) - 1 // words
	first := 1 + b.d.Library.FirstWords.Value*further
	later := 1 + b.d.Library.FurtherWords.Value*further
	fill, rest := min(keys.Value, st.iterations), st.iterations/(b.sms*min(warps.Value, b.maxWarps))
	return (fill*(iteration+first*b.load) +
		rest*(iteration+later*b.load) + 2*b.load + b.barrier) * b.cycle
}

// sortUS is the end of the call: a histogram of all digits, a pass for each digit, and the
// segmented reduction. The library launches a clearing of its own before the histogram and before
// each pass.
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
	bytes := st.positions * b.index
	each := loopInstructions + loadInstructions + digits*digitInstructions
	iteration := st.head + digits*digitInstructions*b.alu
	x[boundIssue] = st.iterations * each * b.issue
	x[boundMemory] = bytes * b.byteUS(bytes, b.l2Bytes)
	x[boundPort] = st.iterations * digits * b.passPort * min(st.active, 2) * b.perSM
	x[boundLatency] = (max(1, st.iterations/(b.sms*b.maxWarps))*iteration + b.barrier) * b.cycle
	return max(x[boundIssue], x[boundMemory], x[boundPort], x[boundLatency])
}

// passUS is the time of one pass of a radix sort over an 8-bit digit. It reads and writes key and
// value once, and blocks look back at the counts of those before them.
func (b *Bundle) passUS(st *stream, x *bounds) float64 {
	bytes := 2 * st.positions * b.updateBytes
	iteration := 8*b.ballot + rankInstructions*b.alu
	each := rankInstructions + 8*b.ballotCost + 2*loadInstructions*b.loads
	x[boundIssue] = st.iterations * each * b.issue
	x[boundMemory] = bytes * b.byteUS(bytes, b.l2Bytes)
	x[boundExchange] = st.iterations * 8 * b.ballotPort * b.perSM
	x[boundPort] = st.iterations * 4 * b.loads * b.words * b.passPort * b.perSM
	x[boundLatency] = b.tilesUS(st, b.d.Library.SortWarps, b.d.Library.SortKeys, iteration)
	return max(x[boundIssue], x[boundMemory], x[boundExchange], x[boundPort], x[boundLatency])
}

// segReduceUS is the end of the call on a grouped stream.
func (b *Bundle) segReduceUS(st *stream, x *phaseBounds) float64 {
	return b.segmentsUS(st, st.start, st.clears, b.touchedSectors(st), x[:])
}

// segmentsUS is the end of a segmented reduction whose first launch, which only prepares, has that
// number and ends then. The second reads key and value once and writes each segment's key and sum.
// The third stores the sums at their targets, which writes so many parts of sectors: none after a
// sort, whose sums lie in the order of their targets.
func (b *Bundle) segmentsUS(st *stream, end, number, parts float64, x []bounds) float64 {
	sums := st.unique * (b.index + b.size)
	bytes, tree := st.positions*b.updateBytes+sums, b.treeSteps
	each := b.turnInstructions + tree*(segmentSteps+b.exchangeCost) + flushInstructions
	iteration := tree * (b.shuffle + 2*b.alu)
	sweep, store := &x[0], &x[1]
	sweep[boundIssue] = st.iterations * each * b.issue
	sweep[boundExchange] = st.iterations * tree * b.shufflePort * b.perSM
	sweep[boundMemory] = bytes * b.byteUS(bytes, b.l2Bytes)
	l, carries := &b.d.Library, st.unique*b.sliceShare*b.storePass
	sweep[boundLatency] = b.tilesUS(st, l.SegmentWarps, l.SegmentKeys, iteration) + carries
	bytes = sums + st.unique*b.size
	iteration = b.load + flushInstructions*b.alu
	if b.c.Keeps { // the targets are read and added to
		bytes += st.unique * b.size
		iteration += b.load
	}
	filled := b.touchedSectors(st) * st.coldShare
	if parts > 0 {
		filled = parts * b.evicted(b.d.Memory.L2Copies.Value*st.bins*b.size)
	}
	fill := filled * (b.d.Memory.FillBytes.Value * b.far)
	store[boundMemory] = bytes*b.byteUS(bytes, b.l2Bytes) + fill
	store[boundSlice] = parts*b.sliceShare*b.storePass + fill
	store[boundLatency] = iteration * b.cycle
	end = b.after(end, number+1,
		max(sweep[boundIssue], sweep[boundExchange], sweep[boundMemory], sweep[boundLatency]))
	return b.after(end, number+2, max(store[boundMemory], store[boundSlice], store[boundLatency]))
}
