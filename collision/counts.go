package collision

import (
	"math/bits"
	"slices"
)

const (
	maxPages    = digits
	minPageBits = 16
)

// tally counts the updates of each target, page by page.
type tally struct {
	bits  uint // logarithm of the number of targets of a page
	pages []page
}

// grow makes sure that there is a page for every target up to highest. It gives pages more targets
// each where there would be too many.
func (t *tally) grow(highest uint32, r *radix) {
	var old []page
	if bits := max(minPageBits, t.bits, uint(bits.Len32(highest/maxPages))); bits != t.bits {
		old, t.pages, t.bits = t.pages, nil, bits
	}
	for n := len(t.pages); n <= int(highest>>t.bits); n++ {
		t.pages = append(t.pages, page{base: uint32(n) << t.bits, bits: t.bits})
	}
	for i := range old {
		t.pages[old[i].base>>t.bits].absorb(&old[i], r)
		old[i] = page{}
	}
}

// frequency returns the updates of key, which has a page. The logs must be counted.
func (t *tally) frequency(key uint32) uint64 { return t.pages[key>>t.bits].frequency(key) }

// logMin is the length up to which a page's log always waits to be counted.
const logMin = 1 << 17

// page counts the updates of 2^bits neighbouring targets, the first of which is base. It begins
// as a log of the targets as they come, which is sorted and counted whenever it has outgrown the
// targets counted before, and turns into one counter per target once that is worth it. Counters
// have 32 bits; what runs over goes to a map.
type page struct {
	base   uint32
	bits   uint
	dense  []uint32 // counters by target, or nil
	keys   []uint32 // targets counted so far, ascending, while dense is nil
	counts []uint32 // their counters
	log    []uint32 // targets not counted yet, while dense is nil
	carry  map[uint32]uint64
}

// count adds one update for each key; all lie in the page.
func (p *page) count(keys []uint32, r *radix) {
	if p.dense == nil {
		if need := len(p.log) + len(keys); need > cap(p.log) {
			p.log = append(make([]uint32, 0, max(need, 2*cap(p.log))), p.log...)
		}
		p.log = append(p.log, keys...)
		p.reshape(r)
		return
	}
	d := p.dense
	mask := len(d) - 1
	for _, key := range keys {
		i := int(key) & mask
		d[i]++
		if d[i] == 0 {
			p.overflow(key, 1)
		}
	}
}

// overflow notes that the counter of key ran over n times.
func (p *page) overflow(key uint32, n uint64) {
	if n > 0 && p.carry == nil {
		p.carry = make(map[uint32]uint64)
	}
	if n > 0 {
		p.carry[key] += n
	}
}

// total returns the updates of key, whose 32-bit counter is count.
func (p *page) total(key, count uint32) uint64 {
	if p.carry == nil {
		return uint64(count)
	}
	return p.carry[key]<<32 + uint64(count)
}

// reshape brings the page into the form that its contents call for. A counter for each target is
// the better form where it takes at most twice the memory of logged updates and counted targets,
// or, as long as all pages together take no more than 64 MiB, eight times, because it is faster.
func (p *page) reshape(r *radix) {
	limit := 1 << p.bits / 2
	if p.bits <= minPageBits {
		limit /= 4
	}
	switch {
	case p.dense != nil:
	case len(p.log)+2*len(p.keys) >= limit:
		p.makeDense()
	case len(p.log) >= max(logMin, len(p.keys)):
		p.countLog(r)
	}
}

// makeDense gives each target a counter.
func (p *page) makeDense() {
	keys, counts, log := p.keys, p.counts, p.log
	p.keys, p.counts, p.log = nil, nil, nil
	p.dense = make([]uint32, 1<<p.bits)
	for i, key := range keys {
		p.dense[key-p.base] = counts[i]
	}
	p.count(log, nil)
}

// countLog empties the log of a page that is not dense.
func (p *page) countLog(r *radix) {
	if len(p.log) == 0 {
		return
	}
	r.sort(p.log, p.bits)
	keys := make([]uint32, 0, len(p.keys)+len(p.log))
	counts := make([]uint32, 0, cap(keys))
	at := 0 // the first key counted so far that is not taken over
	for log := p.log; len(log) > 0 || at < len(p.keys); {
		var key, n uint32
		if len(log) == 0 || at < len(p.keys) && p.keys[at] <= log[0] {
			key, n = p.keys[at], p.counts[at]
			at++
		} else {
			key = log[0]
		}
		sum := uint64(n)
		for ; len(log) > 0 && log[0] == key; log = log[1:] {
			sum++
		}
		keys, counts = append(keys, key), append(counts, uint32(sum))
		p.overflow(key, sum>>32)
	}
	p.keys, p.counts, p.log = keys, counts, p.log[:0]
}

// absorb adds the counts of q, all of whose targets lie in p and above those of p that occur.
func (p *page) absorb(q *page, r *radix) {
	q.countLog(r)
	q.walk(func(key uint32, n uint64) {
		p.overflow(key, n>>32)
		if p.dense != nil {
			p.dense[key-p.base] = uint32(n)
			return
		}
		p.keys, p.counts = append(p.keys, key), append(p.counts, uint32(n))
	})
	p.reshape(r)
}

// frequency returns the updates of key. The log must be counted.
func (p *page) frequency(key uint32) uint64 {
	if p.dense != nil {
		return p.total(key, p.dense[key-p.base])
	}
	if i, found := slices.BinarySearch(p.keys, key); found {
		return p.total(key, p.counts[i])
	}
	return 0
}

// walk calls visit for each target that occurs, in ascending order, with the number of its updates.
// The log must be counted.
func (p *page) walk(visit func(key uint32, n uint64)) {
	for i, c := range p.dense {
		if n := p.total(p.base+uint32(i), c); n > 0 {
			visit(p.base+uint32(i), n)
		}
	}
	for i, key := range p.keys {
		visit(key, p.total(key, p.counts[i]))
	}
}

// chunkBits4 and chunkBits8 are the logarithms of the number of targets in an
// aligned chunk of 256 bytes, for elements of 4 and of 8 bytes.
const (
	chunkBits4 = 6
	chunkBits8 = 5
)

// summary is what the counts of all targets say about a stream.
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

// summarize returns the summary of one page and enters its most frequent targets. Pages that one
// worker summarizes come in ascending order.
func (p *page) summarize(w *worker) (s summary) {
	p.countLog(&w.radix)
	unchanged := w.frequent.unchanged
	var chunk4, chunk8 uint32 // the chunks that are being added up
	var sum4, sum8 uint64
	p.walk(func(key uint32, n uint64) {
		if key>>chunkBits4 != chunk4 {
			chunk4, sum4 = key>>chunkBits4, 0
		}
		if key>>chunkBits8 != chunk8 {
			chunk8, sum8 = key>>chunkBits8, 0
		}
		sum4 += n
		sum8 += n
		s.unique++
		if n > unchanged {
			w.frequent.add(key, n)
		}
		if n > s.highest {
			s.highest, s.hottest = n, key
		}
		s.highestChunk4 = max(s.highestChunk4, sum4)
		s.highestChunk8 = max(s.highestChunk8, sum8)
	})
	w.frequent.raise()
	return s
}
