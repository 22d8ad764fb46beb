package kernel

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// Radix sort by digits of 8 bits, the least significant first. A block of 256 threads sorts a
// tile of 4,096 elements, or of half as many where shared memory is small. The digit counts of
// the tiles before it come from a chain of published sums that a tile looks back along.
const (
	digitBits   = 8
	digits      = 1 << digitBits
	SortThreads = 256
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

const (
	chainOwn   = 1 // state of an entry of the chain: the tile's own count
	chainAll   = 2 // the count of all tiles up to this one
	registers  = 1 << 16
	keysAtOnce = 4 // keys that a thread loads before it counts them: their latencies overlap
)

// eachOfSome calls use for what is loaded at each place up to the limit, keysAtOnce of a thread at a time.
func eachOfSome[T any](b *machine.Builder, at, limit, stride operand, load func(at operand) T, use func(T)) {
	b.Loop(func() {
		b.LeaveUnless(b.Less(b.Add(at, b.Mul(stride, imm(keysAtOnce-1))), limit))
		var loaded [keysAtOnce]T
		for i := range loaded {
			loaded[i] = load(b.Add(at, b.Mul(stride, imm(uint64(i)))))
		}
		for _, l := range loaded {
			b.Scoped(func() { use(l) })
		}
		b.Inc(at, b.Mul(stride, imm(keysAtOnce)))
	})
	b.For(at, limit, stride, func() { use(load(at)) })
}

func sortPasses(bins uint64) uint64 {
	return max(1, (uint64(bits.Len64(bins-1))+digitBits-1)/digitBits)
}

func (s *Session) sortItems() int {
	limit := uint64(s.Device.Shared.BytesPerBlock.Value)
	return impl.SortItems(s.Call.Type.Bytes(), s.Machine.Lanes, limit)
}

func (s *Session) tiles() uint64 {
	size := uint64(SortThreads * s.sortItems())
	return (s.Updates + size - 1) / size
}

// sortBuffers makes the arrays of a sort. The stream itself is only read: the
// first pass goes from it to the first side, later ones between the sides.
func (s *Session) sortBuffers() {
	keys := func() *machine.Buffer { return s.keys(machine.Counters(s.Updates).Words) }
	s.Buffer(keys(), keys(), s.Typed(s.loaded()),
		s.Typed(s.loaded()), machine.Counters(sortPasses(s.Bins)*digits),
		machine.Counters(s.tiles()*digits))
}

func (s *Session) sort() {
	s.sortPairs(false)
	s.segments(bufKeysIn, bufValuesIn, s.Updates)
}

// sortPairs leaves the sorted keys and their values in bufKeysIn and bufValuesIn. ahead is as in a
// tileSorter.
func (s *Session) sortPairs(ahead bool) {
	passes := sortPasses(s.Bins)
	bufs := s.Machine.Buffers
	freeKeys, freeValues := bufs[bufKeysIn], bufs[bufValuesIn]
	bufs[bufKeysIn], bufs[bufValuesIn] = bufs[BufIndex], bufs[BufValue]
	s.Clear(bufDigits)
	count := s.Wide(s.Updates)
	count.SharedBytes = passes * digits * 4
	count.Blocks = min(count.Blocks, s.tiles())
	s.Launch(countKernel(s.Machine.Lanes), count, s.Updates, passes)
	s.Launch(startKernel(s.Machine.Lanes),
		device.Shape{Blocks: passes, Threads: SortThreads, SharedBytes: 64, BlocksPerSM: 1})
	items := s.sortItems()
	shared := impl.SortSharedBytes(items, s.Call.Type.Bytes(), s.Machine.Lanes)
	fit := int(uint64(s.Device.Shared.BytesPerSM.Value) / shared)
	kernel := passKernel(s.Call, s.Machine.Lanes, items, ahead)
	pass := device.Shape{Blocks: s.tiles(), Threads: SortThreads, SharedBytes: shared,
		BlocksPerSM: max(1, min(count.BlocksPerSM, fit))}
	if ahead { // a thread holds key, place and value of each item in registers
		pass.BlocksPerSM = max(1, min(pass.BlocksPerSM, registers/(SortThreads*(3*items+24))))
	}
	for p := range passes {
		s.Clear(bufChain)
		s.Launch(kernel, pass, s.Updates, p*digitBits, p)
		in, values := bufs[bufKeysIn], bufs[bufValuesIn]
		if p == 0 {
			in, values = freeKeys, freeValues
		}
		bufs[bufKeysIn], bufs[bufKeysOut] = bufs[bufKeysOut], in
		bufs[bufValuesIn], bufs[bufValuesOut] = bufs[bufValuesOut], values
	}
}

// countKernel counts the digits of all passes. Arguments: elements, passes.
func countKernel(lanes int) *machine.Program {
	b := newBlockwise("sort.count", 2, lanes)
	countDigits := func(key operand) {
		pass := b.Uniform(imm(0))
		b.For(pass, b.Arg(1), imm(1), func() {
			digit := b.And(b.Shr(key, b.Mul(pass, imm(digitBits))), imm(digits-1))
			one := b.Spread(imm(1))
			b.CountShared(false, true, b.Add(digit, b.Mul(pass, imm(digits))), one)
		})
	}
	return b.countKernel(bufKeysIn, b.Arg(0), bufDigits, b.Mul(b.Arg(1), imm(digits)),
		func() func(operand) { return countDigits })
}

// scanLanes adds to x in each lane what it holds in those below.
func scanLanes(b *machine.Builder, x, laneID operand, lanes uint64) {
	for d := uint64(1); d < lanes; d *= 2 {
		b.Scoped(func() {
			other := b.Shuffle(x, b.Sub(laneID, imm(d)))
			b.SelectTo(x, b.AtLeast(laneID, imm(d)), b.Add(x, other), x)
		})
	}
}

// BlockScan returns the sums of x over the threads before each one. sums is
// where in shared memory one word per warp is free.
func BlockScan(b *machine.Builder, x, laneID operand, lanes, sums uint64) operand {
	inclusive := b.Spread(x)
	scanLanes(b, inclusive, laneID, lanes)
	b.When(b.Equal(laneID, imm(lanes-1)), func() {
		b.StoreShared(false, b.Add(b.Spread(machine.WarpID), imm(sums)), inclusive)
	})
	b.Barrier()
	exclusive := b.Sub(inclusive, x)
	for w := range SortThreads / lanes {
		b.Scoped(func() {
			before := b.LoadShared(false, b.Spread(imm(sums+w)))
			b.When(b.Less(imm(w), machine.WarpID), func() { b.Inc(exclusive, before) })
		})
	}
	return exclusive
}

func startKernel(lanes int) *machine.Program {
	b := machine.NewBuilder("sort.start", 0)
	laneID := b.Lane()
	place := b.Add(b.Tid(), b.Mul(machine.BlockID, imm(digits)))
	count := b.Load(bufDigits, place)
	b.Store(bufDigits, place, BlockScan(b, count, laneID, uint64(lanes), 0))
	return b.Done()
}

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
	*Updater
	thread   operand
	inWarp   operand // first element of the warp
	counters operand // first counter of the warp
	items    uint64
	ahead    bool // all loads of a thread are under way before it uses the first, as CUB has them
	keys     []operand
	places   []operand // rank in the warp's digit, then place in the tile
	outs     []operand
}

