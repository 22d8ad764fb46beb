package hwsim

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// A block of the atomic form takes a tile of views, each thread several of them,
// and keeps their keys in a hash table of twice as many places.
const (
	claimItems = 4
	claimTile  = claimItems * sortThreads
	claimSlots = 2 * claimTile
)

// The words of shared memory of such a block: the table, the sums of a scan, and
// the place in memory of the block's first key.
const (
	claimSumsAt      = claimSlots
	claimTotalAt     = claimSumsAt + 16
	claimPlaceAt     = claimTotalAt + 1
	claimSharedBytes = 4 * (claimPlaceAt + 1)
)

// The arguments of the map are in the place of an update kernel's: views,
// visitors, and the seed of vr.
const (
	argViews = argUpdates
	argWidth = argBins
)

// viewKey loads a view and makes its key.
func viewKey(b *builder, bufs pageBuffers, view operand) operand {
	page, visitor := b.load(bufs.pages, view), b.load(bufs.people, view)
	return b.add(b.mul(page, b.arg(argWidth)), visitor)
}

// mapKernel writes the keys of all views.
func mapKernel(bufs pageBuffers) *program {
	b := newBuilder("pages.map", updateArgs)
	at := b.add(b.tid(), b.mul(scalarReg(scalarBlock), imm(sortThreads)))
	stride := b.mul(scalarReg(scalarBlocks), imm(sortThreads))
	b.loop(func() {
		b.leaveUnless(b.less(at, b.arg(argViews)))
		b.scoped(func() { b.store(bufs.mapped, at, viewKey(b, bufs, at)) })
		b.inc(at, stride)
	})
	return b.done()
}

// claimer assembles the map that drops a block's duplicates.
type claimer struct {
	*updater // lends the builder and the votes
	pageBuffers
	thread      operand
	keys, found []operand // found: 1 where the thread's key is new to the block
	fresh       operand   // sum of found
}

// distinctKernel lets every view claim a place of the block's table for its key,
// by compare-and-swap: the first one of a key gets it. Keys that are new go to
// memory, block by block in the order in which the blocks reserve their places.
func distinctKernel(bufs pageBuffers, how variant.Reduction, lanes uint64) *program {
	u := newUpdater("pages.distinct", updateArgs, variant.Variant{Reduction: how}, device.Call{}, int(lanes))
	c := &claimer{updater: u, pageBuffers: bufs, thread: u.tid()}
	c.masks()
	c.draw(c.gridWarps)
	c.fresh = c.spread(imm(0))
	for i := uint64(0); i < claimSlots; i += sortThreads {
		c.scoped(func() { c.storeShared(false, c.add(c.thread, imm(i)), imm(emptyKey)) })
	}
	for range claimItems {
		c.keys, c.found = append(c.keys, c.vec()), append(c.found, c.spread(imm(0)))
	}
	c.barrier()
	tile := c.mul(scalarReg(scalarBlock), imm(claimTile))
	for j := range c.keys {
		c.scoped(func() {
			at := c.add(c.thread, c.add(tile, imm(uint64(j)*sortThreads)))
			c.inside = c.less(at, c.arg(argViews))
			c.when(c.inside, func() {
				c.mov(c.keys[j], viewKey(c.builder, bufs, at))
				c.when(c.first(c.keys[j]), func() { c.claimPlace(c.keys[j], c.found[j]) }, nil)
				c.inc(c.fresh, c.found[j])
			}, nil)
		})
	}
	c.storeFresh()
	return c.done()
}

// first returns which lanes try for a place: with sr the first of a run of
// neighbours with equal keys, with vr one of the lanes whose key wins the vote,
// beside the lanes with other keys.
func (c *claimer) first(key operand) operand {
	switch c.v.Reduction {
	case variant.SR:
		follows := c.both(c.equal(key, c.shuffle(key, c.left)), c.notFirst)
		return c.both(c.inside, c.not(follows))
	case variant.VR:
		return c.both(c.inside, c.not(c.member(c.laneID, c.outvoted(key))))
	}
	return c.inside
}

// outvoted returns the mask of the lanes that share the key of a sampled lane,
// but for the lowest, if there are enough of them; [egielski14] Algorithm 2.
func (c *claimer) outvoted(key operand) operand {
	element, out := c.uni(), c.uni()
	c.mov(element, c.state)
	c.inc(c.state, c.advance)
	c.mov(out, imm(0))
	_, voters := c.vote(key, c.ballot(c.inside), element)
	c.when(c.enough(voters), func() { c.to(out, opAnd, voters, c.sub(voters, imm(1))) }, nil)
	return out
}

// claimPlace looks for the key from its hash on, and sets found to 1 where it takes
// a free place.
func (c *claimer) claimPlace(key, found operand) {
	hash := c.shr(c.mul(key, imm(hashFactor)), imm(uint64(32-bits.Len(claimSlots-1))))
	slot := c.and(hash, imm(claimSlots-1))
	c.loop(func() {
		old := c.claimShared(slot, key)
		c.selectTo(found, c.equal(old, imm(emptyKey)), imm(1), imm(0))
		other := c.both(c.differ(old, imm(emptyKey)), c.differ(old, key))
		c.leaveUnless(other)
		c.to(slot, opAnd, c.add(slot, imm(1)), imm(claimSlots-1))
	})
}

// storeFresh writes the new keys of the block behind those of other blocks.
func (c *claimer) storeFresh() {
	place := blockScan(c.builder, c.fresh, c.laneID, c.lanes, claimSumsAt)
	total := blockTotal(c.builder, c.fresh, place, claimTotalAt)
	c.when(c.equal(c.thread, imm(0)), func() {
		zero := c.spread(imm(0))
		c.storeShared(false, c.spread(imm(claimPlaceAt)), c.atomicReturn(c.total, zero, total))
	}, nil)
	c.barrier()
	c.inc(place, c.loadShared(false, c.spread(imm(claimPlaceAt))))
	for j := range c.keys {
		c.when(c.differ(c.found[j], imm(0)), func() { c.store(c.mapped, place, c.keys[j]) }, nil)
		c.inc(place, c.found[j])
	}
}
