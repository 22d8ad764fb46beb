package kernel

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

const (
	argLength  = iota // elements
	argPerWarp        // elements per warp, a multiple of the warp's lanes
	segmentArgs
)

// segmenter assembles one level of a segmented reduction. The carries are the first and last
// partial sums of every warp, which the next level reduces.
type segmenter struct {
	*Updater
	// Buffers. Without carries the level is the last and has one warp.
	keys, values, carryKeys, carryValues int

	ones     bool // every value is 1, there is no array
	warp     operand
	firstKey operand // of the warp's interval
	carryKey operand // of the segment that the last iteration left open
	carry    operand // its sum so far
}

// kernel reduces a grouped array: each warp walks over an interval with a carry, writes the
// segments that lie inside it with plain stores, and leaves its first and last segment, which
// neighbours may share, to the next level. So does CUSP's coordinate-format product,
// [egielski14] section 2.
func (s *segmenter) kernel() *machine.Program {
	s.upTo = s.Or(s.Shl(s.Sub(s.Shl(imm(1), s.LaneID), imm(1)), imm(1)), imm(1))
	s.warp = s.Add(s.Mul(machine.BlockID, machine.BlockWarps), machine.WarpID)
	begin := s.Mul(s.warp, s.Arg(argPerWarp))
	s.When(s.Less(begin, s.Arg(argLength)), func() {
		end := s.Min(s.Add(begin, s.Arg(argPerWarp)), s.Arg(argLength))
		at := s.Add(s.LaneID, begin)
		s.firstKey, s.carryKey, s.carry = s.Uni(), s.Uni(), s.Uni()
		head := s.Spread(begin)
		s.Unary(s.firstKey, machine.OpFirst, s.Load(s.keys, head))
		s.Mov(s.carryKey, s.firstKey)
		s.Mov(s.carry, imm(arith.Neutral(s.call)))
		s.Loop(func() {
			inside := s.Less(at, end)
			s.LeaveUnless(inside)
			s.iteration(at, inside)
			s.Inc(at, imm(s.Lanes))
		})
		s.When(s.Equal(s.LaneID, imm(0)), s.close)
	})
	return s.Done()
}

func (s *segmenter) iteration(at, inside operand) {
	key := s.Load(s.keys, at)
	value := s.Vec()
	if s.ones {
		s.Mov(value, imm(arith.OneOf(s.call.Type)))
	} else {
		s.Mov(value, s.Load(s.values, at))
	}
	active := s.Ballot(inside)
	lane0 := s.Equal(s.LaneID, imm(0))
	goesOn := s.Equal(key, s.carryKey)
	s.When(s.Both(lane0, goesOn), func() { s.To(value, machine.OpAddT, value, s.carry) })
	s.When(s.Both(lane0, s.Not(goesOn)), func() {
		s.flush(s.Spread(s.carryKey), s.Spread(s.carry))
	})
	// The heads of the runs of equal neighbours among the active lanes, which are the
	// lowest ones, and the lane at which each lane's run begins.
	before := s.Shuffle(key, s.Sub(s.LaneID, imm(1)))
	heads := s.Or(s.Ballot(s.Differ(key, before)), imm(1))
	start := s.Unary(s.Vec(), machine.OpFls, s.And(s.upTo, heads))
	s.scan(start, value, 1)
	last := s.Unary(s.Uni(), machine.OpFls, active)
	end := s.AndNot(active, s.Shr(active, imm(1)))
	tails := s.Or(s.Shr(heads, imm(1)), end)
	ends := s.Both(s.Member(s.LaneID, tails), s.Differ(s.LaneID, last))
	s.When(ends, func() { s.flush(key, value) })
	s.Unary(s.carryKey, machine.OpFirst, s.Shuffle(key, last))
	s.Unary(s.carry, machine.OpFirst, s.Shuffle(value, last))
}

// flush writes complete segments: to their target or, if they began at the
// interval's first element, to the warp's first carry.
func (s *segmenter) flush(key, value operand) {
	toTarget := func() { s.Store(BufTarget, key, s.made(key, value)) }
	if s.carryKeys == 0 {
		toTarget()
		return
	}
	s.WhenElse(s.Equal(key, s.firstKey), func() {
		s.Store(s.carryKeys, s.Spread(s.Shl(s.warp, imm(1))), key)
		s.Store(s.carryValues, s.Spread(s.Shl(s.warp, imm(1))), value)
	}, toTarget)
}

// close writes the open segment: the last level to its target, the others to the warp's second
// carry. A segment that fills the interval is both carries, the second of them empty.
func (s *segmenter) close() {
	if s.carryKeys == 0 {
		key := s.Spread(s.carryKey)
		s.Store(BufTarget, key, s.made(key, s.Spread(s.carry)))
		return
	}
	second := s.Spread(s.Add(s.Shl(s.warp, imm(1)), imm(1)))
	whole := s.Equal(s.Spread(s.carryKey), s.firstKey)
	s.Store(s.carryKeys, second, s.Spread(s.carryKey))
	s.WhenElse(whole, func() {
		s.flush(s.Spread(s.carryKey), s.Spread(s.carry))
		s.Store(s.carryValues, second, s.Spread(imm(arith.Neutral(s.call))))
	}, func() { s.Store(s.carryValues, second, s.Spread(s.carry)) })
}

// scan adds up each run in distances 1, 2, 4 and so on, a lane never reaching beyond the head of
// its own run, and stops when no run is longer. [egielski14] Algorithm 1, mended: the printed form
// compares indices only, and so joins equal indices of different runs.
func (s *segmenter) scan(start, value operand, distance uint64) {
	if distance >= s.Lanes {
		return
	}
	inRun := s.AtLeast(s.LaneID, s.Add(start, imm(distance)))
	s.When(s.Differ(s.Ballot(inRun), imm(0)), func() {
		other := s.Shuffle(value, s.Sub(s.LaneID, imm(distance)))
		s.SelectTo(value, inRun, s.AddT(value, other), value)
		s.scan(start, value, 2*distance)
	})
}

func (s *Session) reduceStream() { s.segments(BufIndex, BufValue, s.Updates) }

// segments reduces a grouped array level by level, until one warp can finish.
func (s *Session) segments(keys, values int, n uint64) {
	lanes := uint64(s.Machine.Lanes)
	for ones := s.Call.Operand == device.One; ; ones = false {
		level := &segmenter{keys: keys, values: values, ones: ones, Updater: NewUpdater("segreduce",
			segmentArgs, impl.Spec{}, s.Call, s.Machine.Lanes)}
		wide, last := s.Wide(n), n <= 4*lanes
		perWarp, warps, threads := max(n, lanes), uint64(1), lanes
		if !last {
			resident := wide.Blocks * 256 / lanes
			perWarp = max(2*lanes, ((n+resident-1)/resident+lanes-1)/lanes*lanes)
			warps, threads = (n+perWarp-1)/perWarp, 256
			level.carryKeys = s.Buffer(machine.Counters(2 * warps))
			level.carryValues = s.Buffer(s.Typed(2 * warps))
		}
		perBlock := threads / lanes
		wide.Blocks, wide.Threads = (warps+perBlock-1)/perBlock, int(threads)
		s.Launch(level.kernel(), wide, n, perWarp)
		if last {
			return
		}
		keys, values, n = level.carryKeys, level.carryValues, 2*warps
	}
}
