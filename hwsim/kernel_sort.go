package hwsim

import "github.com/atomtune/atomtune/device"

// Radix sort by digits of 8 bits, the least significant first. A block of 256
// threads sorts a tile of 4,096 elements, or of half as many where shared memory
// is small; the digit counts of the tiles before
// it come from a chain of published sums that a tile looks back along, so each
// pass reads and writes every element once.
const (
	digitBits   = 8
	digits      = 1 << digitBits
	sortThreads = 256
)

// The buffers of a sort. Keys and values go back and forth between the two
// sides; the host swaps them between passes.
const (
	bufKeysIn = bufScratch + iota
	bufKeysOut
	bufValuesIn
	bufValuesOut
	bufDigits // counts, then start positions, of every pass
	bufChain  // per tile and digit: sum<<2 | state, of this pass
)

// The states of an entry of the chain.
const (
	chainOwn = 1 // the tile's own count
	chainAll = 2 // the count of all tiles up to this one
)

// keysAtOnce is how many keys a thread loads before it counts them, so that their
// latencies overlap.
const keysAtOnce = 4

// countKernel counts the digits of all passes. Arguments: elements, passes.
func countKernel(lanes int) *program {
	b := newBuilder("sort.count", 2)
	thread := b.tid()
	threads := b.mul(scalarReg(scalarWarps), imm(uint64(lanes)))
	total := b.mul(b.arg(1), imm(digits))
	each := func(body func(k operand)) {
		b.scoped(func() {
			k := b.vec()
			b.mov(k, thread)
			b.loop(func() {
				b.leaveUnless(b.less(k, total))
				body(k)
				b.inc(k, threads)
			})
		})
	}
	each(func(k operand) { b.storeShared(false, k, imm(0)) })
	b.barrier()
	at := b.add(b.mul(scalarReg(scalarBlock), threads), thread)
	stride := b.mul(scalarReg(scalarBlocks), threads)
	countDigits := func(key operand) {
		pass := b.uni()
		b.mov(pass, imm(0))
		b.loop(func() {
			b.leaveUnless(b.less(pass, b.arg(1)))
			digit := b.and(b.to(b.vec(), opShr, key, b.mul(pass, imm(digitBits))), imm(digits-1))
			one := b.vec()
			b.mov(one, imm(1))
			b.countShared(false, true, b.add(digit, b.mul(pass, imm(digits))), one)
			b.inc(pass, imm(1))
		})
	}
	b.loop(func() {
		last := b.add(at, b.mul(stride, imm(keysAtOnce-1)))
		b.leaveUnless(b.less(last, b.arg(0)))
		var keys [keysAtOnce]operand
		for i := range keys {
			keys[i] = b.load(bufKeysIn, b.add(at, b.mul(stride, imm(uint64(i)))))
		}
		for _, key := range keys {
			countDigits(key)
		}
		b.inc(at, b.mul(stride, imm(keysAtOnce)))
	})
	b.loop(func() {
		b.leaveUnless(b.less(at, b.arg(0)))
		countDigits(b.load(bufKeysIn, at))
		b.inc(at, stride)
	})
	b.barrier()
	each(func(k operand) {
		count := b.loadShared(false, k)
		b.when(b.differ(count, imm(0)), func() { b.atomic(bufDigits, true, k, count) }, nil)
	})
	return b.done()
}

// blockScan returns the sums of x over the threads before each one. sums is
// where in shared memory one word per warp is free.
func blockScan(b *builder, x, laneID operand, lanes, sums uint64) operand {
	inclusive := b.vec()
	b.mov(inclusive, x)
	for d := uint64(1); d < lanes; d *= 2 {
		b.scoped(func() {
			other := b.shuffle(inclusive, b.sub(laneID, imm(d)))
			b.selectTo(inclusive, b.atLeast(laneID, imm(d)), b.add(inclusive, other), inclusive)
		})
	}
	b.when(b.equal(laneID, imm(lanes-1)), func() {
		b.storeShared(false, b.add(b.spread(scalarReg(scalarWarp)), imm(sums)), inclusive)
	}, nil)
	b.barrier()
	exclusive := b.sub(inclusive, x)
	for w := range sortThreads / lanes {
		b.scoped(func() {
			place := b.vec()
			b.mov(place, imm(sums+w))
			before := b.loadShared(false, place)
			b.when(b.less(imm(w), scalarReg(scalarWarp)), func() { b.inc(exclusive, before) }, nil)
		})
	}
	return exclusive
}

// startKernel turns digit counts into start positions: one block per pass.
func startKernel(lanes int) *program {
	b := newBuilder("sort.start", 0)
	laneID := b.lane()
	place := b.add(b.tid(), b.mul(scalarReg(scalarBlock), imm(digits)))
	count := b.load(bufDigits, place)
	b.store(bufDigits, place, blockScan(b, count, laneID, uint64(lanes), 0))
	return b.done()
}

// The arguments of a sorting pass.
const (
	argElements = iota
	argShift
	argPass
	passArgs
)

// tileSorter assembles a sorting pass. Shared memory holds, in words: the
// digit counters of each warp, the first position of each digit in the tile,
// its offset in the output, the sums of the scan, and the exchanged elements.
type tileSorter struct {
	*builder
	call     device.Call
	lanes    uint64
	laneID   operand
	thread   operand
	inWarp   operand // first element of the warp
	counters operand // first counter of the warp
	items    uint64
	keys     []operand
	places   []operand // rank in the warp's digit, then place in the tile
	outs     []operand
}

