package hwsim

import "github.com/atomtune/atomtune/device"

// The arguments of a segmented reduction.
const (
	argLength  = iota // elements
	argPerWarp        // elements per warp, a multiple of the warp's lanes
	segmentArgs
)

// segmentBuffers names the arrays of one level of a segmented reduction. The
// carries are the first and last partial sums of every warp, which the next
// level reduces; without carries the level is the last and has one warp.
type segmentBuffers struct {
	keys, values, carryKeys, carryValues int
	ones                                 bool // every value is 1, there is no array
}

func (s segmentBuffers) last() bool { return s.carryKeys == 0 }

// segmenter assembles a level.
type segmenter struct {
	*builder
	segmentBuffers
	call     device.Call
	lanes    uint64
	laneID   operand
	upTo     operand
	warp     operand
	firstKey operand // of the warp's interval
	carryKey operand // of the segment that the last turn left open
	carry    operand // its sum so far
}

// segmentKernel reduces a grouped array: each warp walks over an interval with
// a carry, writes the segments that lie inside it with plain stores, and leaves
// its first and last segment, which neighbours may share, to the next level.
// The scheme is that of the segmented reduction of CUSP's coordinate-format
// product, [egielski14] section 2.
func segmentKernel(bufs segmentBuffers, call device.Call, lanes int) *program {
	s := &segmenter{builder: newBuilder("segreduce", segmentArgs), segmentBuffers: bufs, call: call, lanes: uint64(lanes)}
	s.laneID = s.lane()
	s.upTo = s.or(s.shl(s.sub(s.shl(imm(1), s.laneID), imm(1)), imm(1)), imm(1))
	s.warp = s.add(s.mul(scalarReg(scalarBlock), scalarReg(scalarWarps)), scalarReg(scalarWarp))
	begin := s.mul(s.warp, s.arg(argPerWarp))
	s.when(s.less(begin, s.arg(argLength)), func() {
		end := s.min(s.add(begin, s.arg(argPerWarp)), s.arg(argLength))
		at := s.add(s.laneID, begin)
		s.firstKey, s.carryKey, s.carry = s.uni(), s.uni(), s.uni()
		head := s.vec()
		s.mov(head, begin)
		s.unary(s.firstKey, opFirst, s.load(bufs.keys, head))
		s.mov(s.carryKey, s.firstKey)
		s.mov(s.carry, imm(neutral(call)))
		s.loop(func() {
			inside := s.less(at, end)
			s.leaveUnless(inside)
			s.turn(at, inside)
			s.inc(at, imm(s.lanes))
		})
		s.when(s.equal(s.laneID, imm(0)), s.close, nil)
	}, nil)
	return s.done()
}

// turn takes one warp's width of elements.
func (s *segmenter) turn(at, inside operand) {
	key := s.load(s.keys, at)
	value := s.vec()
	if s.ones {
		s.mov(value, imm(oneOf(s.call.Type)))
	} else {
		s.mov(value, s.load(s.values, at))
	}
	active := s.ballot(inside)
	lane0 := s.equal(s.laneID, imm(0))
	goesOn := s.equal(key, s.carryKey)
	s.when(s.both(lane0, goesOn), func() { s.to(value, opAddT, value, s.carry) }, nil)
	s.when(s.both(lane0, s.not(goesOn)), func() {
		s.flush(s.spread(s.carryKey), s.spread(s.carry))
	}, nil)
	heads, start := s.segments(key)
	s.scan(start, value, 1)
	last := s.unary(s.uni(), opFls, active)
	end := s.andNot(active, s.shr(active, imm(1)))
	tails := s.or(s.shr(heads, imm(1)), end)
	ends := s.both(s.member(s.laneID, tails), s.differ(s.laneID, last))
	s.when(ends, func() { s.flush(key, value) }, nil)
	s.unary(s.carryKey, opFirst, s.shuffle(key, last))
	s.unary(s.carry, opFirst, s.shuffle(value, last))
}

// flush writes complete segments: to their target or, if they began at the
// interval's first element, to the warp's first carry.
func (s *segmenter) flush(key, value operand) {
	if s.last() {
		s.store(bufTarget, key, made(s.builder, s.call, value))
		return
	}
	s.when(s.equal(key, s.firstKey), func() {
		s.store(s.carryKeys, s.spread(s.shl(s.warp, imm(1))), key)
		s.store(s.carryValues, s.spread(s.shl(s.warp, imm(1))), value)
	}, func() { s.store(bufTarget, key, made(s.builder, s.call, value)) })
}

// close writes the open segment: the last level to its target, the others to
// the warp's second carry; a segment that fills the interval is both carries,
// the second of them empty.
func (s *segmenter) close() {
	if s.last() {
		s.store(bufTarget, s.spread(s.carryKey), made(s.builder, s.call, s.spread(s.carry)))
		return
	}
	second := s.spread(s.add(s.shl(s.warp, imm(1)), imm(1)))
	whole := s.equal(s.spread(s.carryKey), s.firstKey)
	s.store(s.carryKeys, second, s.spread(s.carryKey))
	s.when(whole, func() {
		s.flush(s.spread(s.carryKey), s.spread(s.carry))
		s.store(s.carryValues, second, s.spread(imm(neutral(s.call))))
	}, func() { s.store(s.carryValues, second, s.spread(s.carry)) })
}

// segments finds the heads of the runs of equal neighbours among the active
// lanes, which are the lowest ones. It returns the mask of heads and, per lane,
// the lane at which its run begins.
func (s *segmenter) segments(key operand) (heads, start operand) {
	before := s.shuffle(key, s.sub(s.laneID, imm(1)))
	heads = s.or(s.ballot(s.differ(key, before)), imm(1))
	start = s.unary(s.vec(), opFls, s.and(s.upTo, heads))
	return heads, start
}

// scan adds up each run in distances 1, 2, 4 and so on, a lane never reaching
// beyond the head of its own run, and stops when no run is longer. [egielski14]
// Algorithm 1, mended: the printed form compares indices only, and so joins equal
// indices of different runs.
func (s *segmenter) scan(start, value operand, distance uint64) {
	if distance >= s.lanes {
		return
	}
	inRun := s.atLeast(s.laneID, s.add(start, imm(distance)))
	s.when(s.differ(s.ballot(inRun), imm(0)), func() {
		other := s.shuffle(value, s.sub(s.laneID, imm(distance)))
		s.selectTo(value, inRun, s.addT(value, other), value)
		s.scan(start, value, 2*distance)
	}, nil)
}
