package speedup

import (
	"cmp"
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/speedup/elteir"
)

// Calls are in switches here, since streams that functions of a table take would be allocated.

// price returns the time of an implementation whose reduction's adds are at hand, and
// fills in the bounds of its phases.
func (b *Bundle) price(c *candidate, e *evaluation) float64 {
	st, x := &e.st, &e.x
	if st.Bins > c.bins || c.grouped && st.Runs != st.Unique || c.table.slots > 0 && !st.HotKnown() {
		return math.Inf(1)
	}
	switch c.v.Algorithm {
	case impl.Private:
		switch {
		case c.copies.ranges > 1:
			return b.rangesUS(c, e)
		case b.c.Returns:
			return b.privateFetchUS(c, e)
		}
		return b.privateUS(c, e)
	case impl.Hot:
		return b.hotUS(c, e)
	case impl.Partition:
		return b.partitionUS(c, e)
	case impl.Coordinator:
		return b.coordinatorUS(st, x)
	case impl.Sort:
		return b.sortUS(st, x)
	case impl.SegReduce:
		return b.segReduceUS(st, x)
	case impl.ThreadPrivate:
		return b.threadPrivateUS(st, x)
	}
	return st.updates*c.perUS + st.start +
		b.updateTargets(e.adds.price, probed{}, &e.adds, 1, st.hotChunks, st, &st.direct, &x[0], &x[1])
}

// prepare computes what the price of an implementation needs beside the rates, and for
// how many targets the device can run it.
func (b *Bundle) prepare(c *candidate) {
	c.bins = 1 << 32
	if c.v.Site() == impl.PerBlock {
		c.copies = b.copiesOf(c.v)
		c.returning = b.returning(c.copies)
	}
	switch c.v.Algorithm {
	case impl.Private:
		limit := uint64(b.d.Shared.BytesPerBlock.Value)
		c.bins = limit/uint64(c.v.R()*b.c.Type.Bytes()) - uint64(c.v.Pad)
		c.bins *= uint64(c.v.G())
	case impl.Hot:
		c.table = b.tableOf(c.v)
	case impl.Partition:
		c.counters, c.placing = b.countersOf(false), b.countersOf(true)
		c.bins = min(c.bins, b.limits.MostParted(c.v, b.c.Type))
	case impl.Coordinator:
		b.coordinator, _ = elteir.NewPipelined(b.d) // Check has seen that there are two paths
	case impl.ThreadPrivate:
		threads := cmp.Or(uint64(b.fixed.Threads), b.lanesPerWarp)
		c.bins = uint64(b.d.Shared.BytesPerBlock.Value) / (threads * uint64(b.c.Type.Bytes()))
	}
}

// reduce sets what a reduction leaves of a stream's adds, and its cost. Where the host re-lays
// whole warps (sr+ss), each warp keeps its updates, so its adds are those of sr.
func (b *Bundle) reduce(r *reduction, st *stream, a *adds) {
	*a = st.plain
	switch r.kind {
	case impl.SR:
		b.scan(r, st, a)
	case impl.VR:
		b.vote(r, st, a)
	case impl.Peers:
		if r.masks == impl.Hash {
			b.hashGroups(r, st, a)
		} else {
			b.group(r, st.DistinctPerWarp, st, a)
		}
	case impl.Match:
		b.matchGroups(r, st, a)
	default:
		if !r.scattered {
			return
		}
		b.scatter(st, a)
	}
	b.finish(st, a)
}

// recipes hold the instruction counts of the warp reductions, counted in the inner loops of the
// CUDA header's kernels. They belong to the algorithms, not to a device.
//
//	sr     compare with the lane below, vote whether any is equal; where its own run
//	       ends; per step shuffle, compare with that end, add, find longer runs
//	vr     draw a lane, fetch its index, compare, vote, count, compare with the
//	       threshold, again for each further sample; enter and step as peers
//	peers  per key find the first unclaimed lane, fetch its key, compare, vote,
//	       keep the vote, strike out, branch; rank among the peers; per step vote
//	       whether any goes on, find the next peer, fetch, add, vote on the ranks,
//	       strike out, halve the rank [westphal15]
//	match  as peers with one match instruction in place of the loop
var recipes = [impl.ReductionCount]recipe{
	impl.SR: {
		setup: count{alu: 4, shuffles: 1, ballots: 1},
		enter: count{alu: 6}, step: count{alu: 9, shuffles: 1},
	},
	impl.VR: {
		setup: count{alu: 12, shuffles: 1, ballots: 1}, perKey: count{alu: 17, shuffles: 1, ballots: 1},
		enter: count{alu: 8, ballots: 1}, step: count{alu: 11, shuffles: 1, ballots: 2},
	},
	impl.Peers: {
		groups: true,
		perKey: count{alu: 7, shuffles: 1, ballots: 1},
		enter:  count{alu: 7, ballots: 1}, step: count{alu: 11, shuffles: 1, ballots: 2},
	},
	impl.Match: {
		groups: true, matches: true,
		enter: count{alu: 7, ballots: 1}, step: count{alu: 11, shuffles: 1, ballots: 2},
	},
}

// fetched are the entry and the steps of a reduction whose lanes need old values: per group find its
// lanes below and its highest lane, shift the sums by a lane, shuffle and add the old value; per
// step of the scan vote whether any goes on, find the next peer below, fetch its sum and its next,
// add. They are counted in the CUDA header's text, and with sr the lanes of the run.
var fetched = recipe{enter: count{alu: 13, shuffles: 2},
	step: count{alu: 5, shuffles: 2, ballots: 1}}

// recipeOf returns the recipe of a reduction in such a call.
func recipeOf(r impl.Reduction, c device.Call) recipe {
	p := recipes[r]
	if c.Returns && r != impl.None {
		p.enter, p.step = fetched.enter, fetched.step
	}
	if c.Operand == device.One && c.Op == device.Add {
		p.step = count{} // lanes are counted in a mask
	}
	return p
}

// Setup returns the setup overhead s of sr in inequality (1) of [egielski14], or of vr in (2), on
// the device, in steps of reduction: (setup + enter) / step in cycles of latency, each instruction
// waiting for the one before it.
func Setup(d *device.Profile, red impl.Reduction) float64 {
	r := ratesOf(d, device.Call{})
	p := recipes[red].prices(&r)
	return (p.setup.latency + p.enter.latency) / p.step.latency
}

// Thresholds returns the thresholds of [egielski14] for the device's warps: the lanes on one target
// from which sr and vr reduce, at least impl.MinThreshold. One above the warp's lanes says that
// the reduction never pays. They are not defaults: THEORY.md says why.
func Thresholds(d *device.Profile) (sr, vr int) {
	lanes := int(d.Core.WarpLanes.Value)
	sr, vr = ThresholdSR(Setup(d, impl.SR)), ThresholdVR(lanes, Setup(d, impl.VR))
	return max(impl.MinThreshold, sr), max(impl.MinThreshold, vr)
}