func (s *tileSorter) warps() uint64      { return SortThreads / s.Lanes }
func (s *tileSorter) firstAt() uint64    { return s.warps() * digits }
func (s *tileSorter) offsetAt() uint64   { return s.firstAt() + digits }
func (s *tileSorter) sumsAt() uint64     { return s.offsetAt() + digits }
func (s *tileSorter) exchangeAt() uint64 { return s.sumsAt() + 16 }

func passKernel(call device.Call, lanes, items int, ahead bool) *machine.Program {
	s := &tileSorter{items: uint64(items), ahead: ahead,
		Updater: NewUpdater("sort.pass", passArgs, impl.Spec{}, call, lanes)}
	s.thread = s.Tid()
	tile := s.Mul(machine.BlockID, imm(SortThreads*s.items))
	s.inWarp = s.Add(s.LaneID, s.Add(tile, s.Mul(machine.WarpID, imm(s.Lanes*s.items))))
	s.counters = s.Mul(machine.WarpID, imm(digits))
	for range items {
		s.keys, s.places, s.outs = append(s.keys, s.Vec()), append(s.places, s.Vec()),
			append(s.outs, s.Vec())
	}
	for d := uint64(0); d < digits; d += s.Lanes {
		s.Scoped(func() {
			s.StoreShared(false, s.Add(s.LaneID, s.Add(s.counters, imm(d))), imm(0))
		})
	}
	s.rankItems()
	s.Barrier()
	s.placeDigits()
	s.Barrier()
	s.exchangeKeys(tile)
	if call.Operand == device.Loaded {
		s.exchangeValues(tile)
	}
	return s.Done()
}

