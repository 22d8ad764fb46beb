package collision

// chunkBits4 and chunkBits8 are the logarithms of the number of targets in an
// aligned chunk of 256 bytes, for elements of 4 and of 8 bytes.
const (
	chunkBits4 = 6
	chunkBits8 = 5
)

type summary struct {
	unique, highest, highestChunk4, highestChunk8 uint64

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

// summarize summarizes a page and enters its most frequent targets. A worker's pages come in ascending order.
func (p *page) summarize(w *worker) summary {
	s := summarizer{frequent: w.frequent, unchanged: w.frequent.unchanged}
	p.countLog(&w.sorter)
	p.walk(s.one)
	w.frequent.raise()
	return s.summary
}

type summarizer struct {
	summary
	frequent   *frequent
	unchanged  uint64
	before     uint32 // the last target
	sum4, sum8 uint64 // the updates of its chunks so far
}

// one adds a target with its updates, as one of the most frequent so far where it is. Targets come in ascending order.
func (s *summarizer) one(key uint32, n uint64) {
	changed := key ^ s.before
	s.before = key
	if changed>>chunkBits4 != 0 {
		s.sum4 = 0
	}
	if changed>>chunkBits8 != 0 {
		s.sum8 = 0
	}
	s.sum4, s.sum8 = s.sum4+n, s.sum8+n
	s.highestChunk4, s.highestChunk8 = max(s.highestChunk4, s.sum4), max(s.highestChunk8, s.sum8)
	s.unique++
	if n > s.unchanged {
		s.frequent.add(key, n)
	}
	if n > s.highest || n == s.highest && key < s.hottest {
		s.highest, s.hottest = n, key
	}
}
