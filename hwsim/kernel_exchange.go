package hwsim

// exchangeKeys brings the tile's keys into order in shared memory and writes
// them in stretches of equal digits.
func (s *tileSorter) exchangeKeys(tile operand) {
	for j := range s.keys {
		s.scoped(func() {
			digit := s.digitOf(s.keys[j])
			first := s.loadShared(false, s.add(digit, imm(s.firstAt())))
			inWarps := s.loadShared(false, s.add(digit, s.counters))
			s.inc(s.places[j], s.add(first, inWarps))
			s.storeShared(false, s.add(s.places[j], imm(s.exchangeAt())), s.keys[j])
		})
	}
	s.barrier()
	for j := range s.keys {
		s.scoped(func() {
			at := s.add(s.thread, imm(uint64(j)*sortThreads))
			key := s.loadShared(false, s.add(at, imm(s.exchangeAt())))
			offset := s.loadShared(false, s.add(s.digitOf(key), imm(s.offsetAt())))
			s.to(s.outs[j], opAnd, s.add(offset, at), imm(1<<32-1))
			s.when(s.less(s.add(at, tile), s.arg(argElements)), func() {
				s.store(bufKeysOut, s.outs[j], key)
			}, nil)
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
	s.barrier()
	for j := range s.keys {
		s.scoped(func() {
			at := s.add(s.inWarp, imm(uint64(j)*s.lanes))
			s.when(s.less(at, s.arg(argElements)), func() {
				s.storeShared(wide, s.add(s.places[j], imm(base)), s.load(bufValuesIn, at))
			}, nil)
		})
	}
	s.barrier()
	for j := range s.keys {
		s.scoped(func() {
			at := s.add(s.thread, imm(uint64(j)*sortThreads))
			s.when(s.less(s.add(at, tile), s.arg(argElements)), func() {
				s.store(bufValuesOut, s.outs[j], s.loadShared(wide, s.add(at, imm(base))))
			}, nil)
		})
	}
}