func (s *tileSorter) warps() uint64      { return sortThreads / s.lanes }
func (s *tileSorter) firstAt() uint64    { return s.warps() * digits }
func (s *tileSorter) offsetAt() uint64   { return s.firstAt() + digits }
func (s *tileSorter) sumsAt() uint64     { return s.offsetAt() + digits }
func (s *tileSorter) exchangeAt() uint64 { return s.sumsAt() + 16 }

// passKernel assembles the kernel of one pass over tiles of so many items per
// thread.
func passKernel(call device.Call, lanes, items int) *program {
	s := &tileSorter{builder: newBuilder("sort.pass", passArgs), call: call, lanes: uint64(lanes), items: uint64(items)}
	s.laneID, s.thread = s.lane(), s.tid()
	tile := s.mul(scalarReg(scalarBlock), imm(sortThreads*s.items))
	s.inWarp = s.add(s.laneID, s.add(tile, s.mul(scalarReg(scalarWarp), imm(s.lanes*s.items))))
	s.counters = s.mul(scalarReg(scalarWarp), imm(digits))
	for range items {
		s.keys, s.places, s.outs = append(s.keys, s.vec()), append(s.places, s.vec()), append(s.outs, s.vec())
	}
	for d := uint64(0); d < digits; d += s.lanes {
		s.scoped(func() { s.storeShared(false, s.add(s.laneID, s.add(s.counters, imm(d))), imm(0)) })
	}
	s.rankItems()
	s.barrier()
	s.placeDigits()
	s.barrier()
	s.exchangeKeys(tile)
	if call.Operand == device.Loaded {
		s.exchangeValues(tile)
	}
	return s.done()
}

func (s *tileSorter) digitOf(key operand) operand {
	return s.and(s.shr(key, s.arg(argShift)), imm(digits-1))
}

// rankItems loads the warp's elements in order and counts, for each, the
// elements of the warp with the same digit before it. Places beyond the end
// take the highest key and so rank behind everything.
func (s *tileSorter) rankItems() {
	below := s.sub(s.shl(imm(1), s.laneID), imm(1))
	for j := range s.keys {
		s.scoped(func() {
			at := s.add(s.inWarp, imm(uint64(j)*s.lanes))
			s.mov(s.keys[j], imm(1<<32-1))
			s.when(s.less(at, s.arg(argElements)), func() { s.mov(s.keys[j], s.load(bufKeysIn, at)) }, nil)
			digit := s.digitOf(s.keys[j])
			peers := s.peersOf(digit)
			counter := s.add(digit, s.counters)
			seen := s.loadShared(false, counter)
			s.to(s.places[j], opAdd, seen, s.unary(s.vec(), opPopc, s.and(peers, below)))
			first := s.equal(s.laneID, s.unary(s.vec(), opFfs, peers))
			s.when(first, func() {
				s.storeShared(false, counter, s.add(seen, s.unary(s.vec(), opPopc, peers)))
			}, nil)
		})
	}
}

// peersOf finds the lanes with the same digit by one ballot per bit. A match
// instruction takes longer where there are many digits.
func (s *tileSorter) peersOf(digit operand) operand {
	peers := s.vec()
	s.mov(peers, imm(^uint64(0)>>(64-s.lanes)))
	for bit := range uint64(digitBits) {
		s.scoped(func() {
			set := s.differ(s.and(digit, imm(1<<bit)), imm(0))
			mask := s.ballot(set)
			s.selectTo(peers, set, s.and(peers, mask), s.andNot(peers, mask))
		})
	}
	return peers
}

// placeDigits lets thread d sum the warps' counts of digit d, find where the
// digit begins in the tile and, along the chain, in the output.
func (s *tileSorter) placeDigits() {
	total := s.vec()
	s.mov(total, imm(0))
	for w := range s.warps() {
		s.scoped(func() {
			place := s.add(s.thread, imm(w*digits))
			count := s.loadShared(false, place)
			s.storeShared(false, place, total)
			s.inc(total, count)
		})
	}
	entry := s.add(s.thread, s.mul(scalarReg(scalarBlock), imm(digits)))
	// The first tile's own count is that of all tiles up to it.
	state := s.sub(imm(chainAll), s.min(scalarReg(scalarBlock), imm(chainAll-chainOwn)))
	s.store(bufChain, entry, s.or(s.shl(total, imm(2)), state))
	first := blockScan(s.builder, total, s.laneID, s.lanes, s.sumsAt())
	s.storeShared(false, s.add(s.thread, imm(s.firstAt())), first)
	before := s.lookBack(entry)
	sum := s.add(before, total)
	s.store(bufChain, entry, s.or(s.shl(sum, imm(2)), imm(chainAll)))
	start := s.load(bufDigits, s.add(s.thread, s.mul(s.arg(argPass), imm(digits))))
	s.storeShared(false, s.add(s.thread, imm(s.offsetAt())), s.sub(s.add(start, before), first))
}

// lookBack adds up the digit's count in the tiles before this one, waiting for
// tiles that have not published theirs.
func (s *tileSorter) lookBack(entry operand) operand {
	before, look := s.vec(), s.vec()
	s.mov(before, imm(0))
	s.mov(look, entry)
	s.when(s.differ(scalarReg(scalarBlock), imm(0)), func() {
		s.to(look, opSub, look, imm(digits))
		s.loop(func() {
			published := s.load(bufChain, look)
			state := s.and(published, imm(3))
			s.inc(before, s.shr(published, imm(2)))
			s.to(look, opSub, look, s.shl(s.and(state, imm(chainOwn)), imm(digitBits)))
			s.leaveUnless(s.differ(state, imm(chainAll)))
		})
	}, nil)
	return before
}
