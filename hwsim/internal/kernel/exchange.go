package kernel

import "github.com/atomtune/atomtune/hwsim/internal/machine"

// exchangeKeys brings the tile's keys into order in shared memory and writes
// them in stretches of equal digits.
func (s *tileSorter) exchangeKeys(tile operand) {
	for j := range s.keys {
		s.Scoped(func() {
			digit := s.digitOf(s.keys[j])
			first := s.LoadShared(false, s.Add(digit, imm(s.firstAt())))
			inWarps := s.LoadShared(false, s.Add(digit, s.counters))
			s.Inc(s.places[j], s.Add(first, inWarps))
			s.StoreShared(false, s.Add(s.places[j], imm(s.exchangeAt())), s.keys[j])
		})
	}
	s.Barrier()
	for j := range s.keys {
		s.Scoped(func() {
			at := s.Add(s.thread, imm(uint64(j)*SortThreads))
			key := s.LoadShared(false, s.Add(at, imm(s.exchangeAt())))
			offset := s.LoadShared(false, s.Add(s.digitOf(key), imm(s.offsetAt())))
			s.To(s.outs[j], machine.OpAnd, s.Add(offset, at), imm(1<<32-1))
			s.When(s.Less(s.Add(at, tile), s.Arg(argElements)), func() {
				s.Store(bufKeysOut, s.outs[j], key)
			})
		})
	}
}

// exchangeValues takes the values the same way.
func (s *tileSorter) exchangeValues(tile operand) {
	wide := s.call.Type.Bytes() == 8
	base := s.exchangeAt()
	if wide {
		base /= 2
	}
	s.Barrier()
	for j := range s.keys {
		s.Scoped(func() {
			at := s.Add(s.inWarp, imm(uint64(j)*s.lanes))
			s.When(s.Less(at, s.Arg(argElements)), func() {
				s.StoreShared(wide, s.Add(s.places[j], imm(base)), s.Load(bufValuesIn, at))
			})
		})
	}
	s.Barrier()
	for j := range s.keys {
		s.Scoped(func() {
			at := s.Add(s.thread, imm(uint64(j)*SortThreads))
			s.When(s.Less(s.Add(at, tile), s.Arg(argElements)), func() {
				s.Store(bufValuesOut, s.outs[j], s.LoadShared(wide, s.Add(at, imm(base))))
			})
		})
	}
}
