package speedup

// count is the number of instructions that a warp executes for one piece of a
// kernel: arithmetic and control, shuffles and ballots.
type count struct{ alu, shuffles, ballots float64 }

// price is what a count comes to on a device: warp instructions, cycles of latency where each
// instruction waits for the one before it, and cycles of the exchange port.
type price struct{ issued, latency, busy float64 }

func (c count) price(r *rates) price {
	return price{c.alu + c.shuffles*(1+r.exchangeCost) + c.ballots*(1+r.ballotCost),
		c.alu*r.alu + c.shuffles*r.shuffle + c.ballots*r.ballot,
		c.shuffles*r.shufflePort + c.ballots*r.ballotPort}
}

// and is the price with so many times another.
func (p price) and(times float64, of price) price {
	return price{p.issued + times*of.issued, p.latency + times*of.latency,
		p.busy + times*of.busy}
}

// prices are those of a recipe's parts.
type prices struct{ setup, perKey, enter, step price }

func (c *recipe) prices(r *rates) prices {
	return prices{c.setup.price(r), c.perKey.price(r), c.enter.price(r), c.step.price(r)}
}

// recipe is how a warp reduction spends its instructions.
type recipe struct {
	setup  count // in every iteration, before any step
	perKey count // for each distinct key of the warp; of vr, for each further sample
	enter  count // before the first step, in turns that reduce
	step   count // for each step of the reduction
	// groups: it finds all groups of equal keys. matches: the match instruction finds them.
	groups, matches bool
}

// Warp instructions of the other pieces of the kernels.
const (
	loopInstructions   = 5 // compare, branch, advance, mask, offset
	loadInstructions   = 2 // address and load
	atomicInstructions = 2 // address and atomic
	swapInstructions   = 4 // load, add, compare-and-swap, branch: per iteration of the loop
	zeroInstructions   = 3 // store, advance, branch
	sumInstructions    = 3 // load, add, advance
	flushInstructions  = 5 // compare with zero, address, atomic, advance, branch
	copyInstructions   = 4 // address, load, add, store on a counter of one's own
	digitInstructions  = 6 // digit, address, shared atomic and its share of the set-up

	// rankInstructions are those of a radix sort's pass over 32 keys: a vote on each of the 8 bits
	// with its mask (3 each), rank and count, exchange through shared memory, scatter.
	rankInstructions = 8*3 + 24
	segmentSteps     = 4 // instructions per step of a segmented scan
)
