package sensitivity

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// mostKept is the most updates that an excerpt keeps, but for an incomplete block.
const mostKept = 1 << 20

// Excerpt keeps a stream that comes in chunks, or of one that is longer than 2^20 updates between
// 2^19 and 2^20 of them: whole blocks, drawn at random, in their order, each with the update before
// it. It is not safe for concurrent use.
type Excerpt struct {
	size    int
	waiting []uint32 // the update before a block, and the beginning of the block
	blocks  []block
	before  uint64 // blocks of the stream so far
	shift   uint   // a block is kept whose hash has so many zeros in front
}

// block is the update before a block, in the first of all its own first one, and the block.
type block struct {
	hash uint64
	keys []uint32
}

// NewExcerpt returns the excerpt of an empty stream in blocks of a size of 1 to 65,536.
func NewExcerpt(blockSize int) *Excerpt { return &Excerpt{size: blockSize} }

// Add appends a chunk of any length to the stream.
func (e *Excerpt) Add(indices []uint32) {
	for len(indices) > 0 {
		if len(e.waiting) == 0 {
			e.waiting = append(e.waiting, indices[0])
		}
		n := min(1+e.size-len(e.waiting), len(indices))
		e.waiting, indices = append(e.waiting, indices[:n]...), indices[n:]
		if len(e.waiting) == 1+e.size {
			e.keep()
			e.waiting = append(e.waiting[:0], e.waiting[e.size])
		}
	}
}

// keep takes the waiting block if its hash selects it.
func (e *Excerpt) keep() {
	e.before++
	hash := splitmix.Mix(e.before * splitmix.Golden)
	if !e.draws(hash) {
		return
	}
	e.blocks = append(e.blocks, block{hash, slices.Clone(e.waiting)})
	for len(e.blocks) > mostKept/e.size {
		e.shift++
		e.blocks = slices.DeleteFunc(e.blocks, func(b block) bool { return !e.draws(b.hash) })
	}
}

func (e *Excerpt) draws(hash uint64) bool { return hash>>(64-e.shift) == 0 }

// Whole reports whether the excerpt is the stream.
func (e *Excerpt) Whole() bool { return e.shift == 0 }

// Updates returns how many updates are kept.
func (e *Excerpt) Updates() int { return len(e.blocks)*e.size + e.rest() }

// rest returns the length of the incomplete block at the end of the stream.
func (e *Excerpt) rest() int { return max(0, len(e.waiting)-1) }

// Keys returns the updates that are kept; of an excerpt that is not whole each block stands behind
// the update before it.
func (e *Excerpt) Keys() []uint32 {
	from := 0
	if e.Whole() {
		from = 1
	}
	var list []uint32
	for _, b := range e.blocks {
		list = append(list, b.keys[from:]...)
	}
	return append(list, e.waiting[min(from, len(e.waiting)):]...)
}

// hottest returns the most frequent of the updates that are kept, the lowest of several.
func (e *Excerpt) hottest() (hottest uint32) {
	sorted := e.Keys()
	slices.Sort(sorted)
	run, most := 0, 0
	for i, t := range sorted {
		if run++; i == 0 || t != sorted[i-1] {
			run = 1
		}
		if run > most {
			hottest, most = t, run
		}
	}
	return hottest
}

// analyze returns the statistics of the stream with other targets, which stand where keys has the
// stream's: measured, or estimated from the blocks that are kept.
func (e *Excerpt) analyze(keys []uint32, bins uint64, like *collision.Stats) (collision.Stats, error) {
	how := collision.Options{WarpSize: like.WarpSize, BlockSize: like.BlockSize, Bins: bins}
	if e.Whole() {
		return collision.Analyze(keys, how)
	}
	p, err := collision.NewSampler(how)
	if err != nil {
		return collision.Stats{}, err
	}
	return p.MeasureStream(&dealt{e, keys, map[int]int{}}, bins, len(e.blocks))
}

// dealt is a stream of the length of the whole one, whose blocks are those of its excerpt in the
// order in which they are asked for.
type dealt struct {
	excerpt *Excerpt
	keys    []uint32
	places  map[int]int // of blocks among those that are kept, by their numbers in the stream
}

// Len returns the number of updates of the stream.
func (d *dealt) Len() int { return int(d.excerpt.before)*d.excerpt.size + d.excerpt.rest() }

// Read copies a block, or the one update before it.
func (d *dealt) Read(into []uint32, at int) error {
	size := d.excerpt.size
	switch {
	case at%size == 0:
		copy(into, d.keys[d.place(at/size)*(size+1)+1:])
	case len(into) == 1 && (at+1)%size == 0:
		into[0] = d.keys[d.place((at+1)/size)*(size+1)]
	default:
		return fmt.Errorf("%d updates from %d on: no block of an excerpt", len(into), at)
	}
	return nil
}

// place returns that of a block in the excerpt, the incomplete one behind the others.
func (d *dealt) place(block int) int {
	if block == int(d.excerpt.before) {
		return len(d.excerpt.blocks)
	}
	place, ok := d.places[block]
	if !ok {
		place = len(d.places)
		d.places[block] = place
	}
	return place
}
