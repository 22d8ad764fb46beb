package speedup

// grid is how a kernel with copies is launched on a stream, and what follows
// for its flush.
type grid struct {
	perSM                       float64 // blocks; 0: not worked out
	threads, invThreads, blocks float64
	turns                       float64 // of the warp with most
	warps, invTurns             float64 // of a block; 1 / turns
	sums                        float64 // targets that a thread adds up in the flush
	perBlock                    float64 // 1 / blocks
	lock                        float64 // microseconds per cycle that a lock is held, over the blocks
	zeroIssue, zeroPort         float64 // microseconds of a cleared counter
	zeroStep                    float64 // the same for latency
	flushIssue                  float64 // microseconds of the flush without its sums
	sumIssue, sumPort           float64 // microseconds of a copy in the sums
	targets                     float64 // microseconds in which the targets take the sums; below 0: not worked out
	leastUS                     float64 // microseconds that the updates of a warp without reductions take at least
}

// grids are the launches of the private implementations priced so far for a
// stream: the one in which an SM holds as many blocks of 256 threads as it can,
// and the last other one.
type grids struct{ small, other grid }

// launch returns the launch that device.Shape gives for so many bytes of copies in
// a block, worked out unless it is the small one and known, or the last other one:
// blocks of 256 threads, of 1,024 where the copies leave too few of them on an SM,
// as many as are resident at once.
func (b *Bundle) launch(need float64, st *stream, all *grids) *grid {
	if need <= b.smallBytes {
		if all.small.perSM == 0 {
			b.setGrid(&all.small, b.mostSmall, directThreads, 1.0/directThreads, b.invWarpsSmall, st)
		}
		return &all.small
	}
	fit := float64(int64(b.sharedPerSM / need))
	threads, inverse, most, warps := float64(directThreads), 1.0/directThreads, b.mostSmall, b.invWarpsSmall
	if fit < b.fewSmall {
		threads, inverse, most, warps = b.threadsLarge, b.invThreadsLarge, b.mostLarge, b.invWarpsLarge
	}
	fit = larger(1, smaller(fit, most))
	if all.other.perSM != fit || all.other.threads != threads {
		b.setGrid(&all.other, fit, threads, inverse, warps, st)
	}
	return &all.other
}

// setGrid fills in a launch of so many blocks per SM.
func (b *Bundle) setGrid(g *grid, fit, threads, inverse, warps float64, st *stream) {
	g.perSM, g.threads, g.invThreads = fit, threads, inverse
	g.blocks = fit * b.sms
	if all := st.updates * inverse; all < g.blocks {
		g.blocks = whole(all)
	}
	g.perBlock = 1 / g.blocks
	g.turns = whole(st.turns * g.perBlock * warps)
	g.warps = smaller(threads*b.perLane, st.turns*g.perBlock)
	g.invTurns = 1 / g.turns
	g.sums = whole(st.bins * inverse)
	g.targets = -1
	b.setZero(g, st)
	l := &b.least[Copies]
	g.leastUS = b.leastUpdate(st, g.turns, l.instructions, l.exchange, l.latency)
}

// setTargets fills in what depends on how the updates of a block collide.
func (b *Bundle) setTargets(g *grid, st *stream, x *bounds) {
	g.lock = b.gathered(st, g) * g.perBlock * b.cycle
	g.targets = b.flushTargets(st, g, x)
}

// gathered is how many times more of the most frequent target's adds meet at one
// copy than an even spread over blocks and time gives: the lanes that wait are
// those of a block's most frequent target, BlockLevel of its threads in each
// turn. After the first turn warps drift apart, which leaves most of it.
func (b *Bundle) gathered(st *stream, g *grid) float64 {
	drifted := larger(stillTogether*st.updates, smaller(st.updates, g.blocks*g.threads))
	return larger(1, st.BlockLevel*drifted/st.maxFrequency)
}

// stillTogether is the share of the adds that wait as if a block's warps kept
// step, between the recorded streams of short and of long runs on the H200.
const stillTogether = 0.7
