package collision

// chunkBits4 and chunkBits8 are the logarithms of the number of targets in an
// aligned chunk of 256 bytes, for elements of 4 and of 8 bytes.
const (
	chunkBits4 = 6
	chunkBits8 = 5
)

// summary is what the counts of all targets say about a stream.
type summary struct {
	bins, unique, highest, highestChunk4, highestChunk8 uint64
}

// join adds the summary of other targets, none of which shares a chunk.
func (s *summary) join(t summary) {
	s.unique += t.unique
	s.highest = max(s.highest, t.highest)
	s.highestChunk4 = max(s.highestChunk4, t.highestChunk4)
	s.highestChunk8 = max(s.highestChunk8, t.highestChunk8)
}

// summarize returns the summary of one page without bins.
func (p *page) summarize(r *radix) summary {
	if p.dense != nil && p.carry == nil {
		return summarizeDense(p.dense)
	}
	r.sort(p.log, p.bits)
	var w summaryWalk
	p.walk(w.visit)
	return w.summary
}

// summarizeDense summarizes plain counters, a whole number of chunks.
func summarizeDense(counts []uint32) summary {
	const chunk8, chunk4 = 1 << chunkBits8, 1 << chunkBits4
	var s summary
	for ; len(counts) >= chunk4; counts = counts[chunk4:] {
		a, b := (*[chunk8]uint32)(counts), (*[chunk8]uint32)(counts[chunk8:])
		low, high := s.half(a), s.half(b)
		s.highestChunk8 = max(s.highestChunk8, low, high)
		s.highestChunk4 = max(s.highestChunk4, low+high)
	}
	return s
}

// half adds the targets of a chunk of 8-byte elements and returns its updates.
func (s *summary) half(counts *[1 << chunkBits8]uint32) uint64 {
	var sum, unique uint64
	highest := uint32(0)
	for _, c := range counts {
		sum += uint64(c)
		unique += (uint64(c) + 1<<32 - 1) >> 32
		highest = max(highest, c)
	}
	s.unique += unique
	s.highest = max(s.highest, uint64(highest))
	return sum
}

// summaryWalk builds a summary from targets in ascending order.
type summaryWalk struct {
	summary
	chunk4, chunk8 uint32 // the chunks that are being added up
	sum4, sum8     uint64
}

func (w *summaryWalk) visit(key uint32, n uint64) {
	if key>>chunkBits4 != w.chunk4 {
		w.chunk4, w.sum4 = key>>chunkBits4, 0
	}
	if key>>chunkBits8 != w.chunk8 {
		w.chunk8, w.sum8 = key>>chunkBits8, 0
	}
	w.sum4 += n
	w.sum8 += n
	w.unique++
	w.highest = max(w.highest, n)
	w.highestChunk4 = max(w.highestChunk4, w.sum4)
	w.highestChunk8 = max(w.highestChunk8, w.sum8)
}
