package kernel

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
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

const (
	partRange = iota
	partBegin
	partUpdates
	partWhole
	partWords
)

const (
	argStream = iota // updates
	argRanges
	partArgs
)

func (s *Session) partShapes() device.PartShapes {
	return s.Device.Limits().PartShapes(s.Implementation, s.Call.Type, s.Bins, s.Updates)
}

func (s *Session) placeParts() {
	ranges := s.Implementation.Buckets(s.Bins)
	room, values := s.Updates+impl.BucketStep*ranges, uint64(0)
	if s.Call.Operand == device.Loaded {
		values = room
	}
	s.Buffer(machine.Poisoned[uint16](room), s.Typed(values), machine.Counters(ranges),
		machine.Counters(ranges), machine.Counters(ranges),
		machine.Counters(partWords*s.partShapes().Add.Blocks), machine.Counters(1))
}

func (s *Session) partition() {
	shapes, lanes := s.partShapes(), s.Machine.Lanes
	args := []uint64{s.Updates, s.Implementation.Buckets(s.Bins)}
	one := device.Shape{Blocks: 1, Threads: shapes.Split.Threads, BlocksPerSM: 1,
		SharedBytes: uint64(4 * (lanes + 1))}
	s.Clear(bufRangeCount)
	s.Launch(countRangesKernel(s.Implementation, lanes), shapes.Count, args...)
	s.Launch(startRangesKernel(lanes), one, args...)
	s.Launch(splitKernel(s.Implementation, s.Call, lanes, shapes), shapes.Split, args...)
	s.Launch(cutKernel(lanes, shapes), one, args...)
	s.Launch(addPartKernel(s.Implementation, s.Call, lanes, shapes.Add), shapes.Add, s.Bins)
}

// blockwise assembles a kernel whose threads share the work of their block.
type blockwise struct {
	*machine.Builder
	thread, threads operand // of the block
	lanes           uint64
}

func newBlockwise(name string, args, lanes int) blockwise {
	b := blockwise{Builder: machine.NewBuilder(name, args), lanes: uint64(lanes)}
	b.thread = b.Tid()
	b.threads = b.Mul(machine.BlockWarps, imm(b.lanes))
	return b
}

type parter struct{ blockwise }

func newParter(name string, lanes int) *parter { return &parter{newBlockwise(name, partArgs, lanes)} }

// rangeOf is the range of a target: its high bits.
func rangeOf(b *machine.Builder, v impl.Spec, target operand) operand {
	return Quotient(b, target, uint64(v.Width))
}

func countRangesKernel(v impl.Spec, lanes int) *machine.Program {
	p := newParter("partition.count", lanes)
	return p.countKernel(BufIndex, p.Arg(argStream), bufRangeCount, p.Arg(argRanges), func() func(operand) {
		one := p.Spread(imm(1))
		return func(key operand) { p.CountShared(false, true, rangeOf(p.Builder, v, key), one) }
	})
}

// countKernel lets each block count elements of a buffer in so many counters in shared memory, and adds what it has
// counted to another buffer.
func (b *blockwise) countKernel(from int, elements operand, to int, counters operand,
	count func() func(element operand)) *machine.Program {
	b.Each(b.thread, counters, b.threads, func(k operand) { b.StoreShared(false, k, imm(0)) })
	b.Barrier()
	at := b.Add(b.Mul(machine.BlockID, b.threads), b.thread)
	stride := b.Mul(machine.GridBlocks, b.threads)
	eachOfSome(b.Builder, at, elements, stride, func(at operand) operand { return b.Load(from, at) }, count())
	b.Barrier()
	b.Each(b.thread, counters, b.threads, func(k operand) {
		n := b.LoadShared(false, k)
		b.When(b.Differ(n, imm(0)), func() { b.Atomic(to, true, k, n) })
	})
	return b.Done()
}

func (p *parter) upTo(v operand) operand {
	sum := p.Spread(v)
	scanLanes(p.Builder, sum, p.Lane(), p.lanes)
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

func startRangesKernel(lanes int) *machine.Program {
	p := newParter("partition.start", lanes)
	p.eachRange(func(r operand) operand {
		n := p.Add(p.Load(bufRangeCount, r), imm(impl.BucketStep-1))
		return p.AndNot(n, imm(impl.BucketStep-1))
	}, func(r, below operand) {
		p.Store(bufRangeStart, r, below)
		p.Store(bufRangeNext, r, below)
	})
	return p.Done()
}

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

// addPartKernel adds part blockIdx, if there is one. A whole range is stored without atomics.
func addPartKernel(v impl.Spec, call device.Call, lanes int,
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
		c := copies{step: imm(uint64(v.WidthStep())), target: func(k operand) operand { return u.Add(k, first) }}
		u.CopyAt = u.clearCopies(c.step, 0)
		u.addPlaces(begin, u.Add(begin, updates))
		u.Barrier()
		c.count = u.Uni() // of the range's targets
		u.Unary(c.count, machine.OpFirst, u.Min(u.Sub(u.Arg(bins), first), imm(uint64(v.Width))))
		u.WhenElse(u.Equal(whole, imm(0)), func() { u.flush(c) }, func() {
			u.sumCopies(c, func(k, total operand) {
				u.Store(BufTarget, c.target(k), u.made(c.target(k), total))
			})
		})
	})
	return u.Done()
}

func (u *Updater) addPlaces(begin, end operand) {
	at := u.Add(begin, u.Tid())
	threads := u.Mul(machine.BlockWarps, imm(u.Lanes))
	eachOfSome(u.Builder, at, end, threads, func(at operand) [2]operand {
		if u.call.Operand == device.Loaded {
			return [2]operand{u.Load(bufPlace, at), u.Load(bufParted, at)}
		}
		return [2]operand{u.Load(bufPlace, at), u.Spread(imm(arith.OneOf(u.call.Type)))}
	}, func(placed [2]operand) { u.addOne(placed[0], placed[1]) })
}
