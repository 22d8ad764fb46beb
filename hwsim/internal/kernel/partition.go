package kernel

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/variant"
)

// `partition` counts the updates of each range of targets, writes them to their ranges, and adds
// each range in copies in shared memory. Its buffers: the updates by ranges, the number of a target
// in its range and the value; for each range how many there are, where they start and where the
// next one goes; and the parts in which they are added, with their number.
const (
	bufPlace = bufScratch + iota
	bufParted
	bufRangeCount
	bufRangeStart
	bufRangeNext
	bufParts
	bufPartNumber
)

// The words of a part.
const (
	partRange = iota
	partBegin
	partUpdates
	partWhole
	partWords
)

// The arguments of its kernels.
const (
	argStream = iota // updates
	argRanges
	partArgs
)

func (s *Session) partShapes() device.PartShapes {
	return s.Device.Limits().PartShapes(s.Variant, s.Call.Type, s.Bins, s.Updates)
}

// placeParts makes the arrays of a partition.
func (s *Session) placeParts() {
	ranges := s.Variant.Buckets(s.Bins)
	room, values := s.Updates+variant.BucketStep*ranges, uint64(0)
	if s.Call.Operand == device.Loaded {
		values = room
	}
	s.Buffer(machine.Places(room), s.Typed(values), machine.Counters(ranges),
		machine.Counters(ranges), machine.Counters(ranges),
		machine.Counters(partWords*s.partShapes().Add.Blocks), machine.Counters(1))
}

// partition launches its five kernels behind the clearing of the counts.
func (s *Session) partition() {
	shapes, lanes := s.partShapes(), s.Machine.Lanes
	args := []uint64{s.Updates, s.Variant.Buckets(s.Bins)}
	one := device.Shape{Blocks: 1, Threads: shapes.Split.Threads, BlocksPerSM: 1,
		SharedBytes: uint64(4 * (lanes + 1))}
	s.Clear(bufRangeCount)
	s.Launch(shaped(shapes.Count, countRangesKernel(s.Variant, lanes), args...))
	s.Launch(shaped(one, startRangesKernel(lanes), args...))
	s.Launch(shaped(shapes.Split, splitKernel(s.Variant, s.Call, lanes, shapes), args...))
	s.Launch(shaped(one, cutKernel(lanes, shapes), args...))
	s.Launch(shaped(shapes.Add, addPartKernel(s.Variant, s.Call, lanes, shapes.Add), s.Bins))
}

// parter assembles the kernels of a partition.
type parter struct {
	*machine.Builder
	thread, threads operand
	lanes           uint64
}

func newParter(name string, lanes int) *parter {
	p := &parter{Builder: machine.NewBuilder(name, partArgs), lanes: uint64(lanes)}
	p.thread = p.Tid()
	p.threads = p.Mul(machine.BlockWarps, imm(p.lanes))
	return p
}

// rangeOf is the range of a target: its high bits.
func rangeOf(b *machine.Builder, v variant.Variant, target operand) operand {
	return Quotient(b, target, uint64(v.Width))
}

// countRangesKernel counts the updates of each range, keysAtOnce of a thread at a time.
func countRangesKernel(v variant.Variant, lanes int) *machine.Program {
	p := newParter("partition.count", lanes)
	ranges, updates := p.Arg(argRanges), p.Arg(argStream)
	p.Each(p.thread, ranges, p.threads, func(r operand) { p.StoreShared(false, r, imm(0)) })
	p.Barrier()
	at := p.Add(p.Mul(machine.BlockID, p.threads), p.thread)
	stride := p.Mul(machine.GridBlocks, p.threads)
	one := p.Spread(imm(1))
	count := func(key operand) { p.CountShared(false, true, rangeOf(p.Builder, v, key), one) }
	p.Loop(func() {
		p.LeaveUnless(p.Less(p.Add(at, p.Mul(stride, imm(keysAtOnce-1))), updates))
		var keys [keysAtOnce]operand
		for i := range keys {
			keys[i] = p.Load(BufIndex, p.Add(at, p.Mul(stride, imm(uint64(i)))))
		}
		for _, key := range keys {
			p.Scoped(func() { count(key) })
		}
		p.Inc(at, p.Mul(stride, imm(keysAtOnce)))
	})
	p.For(at, updates, stride, func() { count(p.Load(BufIndex, at)) })
	p.Barrier()
	p.Each(p.thread, ranges, p.threads, func(r operand) {
		n := p.LoadShared(false, r)
		p.When(p.Differ(n, imm(0)), func() { p.Atomic(bufRangeCount, true, r, n) })
	})
	return p.Done()
}