func (s *tileSorter) eachItem(body func(j int)) {
	for j := range s.keys {
		s.Scoped(func() { body(j) })
	}
}

// loadAhead loads the thread's items of an array where it does so ahead.
func (s *tileSorter) loadAhead(buf int) (list []operand) {
	if !s.ahead {
		return nil
	}
	for j := range s.items {
		item := s.Vec()
		list = append(list, item)
		s.Scoped(func() {
			at := s.Add(s.inWarp, imm(j*s.Lanes))
			s.When(s.Less(at, s.Arg(argElements)), func() { s.LoadTo(item, buf, at) })
		})
	}
	return list
}

func (s *tileSorter) item(loaded []operand, j, buf int, at operand) operand {
	if loaded != nil {
		return loaded[j]
	}
	return s.Load(buf, at)
}

func (s *tileSorter) digitOf(key operand) operand {
	return s.And(s.Shr(key, s.Arg(argShift)), imm(digits-1))
}

// rankItems loads the warp's elements in order and counts, for each, the
// elements of the warp with the same digit before it. Places beyond the end
// take the highest key and so rank behind everything.
func (s *tileSorter) rankItems() {
	below := s.Sub(s.Shl(imm(1), s.LaneID), imm(1))
	loaded := s.loadAhead(bufKeysIn)
	s.eachItem(func(j int) {
		at := s.Add(s.inWarp, imm(uint64(j)*s.Lanes))
		s.Mov(s.keys[j], imm(1<<32-1))
		s.When(s.Less(at, s.Arg(argElements)), func() {
			s.Mov(s.keys[j], s.item(loaded, j, bufKeysIn, at))
		})
		digit := s.digitOf(s.keys[j])
		peers := s.peersOf(digit)
		counter := s.Add(digit, s.counters)
		seen := s.LoadShared(false, counter)
		before := s.Unary(s.Vec(), machine.OpPopc, s.And(peers, below))
		s.To(s.places[j], machine.OpAdd, seen, before)
		first := s.Equal(s.LaneID, s.Unary(s.Vec(), machine.OpFfs, peers))
		s.When(first, func() {
			s.StoreShared(false, counter, s.Add(seen, s.Unary(s.Vec(), machine.OpPopc, peers)))
		})
	})
}

// peersOf finds the lanes with the same digit by one ballot per bit. A match
// instruction takes longer where there are many digits.
func (s *tileSorter) peersOf(digit operand) operand {
	peers := s.Spread(imm(^uint64(0) >> (64 - s.Lanes)))
	for bit := range uint64(digitBits) {
		s.Scoped(func() {
			set := s.Differ(s.And(digit, imm(1<<bit)), imm(0))
			mask := s.Ballot(set)
			s.SelectTo(peers, set, s.And(peers, mask), s.AndNot(peers, mask))
		})
	}
	return peers
}

