package kernel

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// splitter assembles the kernel of `partition` that writes updates to their ranges. Shared memory
// holds the tile's values, if any, then in words its targets, the first place of each range in the
// tile and one more, the distance of its place in memory, and the sums of the scan.
type splitter struct {
	*parter
	v      impl.Spec
	loaded bool
	wide   bool
	size   uint64 // updates of a tile
	items  []item
}

type item struct{ inside, target, value, rank operand }

func (s *splitter) targetAt() uint64 {
	switch {
	case !s.loaded:
		return 0
	case s.wide:
		return 2 * s.size
	}
	return s.size
}

func (s *splitter) firstAt() uint64 { return s.targetAt() + s.size }

func (s *splitter) baseAt() operand {
	return s.Add(s.Arg(argRanges), imm(s.firstAt()+1))
}

// splitKernel assembles it: the tiles of the stream go to the blocks in turns.
func splitKernel(v impl.Spec, call device.Call, lanes int,
	shapes device.PartShapes) *machine.Program {
	s := &splitter{parter: newParter("partition.split", lanes), v: v,
		loaded: call.Operand == device.Loaded, wide: call.Type.Bytes() == 8,
		size: uint64(shapes.Split.Threads * shapes.Items), items: make([]item, shapes.Items)}
	at := s.Uniform(s.Mul(machine.BlockID, imm(s.size)))
	s.For(at, s.Arg(argStream), s.Mul(machine.GridBlocks, imm(s.size)), func() {
		s.loadTile(at, shapes.Split.Threads)
		s.Barrier()
		s.rankItems()
		s.Barrier()
		all := s.placeRanges(shapes.Split.Threads)
		s.sortItems()
		s.Barrier()
		s.writeTile(all)
		s.Barrier()
	})
	return s.Done()
}

func (s *splitter) loadTile(at operand, threads int) {
	s.Each(s.thread, s.Arg(argRanges), s.threads, func(r operand) {
		s.StoreShared(false, s.Add(r, imm(s.firstAt())), imm(0))
	})
	for i := range s.items {
		it := &s.items[i]
		own := s.Add(s.thread, s.Add(at, imm(uint64(i*threads))))
		it.inside = s.Less(own, s.Arg(argStream))
		s.Keep(it.inside, func() {
			it.target = s.Load(BufIndex, own)
			if s.loaded {
				it.value = s.Load(BufValue, own)
			}
		})
	}
}

func (s *splitter) rankItems() {
	one := s.Spread(imm(1))
	for i := range s.items {
		it := &s.items[i]
		s.Keep(it.inside, func() {
			counter := s.Add(rangeOf(s.Builder, s.v, it.target), imm(s.firstAt()))
			it.rank = s.FetchShared(counter, one)
		})
	}
}

// placeRanges turns counts into places in the tile, whose number it returns, and reserves places in
// memory.
func (s *splitter) placeRanges(threads int) operand {
	ranges, first := s.Arg(argRanges), imm(s.firstAt())
	sum := s.Spread(imm(0))
	s.ownRanges(threads, func(r operand) { s.Inc(sum, s.LoadShared(false, s.Add(r, first))) })
	at, all := s.scan(sum)
	s.ownRanges(threads, func(r operand) {
		word := s.Add(r, first)
		count := s.LoadShared(false, word)
		s.StoreShared(false, word, at)
		s.Inc(at, count)
	})
	s.When(s.Equal(s.thread, imm(0)), func() {
		s.StoreShared(false, s.Spread(s.Add(ranges, first)), all)
	})
	s.Barrier()
	s.Each(s.thread, ranges, s.threads, func(r operand) {
		word := s.Add(r, first)
		begin := s.LoadShared(false, word)
		count := s.Sub(s.LoadShared(false, s.Add(word, imm(1))), begin)
		s.When(s.Differ(count, imm(0)), func() {
			place := s.Sub(s.FetchCounter(bufRangeNext, r, count), begin)
			s.StoreShared(false, s.Add(r, s.baseAt()), place)
		})
	})
	return all
}

func (s *splitter) sortItems() {
	for _, it := range s.items {
		s.When(it.inside, func() {
			first := s.LoadShared(false, s.Add(rangeOf(s.Builder, s.v, it.target), imm(s.firstAt())))
			place := s.Add(first, it.rank)
			s.StoreShared(false, s.Add(place, imm(s.targetAt())), it.target)
			if s.loaded {
				s.StoreShared(s.wide, place, it.value)
			}
		})
	}
}

func (s *splitter) writeTile(all operand) {
	s.Each(s.thread, all, s.threads, func(place operand) {
		target := s.LoadShared(false, s.Add(place, imm(s.targetAt())))
		base := s.LoadShared(false, s.Add(rangeOf(s.Builder, s.v, target), s.baseAt()))
		at := s.And(s.Add(base, place), imm(1<<32-1))
		s.Store(bufPlace, at, s.And(target, imm(uint64(s.v.Width-1))))
		if s.loaded {
			s.Store(bufParted, at, s.LoadShared(s.wide, place))
		}
	})
}

func (s *splitter) scan(sum operand) (below, all operand) {
	return s.exclusiveSum(sum, s.Add(s.baseAt(), s.Arg(argRanges)))
}