// upTo is the sum of v over the warp's lanes up to each.
func (p *parter) upTo(v operand) operand {
	sum, lane := p.Spread(v), p.Lane()
	for d := uint64(1); d < p.lanes; d *= 2 {
		p.Scoped(func() {
			other := p.Shuffle(sum, p.Sub(lane, imm(d)))
			p.SelectTo(sum, p.AtLeast(lane, imm(d)), p.Add(sum, other), sum)
		})
	}
	return sum
}

// exclusiveSum is the sum of v over the threads of the block below each, and that over all. There
// are no more warps than lanes; sums is where in shared memory a word of each lane is free, and one
// more.
func (p *parter) exclusiveSum(v, sums operand) (below, all operand) {
	lane, inclusive := p.Lane(), p.upTo(v)
	p.When(p.Equal(lane, imm(p.lanes-1)), func() {
		p.StoreShared(false, p.Add(p.Spread(machine.WarpID), sums), inclusive)
	})
	p.Barrier()
	p.When(p.Equal(p.Spread(machine.WarpID), imm(0)), func() {
		mine := p.Spread(imm(0))
		p.When(p.Less(lane, machine.BlockWarps), func() {
			p.Mov(mine, p.LoadShared(false, p.Add(lane, sums)))
		})
		up := p.upTo(mine)
		p.StoreShared(false, p.Add(lane, sums), p.Sub(up, mine))
		p.When(p.Equal(lane, imm(p.lanes-1)), func() {
			p.StoreShared(false, p.Spread(p.Add(sums, imm(p.lanes))), up)
		})
	})
	p.Barrier()
	all = p.LoadShared(false, p.Spread(p.Add(sums, imm(p.lanes))))
	before := p.LoadShared(false, p.Add(p.Spread(machine.WarpID), sums))
	return p.Sub(p.Add(before, inclusive), v), all
}

// ownRanges calls body for each of the thread's equal share of the ranges, side by side.
func (p *parter) ownRanges(threads int, body func(r operand)) {
	p.Scoped(func() {
		ranges := p.Arg(argRanges)
		each := Quotient(p.Builder, p.Add(ranges, imm(uint64(threads-1))), uint64(threads))
		r := p.Mul(p.thread, each)
		end := p.Min(p.Add(r, each), ranges)
		p.For(r, end, imm(1), func() { body(r) })
	})
}

// eachRange calls body for each range, one of each thread at a time, with the sum of amount over
// the ranges below it. It returns that over all.
func (p *parter) eachRange(amount func(r operand) operand, body func(r, below operand)) operand {
	ranges, below := p.Arg(argRanges), p.Spread(imm(0))
	first := p.Uniform(imm(0))
	p.For(first, ranges, p.threads, func() {
		r, own := p.Add(p.thread, first), p.Spread(imm(0))
		inside := p.Less(r, ranges)
		p.When(inside, func() { p.Mov(own, amount(r)) })
		sum, all := p.exclusiveSum(own, imm(0))
		p.When(inside, func() { body(r, p.Add(below, sum)) })
		p.Inc(below, all)
		p.Barrier()
	})
	return below
}

// startRangesKernel sets where the ranges start.
func startRangesKernel(lanes int) *machine.Program {
	p := newParter("partition.start", lanes)
	p.eachRange(func(r operand) operand {
		n := p.Add(p.Load(bufRangeCount, r), imm(variant.BucketStep-1))
		return p.AndNot(n, imm(variant.BucketStep-1))
	}, func(r, below operand) {
		p.Store(bufRangeStart, r, below)
		p.Store(bufRangeNext, r, below)
	})
	return p.Done()
}

