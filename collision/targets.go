package collision

import (
	"math"
	"slices"
)

// targetList has the targets of a page in ascending order, each once, with its counter.
type targetList struct{ keys, counts []uint32 }

// sorter sorts targets of a page. It keeps its memory.
type sorter struct{ scratch []uint32 }

// sort returns keys in ascending order, by a radix sort of so many low bits; those above are equal. The memory of keys
// is the sorter's from then on.
func (s *sorter) sort(keys []uint32, bits uint) []uint32 {
	to := slices.Grow(s.scratch[:0], len(keys))[:len(keys)]
	for shift := uint(0); shift < bits; shift += digitBits {
		var ends [digits]uint32
		partition(to, keys, shift, ends[:])
		keys, to = to, keys
	}
	s.scratch = to
	return keys
}

// countLog moves what is logged to the list.
func (p *page) countLog(s *sorter) {
	if len(p.log) == 0 {
		return
	}
	p.log = s.sort(p.log, p.bits)
	old, log := p.list, p.log
	most := len(old.keys) + len(log)
	sum := targetList{make([]uint32, 0, most), make([]uint32, 0, most)}
	for len(old.keys) > 0 || len(log) > 0 {
		key, n := uint32(math.MaxUint32), uint64(0)
		if len(log) > 0 {
			key = log[0]
		}
		if len(old.keys) > 0 && old.keys[0] <= key {
			key, n = old.keys[0], uint64(old.counts[0])
			old = targetList{old.keys[1:], old.counts[1:]}
		}
		for len(log) > 0 && log[0] == key {
			n, log = n+1, log[1:]
		}
		sum.keys, sum.counts = append(sum.keys, key), append(sum.counts, uint32(n))
		p.overflow(key, n>>32)
	}
	if len(sum.keys) < most/2 { // most room was for updates of the same targets
		sum = targetList{slices.Clone(sum.keys), slices.Clone(sum.counts)}
	}
	p.list, p.log = sum, p.log[:0]
}
