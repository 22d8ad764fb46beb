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

	hottest uint32 // the lowest target of those with the highest frequency
}

// join adds the summary of other targets, none of which shares a chunk.
func (s *summary) join(t summary) {
	s.unique += t.unique
	if t.highest > s.highest || t.highest == s.highest && t.hottest < s.hottest {
		s.highest, s.hottest = t.highest, t.hottest
	}
	s.highestChunk4 = max(s.highestChunk4, t.highestChunk4)
	s.highestChunk8 = max(s.highestChunk8, t.highestChunk8)
}

// summarize returns the summary of one page without bins.
func (p *page) summarize(r *radix) summary {
	r.sort(p.log, p.bits)
	var w summaryWalk
	p.walk(w.visit)
	return w.summary
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
	if n > w.highest {
		w.highest, w.hottest = n, key
	}
	w.highestChunk4 = max(w.highestChunk4, w.sum4)
	w.highestChunk8 = max(w.highestChunk8, w.sum8)
}
