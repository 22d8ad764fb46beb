package collision

import (
	"math/bits"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// hashTable holds what is known of some targets, in open addressing with linear probing.
type hashTable[V any] struct {
	slots []slot[V] // a power of two, at least half of them empty
	used  []uint32  // slots that are not empty
	shift uint
}

type slot[V any] struct {
	key   uint32
	seen  uint32 // who writes a slot makes it positive; 0: it is empty
	value V
}

// reset forgets all targets and makes space for so many others.
func (t *hashTable[V]) reset(targets uint64) {
	width := max(1, bits.Len64(2*targets-1))
	if len(t.slots) != 1<<width {
		t.slots = make([]slot[V], 1<<width)
	} else {
		clear(t.slots)
	}
	t.used = t.used[:0]
	t.shift = uint(64 - width)
}

// find returns the slot of a target, or the empty one where it belongs, which is to be written. The
// hash is the high bits of the product with 2^64 over the golden ratio (D. E. Knuth. The Art of
// Computer Programming 3, section 6.4).
func (t *hashTable[V]) find(key uint32) *slot[V] {
	for i := uint64(key) * splitmix.Golden >> t.shift; ; i++ {
		at := i & uint64(len(t.slots)-1)
		s := &t.slots[at]
		if s.seen == 0 {
			s.key = key
			t.used = append(t.used, uint32(at))
			return s
		}
		if s.key == key {
			return s
		}
	}
}

// all hands out the slots that are not empty, in the order in which they were filled.
func (t *hashTable[V]) all(yield func(*slot[V]) bool) {
	for _, i := range t.used {
		if !yield(&t.slots[i]) {
			return
		}
	}
}
