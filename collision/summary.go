package collision

import "github.com/atomtune/atomtune/collision/internal/kernel"

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
	s := summarizer{page: p, frequent: w.frequent, unchanged: w.frequent.unchanged}
	if p.dense != nil && p.carry == nil {
		s.dense()
	} else {
		p.countLog(&w.sorter)
		p.walk(s.one)
	}
	w.frequent.raise()
	return s.summary
}

type summarizer struct {
	summary
	page       *page
	frequent   *frequent
	unchanged  uint64
	before     uint32 // the last target
	sum4, sum8 uint64 // the updates of its chunks so far
}

// one adds a target with its updates. Targets come in ascending order.
func (s *summarizer) one(key uint32, n uint64) {
	changed := uint64(key ^ s.before)
	s.before = key
	s.sum4 = s.sum4&-kernel.IsZero(changed>>chunkBits4) + n
	s.sum8 = s.sum8&-kernel.IsZero(changed>>chunkBits8) + n
	s.highestChunk4, s.highestChunk8 = max(s.highestChunk4, s.sum4), max(s.highestChunk8, s.sum8)
	s.unique++
	s.enter(key, n)
}

// enter enters a target as one of the most frequent so far where it is.
func (s *summarizer) enter(key uint32, n uint64) {
	if n > s.unchanged {
		s.frequent.add(key, n)
	}
	if n > s.highest || n == s.highest && key < s.hottest {
		s.highest, s.hottest = n, key
	}
}

// dense adds a dense page none of whose counters ran over. No branch depends on which targets occur.
func (s *summarizer) dense() {
	const half = 1 << chunkBits8
	for lo := 0; lo+2*half <= len(s.page.dense); lo += 2 * half {
		chunk := (*[2 * half]uint32)(s.page.dense[lo:])
		low, lowTop, lowFound := sumUp((*[half]uint32)(chunk[:half]))
		high, highTop, highFound := sumUp((*[half]uint32)(chunk[half:]))
		s.unique += lowFound + highFound
		s.highestChunk8 = max(s.highestChunk8, low, high)
		s.highestChunk4 = max(s.highestChunk4, low+high)
		if top := uint64(max(lowTop, highTop)); top > min(s.unchanged, s.highest) {
			for i, n := range chunk {
				s.enter(s.page.base+uint32(lo+i), uint64(n))
			}
		}
	}
}

func sumUp(counts *[1 << chunkBits8]uint32) (sum uint64, highest uint32, found uint64) {
	for _, n := range counts {
		sum += uint64(n)
		highest = max(highest, n)
		found += 1 - kernel.IsZero(uint64(n))
	}
	return sum, highest, found
}
