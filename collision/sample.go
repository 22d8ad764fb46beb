package collision

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// sample keeps the Options.Sample complete blocks of a stream with the lowest
// priority. The priority of a block is a pseudorandom number drawn from seed
// and block number, so each set of so many blocks is equally likely to be
// kept, however the stream is cut. The incomplete block at the end of the
// stream is always kept.
type sample struct {
	opt  Options
	kept byPriority
	next uint64    // number of the incomplete block
	tail keptBlock // the incomplete block
	err  error     // the first error; nothing is added after it
}

// keptBlock is a block of a sample.
type keptBlock struct {
	number, priority uint64
	keys             []uint32
	before           uint32 // the target before the block
	first            bool   // nothing is known to stand before the block
}

// byPriority is a heap whose first block is the one to drop next.
type byPriority []keptBlock

func (h byPriority) Len() int           { return len(h) }
func (h byPriority) Less(i, j int) bool { return h[i].after(&h[j]) }
func (h byPriority) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *byPriority) Push(x any)        { *h = append(*h, x.(keptBlock)) }
func (h *byPriority) Pop() any {
	last := len(*h) - 1
	b := (*h)[last]
	*h = (*h)[:last]
	return b
}

// after tells whether c is to be kept rather than b.
func (b *keptBlock) after(c *keptBlock) bool {
	return b.priority > c.priority || b.priority == c.priority && b.number > c.number
}

func (b *keptBlock) compare(c *keptBlock) int {
	return cmp.Or(cmp.Compare(b.priority, c.priority), cmp.Compare(b.number, c.number))
}

func newSample(opt Options) *sample {
	return &sample{opt: opt, tail: keptBlock{first: true}}
}

// priority returns a pseudorandom number for a block: the first of the generator that is
// seeded with the first of the seed's, plus the block's number.
func priority(seed, block uint64) uint64 {
	return splitmix.New(splitmix.New(seed).Uint64() + block).Uint64()
}

// wants tells whether a block belongs to the sample so far.
func (s *sample) wants(b *keptBlock) bool {
	return len(s.kept) < s.opt.Sample || s.kept[0].after(b)
}

// keep adds a block, whose keys it takes over, if the sample wants it.
func (s *sample) keep(b keptBlock) {
	if !s.wants(&b) {
		return
	}
	heap.Push(&s.kept, b)
	if len(s.kept) > s.opt.Sample {
		heap.Pop(&s.kept)
	}
}

// takeBlocks appends complete blocks to the stream and keeps copies of those
// that the sample wants.
func (s *sample) takeBlocks(keys []uint32) {
	block, from := s.opt.BlockSize, s.next
	var free [][]uint32 // memory of blocks that were dropped
	seed := splitmix.New(s.opt.Seed).Uint64()
	s.kept = slices.Grow(s.kept, min(s.opt.Sample-len(s.kept), len(keys)/block))
	for ; len(keys) > 0; keys = keys[block:] {
		b := keptBlock{number: s.next, priority: splitmix.New(seed + s.next).Uint64(),
			keys: keys[:block]}
		s.next++
		switch {
		case len(s.kept) < s.opt.Sample:
			s.kept = append(s.kept, b)
			heap.Fix(&s.kept, len(s.kept)-1)
		case s.wants(&b):
			if old := &s.kept[0]; old.number < from {
				free = append(free, old.keys)
			}
			s.kept[0] = b
			heap.Fix(&s.kept, 0)
		}
	}
	s.copyFrom(from, free)
}

// copyFrom gives the kept blocks from the given number on, whose keys are the
// caller's, memory of their own. Most blocks of a long stretch have been dropped by then.
func (s *sample) copyFrom(from uint64, free [][]uint32) {
	block, missing := s.opt.BlockSize, -len(free)
	for i := range s.kept {
		if s.kept[i].number >= from {
			missing++
		}
	}
	memory := make([]uint32, max(missing, 0)*block)
	for i := range s.kept {
		b := &s.kept[i]
		if b.number < from {
			continue
		}
		var own []uint32
		if last := len(free) - 1; last >= 0 {
			own, free = free[last], free[:last]
		} else {
			own, memory = memory[:block:block], memory[block:]
		}
		copy(own, b.keys)
		b.keys = own
	}
}

// add appends updates to the stream, of which it has seen some already.
func (s *sample) add(keys []uint32, seen uint64) error {
	for len(keys) > 0 && s.err == nil {
		n := min(s.opt.BlockSize-len(s.tail.keys), len(keys))
		part := keys[:n]
		keys = keys[n:]
		whole := n == s.opt.BlockSize
		s.tail.number, s.tail.priority = s.next, priority(s.opt.Seed, s.next)
		if !whole || s.wants(&s.tail) {
			s.err = s.opt.check(part, seen)
			s.tail.keys = append(s.tail.keys, part...)
		}
		seen += uint64(n)
		if whole || len(s.tail.keys) == s.opt.BlockSize {
			s.endBlock(part[n-1])
		}
	}
	return s.err
}

// endBlock begins a new block after the given target.
func (s *sample) endBlock(last uint32) {
	if len(s.tail.keys) > 0 {
		s.keep(s.tail)
	}
	s.next++
	s.tail = keptBlock{before: last}
}

// blocks returns the kept blocks in the order of their priority, which is a
// random order.
func (s *sample) blocks() []keptBlock {
	b := slices.Clone(s.kept)
	slices.SortFunc(b, func(x, y keptBlock) int { return x.compare(&y) })
	return b
}

// stats estimates the statistics of the stream of so many updates.
func (s *sample) stats(updates uint64) (Stats, error) {
	if s.err != nil {
		return Stats{}, s.err
	}
	p := newEstimator(s.opt)
	for _, b := range s.blocks() {
		p.keys = append(p.keys, b.keys...)
		p.note(&b)
	}
	p.last = s.tail.keys
	p.note(&s.tail)
	return p.stats(updates), nil
}