// cutKernel cuts the ranges into parts.
func cutKernel(lanes int, shapes device.PartShapes) *machine.Program {
	p := newParter("partition.cut", lanes)
	// eachPart calls body with what is done of a range's updates, and how many are left.
	eachPart := func(r operand, body func(n, done, of operand)) {
		n := p.Sub(p.Load(bufRangeNext, r), p.Load(bufRangeStart, r))
		of := p.Spread(imm(shapes.Part))
		p.When(p.Less(n, imm(shapes.Whole+1)), func() { p.Mov(of, imm(shapes.Whole)) })
		done := p.Spread(imm(0))
		p.For(done, n, of, func() { body(n, done, of) })
	}
	all := p.eachRange(func(r operand) operand {
		parts := p.Spread(imm(0))
		eachPart(r, func(_, _, _ operand) { p.Inc(parts, imm(1)) })
		return parts
	}, func(r, at operand) {
		begin := p.Load(bufRangeStart, r)
		eachPart(r, func(n, done, of operand) {
			word := p.Mul(at, imm(partWords))
			whole := p.Spread(imm(0))
			p.When(p.AtLeast(of, n), func() { p.Mov(whole, imm(1)) })
			p.Store(bufParts, p.Add(word, imm(partRange)), r)
			p.Store(bufParts, p.Add(word, imm(partBegin)), p.Add(begin, done))
			p.Store(bufParts, p.Add(word, imm(partUpdates)), p.Min(p.Sub(n, done), of))
			p.Store(bufParts, p.Add(word, imm(partWhole)), whole)
			p.Inc(at, imm(1))
		})
	})
	p.When(p.Equal(p.thread, imm(0)), func() { p.Store(bufPartNumber, p.thread, all) })
	return p.Done()
}

// addPartKernel adds part blockIdx, if there is one, in copies of its range. A whole range is
// stored without atomics.
func addPartKernel(v variant.Variant, call device.Call, lanes int,
	shape device.Shape) *machine.Program {
	const bins = 0 // the argument
	u := NewUpdater("partition.add", 1, v, call, lanes)
	u.threads = uint64(shape.Threads)
	word := func(k uint64) operand {
		return u.Load(bufParts, u.Spread(u.Add(u.Mul(machine.BlockID, imm(partWords)), imm(k))))
	}
	number := u.Load(bufPartNumber, u.Spread(imm(0)))
	u.When(u.Less(u.Spread(machine.BlockID), number), func() {
		first := u.Mul(word(partRange), imm(uint64(v.Width)))
		begin, updates, whole := word(partBegin), word(partUpdates), word(partWhole)
		step := imm(uint64(v.WidthStep()))
		u.CopyAt = u.clearCopies(step, 0)
		u.addPlaces(begin, u.Add(begin, updates))
		u.Barrier()
		target := func(k operand) operand { return u.Add(k, first) }
		count := u.Uni() // of the range's targets
		u.Unary(count, machine.OpFirst, u.Min(u.Sub(u.Arg(bins), first), imm(uint64(v.Width))))
		u.WhenElse(u.Equal(whole, imm(0)),
			func() { u.flushCopies(count, step, 0, target) },
			func() {
				u.sumCopies(count, step, 0, func(k, total operand) {
					u.Store(BufTarget, target(k), u.made(target(k), total))
				})
			})
	})
	return u.Done()
}

// addPlaces adds the updates that stand from begin to end, keysAtOnce of a thread at a time.
func (u *Updater) addPlaces(begin, end operand) {
	at := u.Add(begin, u.Tid())
	threads := u.Mul(machine.BlockWarps, imm(u.Lanes))
	load := func(at operand) (place, value operand) {
		if u.call.Operand == device.Loaded {
			return u.Load(bufPlace, at), u.Load(bufParted, at)
		}
		return u.Load(bufPlace, at), u.Spread(imm(arith.OneOf(u.call.Type)))
	}
	u.Loop(func() {
		u.LeaveUnless(u.Less(u.Add(at, u.Mul(threads, imm(keysAtOnce-1))), end))
		var places, values [keysAtOnce]operand
		for i := range places {
			places[i], values[i] = load(u.Add(at, u.Mul(threads, imm(uint64(i)))))
		}
		for i := range places {
			u.Scoped(func() { u.addOne(places[i], values[i]) })
		}
		u.Inc(at, u.Mul(threads, imm(keysAtOnce)))
	})
	u.For(at, end, threads, func() { u.addOne(load(at)) })
}
