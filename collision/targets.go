package collision

import (
	"math"
	"slices"
	"sort"

	"github.com/atomtune/atomtune/collision/internal/kernel"
)

const (
	groupBits    = 13 // the logarithm of how many neighbouring targets a group has
	groupTargets = 1 << groupBits
	groupChunks  = groupTargets >> chunkBits8
)

// targetList has some targets of a page, each once, with its counter. Groups of neighbouring targets
// are in ascending order, the targets of one in any.
type targetList struct{ keys, counts []uint32 }

// grouper is what a worker needs to bring targets into groups. It keeps its memory.
type grouper struct {
	scratch []uint32
	ends    [1 << (maxPageBits - groupBits)]uint32 // of the groups of a page
	// Of the present group, and 0 but then: the updates of targets, or their places in a list, counted
	// from 1; and the updates of chunks.
	counts [groupTargets]uint32
	sums   [groupChunks]uint64
}

// order brings keys of a page into the order of their groups, in other memory, and returns where each ends.
func (g *grouper) order(keys []uint32, bits uint) (ordered, ends []uint32) {
	if cap(g.scratch) < len(keys) {
		g.scratch = make([]uint32, len(keys), cap(keys))
	}
	ordered, ends = g.scratch[:len(keys)], g.ends[:1<<(bits-groupBits)]
	clear(ends)
	partition(ordered, keys, groupBits, ends)
	g.scratch = keys
	return ordered, ends
}

// add returns the list with the updates of a log, which is in the order of groups, each of which
// ends somewhere. What runs over a counter is left to overflow. No branch depends on which targets
// are equal.
func (g *grouper) add(t targetList, log, ends []uint32, overflow func(key uint32)) targetList {
	sum := targetList{make([]uint32, len(t.keys)+len(log)), make([]uint32, len(t.keys)+len(log))}
	keys, counts := sum.keys, sum.counts[:len(sum.keys)]
	n, begin := 0, uint32(0)
	for _, end := range ends {
		found := log[begin:end]
		begin = end
		first := n
		for len(t.keys) > 0 && len(found) > 0 && t.keys[0]>>groupBits <= found[0]>>groupBits {
			if t.keys[0]>>groupBits == found[0]>>groupBits {
				g.counts[t.keys[0]%groupTargets] = uint32(n + 1)
			} else {
				first = n + 1
			}
			keys[n], counts[n] = t.keys[0], t.counts[0]
			n, t.keys, t.counts = n+1, t.keys[1:], t.counts[1:]
		}
		found, times := repeated(found)
		for _, key := range found {
			place := &g.counts[key%groupTargets]
			isNew := kernel.IsZero(uint64(*place))
			at := *place + uint32(isNew)*uint32(n+1)
			*place = at
			n += int(isNew)
			keys[at-1] = key
			counts[at-1] += times
			if counts[at-1] < times {
				overflow(key)
			}
		}
		for _, key := range keys[first:n] {
			g.counts[key%groupTargets] = 0
		}
	}
	copy(keys[n:], t.keys)
	n += copy(counts[n:], t.counts)
	sum = targetList{keys[:n], counts[:n]}
	if n < cap(keys)/2 { // most room was for updates of the same targets
		sum = targetList{slices.Clone(sum.keys), slices.Clone(sum.counts)}
	}
	return sum
}

// repeated returns what of a group is to be counted, and how many times: one target alone once for all.
func repeated(group []uint32) (keys []uint32, times uint32) {
	if len(group) > together && kernel.Alike(group, math.MaxUint32) {
		return group[:1], uint32(len(group))
	}
	return group, 1
}

// groupOf returns the stretch of the group of a target in keys in the order of their groups.
func groupOf(target uint32, keys []uint32) (begin, end int) {
	group := target >> groupBits
	begin = sort.Search(len(keys), func(i int) bool { return keys[i]>>groupBits >= group })
	for end = begin; end < len(keys) && keys[end]>>groupBits == group; {
		end++
	}
	return begin, end
}
