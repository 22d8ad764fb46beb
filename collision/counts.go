package collision

import (
	"math"
	"math/bits"
	"slices"

	"github.com/atomtune/atomtune/collision/internal/kernel"
)

const (
	maxPages    = digits
	minPageBits = 8
	smallBits   = 16 // of pages that all together take no more than 64 MiB
	maxPageBits = 32 - digitBits
)

type tally struct {
	bits  uint // logarithm of the number of targets of a page
	pages []page
}

// grow makes a page for every target up to highest, of more targets each where there would be too many.
func (t *tally) grow(highest uint32, workers []*worker) {
	bits := max(minPageBits, t.bits, uint(bits.Len32(highest/maxPages)))
	if bits == t.bits && int(highest>>bits) < len(t.pages) {
		return
	}
	var old []page
	if bits != t.bits {
		old, t.pages, t.bits = t.pages, nil, bits
	}
	for n := len(t.pages); n <= int(highest>>t.bits); n++ {
		t.pages = append(t.pages, page{base: uint32(n) << t.bits, bits: t.bits})
	}
	for i := range old {
		t.pages[old[i].base>>t.bits].absorb(&old[i], &workers[0].sorter)
		old[i] = page{}
	}
}

// maxLogged is the number of logged updates, of all pages together, from which logs are counted.
const maxLogged = 1 << 25

// countLogs counts logs that are no shorter than their lists, once all together have so many updates.
func (t *tally) countLogs(workers []*worker, most int) {
	logged := 0
	for i := range t.pages {
		logged += len(t.pages[i].log)
	}
	if logged < most {
		return
	}
	kernel.Parallel(workers, len(t.pages), func(w *worker, i int) {
		if p := &t.pages[i]; len(p.log) >= len(p.list.keys) {
			p.countLog(&w.sorter)
			p.log = nil
		}
	})
}

func (t *tally) bytes() (bytes uint64) {
	for i := range t.pages {
		p := &t.pages[i]
		bytes += 4 * uint64(cap(p.dense)+cap(p.log)+cap(p.list.keys)+cap(p.list.counts))
	}
	return bytes
}

// Of returns the updates of key. All logs must be counted.
func (t *tally) Of(key uint32) uint64 {
	if int(key>>t.bits) >= len(t.pages) {
		return 0
	}
	return t.pages[key>>t.bits].frequency(key)
}

// Walk calls visit for each target that occurs, in ascending order, with the number of its updates. All
// logs must be counted.
func (t *tally) Walk(visit func(key uint32, n uint64)) {
	for i := range t.pages {
		t.pages[i].walk(visit)
	}
}

// page counts the updates of 2^bits neighbouring targets, the first of which is base. It begins
// as a log of the targets as they come, which is counted into a list when all logs together are
// long, and turns into one counter per target once that is worth it. Counters
// have 32 bits; what runs over goes to a map.
type page struct {
	base  uint32
	bits  uint
	dense []uint32   // counters by target, or nil
	list  targetList // targets counted so far, while dense is nil
	log   []uint32   // targets not counted yet, while dense is nil
	carry map[uint32]uint64
}

func (p *page) count(keys []uint32, s *sorter) {
	if p.dense == nil {
		p.log = append(p.log, keys...)
		p.reshape(s)
		return
	}
	d := p.dense
	mask := len(d) - 1
	for part := range slices.Chunk(keys, together) {
		if kernel.Alike(part, math.MaxUint32) { // each would wait for the counter that the one before has written
			p.addTo(part[0], uint64(len(part)))
			continue
		}
		for _, key := range part {
			i := int(key) & mask
			d[i]++
			if d[i] == 0 {
				p.overflow(key, 1)
			}
		}
	}
}

func (p *page) expect(keys int) {
	if p.dense == nil {
		p.log = slices.Grow(p.log, keys)
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

// reshape brings the page into the implementation that its contents call for. A counter for each target is
// the better implementation where it takes at most twice the memory of the listed targets; or, as long as all
// pages together take no more than 64 MiB, eight times that of what is logged too, because it is
// faster. Of the former, what is logged is counted before that is asked. The log is then at least half
// as long as the list, so that this is rare.
func (p *page) reshape(s *sorter) {
	small := p.bits <= smallBits
	limit := 1 << p.bits / 2
	if small {
		limit /= 4
	}
	if p.dense != nil || len(p.log)+min(2*len(p.list.keys), limit/2) < limit {
		return
	}
	if !small {
		p.countLog(s)
	}
	if small || 2*len(p.list.keys) >= limit {
		p.makeDense()
	}
}

func (p *page) makeDense() {
	list, log := p.list, p.log
	p.list, p.log = targetList{}, nil
	p.dense = make([]uint32, 1<<p.bits)
	for i, key := range list.keys {
		p.dense[key-p.base] = list.counts[i]
	}
	p.count(log, nil)
}

// absorb adds the counts of q, all of whose targets lie in p and above those of p that occur.
func (p *page) absorb(q *page, s *sorter) {
	q.countLog(s)
	q.walk(func(key uint32, n uint64) {
		if p.dense != nil {
			p.addTo(key, n)
			return
		}
		p.overflow(key, n>>32)
		p.list.keys, p.list.counts = append(p.list.keys, key), append(p.list.counts, uint32(n))
	})
	p.reshape(s)
}

func (p *page) addTo(key uint32, n uint64) {
	count := &p.dense[key-p.base]
	n += uint64(*count)
	*count = uint32(n)
	p.overflow(key, n>>32)
}

func (p *page) frequency(key uint32) uint64 {
	if p.dense != nil {
		return p.total(key, p.dense[key-p.base])
	}
	if i, found := slices.BinarySearch(p.list.keys, key); found {
		return p.total(key, p.list.counts[i])
	}
	return 0
}

// walk visits each target that occurs in ascending order. The log must be counted.
func (p *page) walk(visit func(key uint32, n uint64)) {
	for i, c := range p.dense {
		if n := p.total(p.base+uint32(i), c); n > 0 {
			visit(p.base+uint32(i), n)
		}
	}
	for i, key := range p.list.keys {
		visit(key, p.total(key, p.list.counts[i]))
	}
}