// placeDigits lets thread d sum the warps' counts of digit d, find where the
// digit begins in the tile and, along the chain, in the output.
func (s *tileSorter) placeDigits() {
	total := s.Spread(imm(0))
	for w := range s.warps() {
		s.Scoped(func() {
			place := s.Add(s.thread, imm(w*digits))
			count := s.LoadShared(false, place)
			s.StoreShared(false, place, total)
			s.Inc(total, count)
		})
	}
	entry := s.Add(s.thread, s.Mul(machine.BlockID, imm(digits)))
	// The first tile's own count is that of all tiles up to it.
	state := s.Sub(imm(chainAll), s.Min(machine.BlockID, imm(chainAll-chainOwn)))
	s.Store(bufChain, entry, s.Or(s.Shl(total, imm(2)), state))
	first := BlockScan(s.Builder, total, s.LaneID, s.Lanes, s.sumsAt())
	s.StoreShared(false, s.Add(s.thread, imm(s.firstAt())), first)
	before := s.lookBack(entry)
	sum := s.Add(before, total)
	s.Store(bufChain, entry, s.Or(s.Shl(sum, imm(2)), imm(chainAll)))
	start := s.Load(bufDigits, s.Add(s.thread, s.Mul(s.Arg(argPass), imm(digits))))
	s.StoreShared(false, s.Add(s.thread, imm(s.offsetAt())), s.Sub(s.Add(start, before), first))
}

// lookBack adds up the digit's count in the tiles before this one, waiting for
// tiles that have not published theirs.
func (s *tileSorter) lookBack(entry operand) operand {
	before, at := s.Spread(imm(0)), s.Spread(entry)
	s.When(s.Differ(machine.BlockID, imm(0)), func() {
		s.To(at, machine.OpSub, at, imm(digits))
		s.Loop(func() {
			published := s.Load(bufChain, at)
			state := s.And(published, imm(3))
			s.Inc(before, s.Shr(published, imm(2)))
			s.To(at, machine.OpSub, at, s.Shl(s.And(state, imm(chainOwn)), imm(digitBits)))
			s.LeaveUnless(s.Differ(state, imm(chainAll)))
		})
	})
	return before
}

// exchangeKeys brings the tile's keys into order in shared memory and writes
// them in stretches of equal digits.
func (s *tileSorter) exchangeKeys(tile operand) {
	s.eachItem(func(j int) {
		digit := s.digitOf(s.keys[j])
		first := s.LoadShared(false, s.Add(digit, imm(s.firstAt())))
		inWarps := s.LoadShared(false, s.Add(digit, s.counters))
		s.Inc(s.places[j], s.Add(first, inWarps))
		s.StoreShared(false, s.Add(s.places[j], imm(s.exchangeAt())), s.keys[j])
	})
	s.Barrier()
	s.eachItem(func(j int) {
		at := s.Add(s.thread, imm(uint64(j)*SortThreads))
		key := s.LoadShared(false, s.Add(at, imm(s.exchangeAt())))
		offset := s.LoadShared(false, s.Add(s.digitOf(key), imm(s.offsetAt())))
		s.To(s.outs[j], machine.OpAnd, s.Add(offset, at), imm(1<<32-1))
		s.When(s.Less(s.Add(at, tile), s.Arg(argElements)), func() {
			s.Store(bufKeysOut, s.outs[j], key)
		})
	})
}

func (s *tileSorter) exchangeValues(tile operand) {
	wide := s.Wide()
	base := s.exchangeAt()
	if wide {
		base /= 2
	}
	s.Barrier()
	loaded := s.loadAhead(bufValuesIn)
	s.eachItem(func(j int) {
		at := s.Add(s.inWarp, imm(uint64(j)*s.Lanes))
		s.When(s.Less(at, s.Arg(argElements)), func() {
			place := s.Add(s.places[j], imm(base))
			s.StoreShared(wide, place, s.item(loaded, j, bufValuesIn, at))
		})
	})
	s.Barrier()
	s.eachItem(func(j int) {
		at := s.Add(s.thread, imm(uint64(j)*SortThreads))
		s.When(s.Less(s.Add(at, tile), s.Arg(argElements)), func() {
			s.Store(bufValuesOut, s.outs[j], s.LoadShared(wide, s.Add(at, imm(base))))
		})
	})
}
