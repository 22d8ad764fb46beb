package apps

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// A block of the atomic form takes a tile of views, each thread several of them,
// and keeps their keys in a hash table of twice as many places.
const (
	distinctItems = 4
	distinctTile  = distinctItems * kernel.SortThreads
	distinctSlots = 2 * distinctTile
)

// The words of shared memory of such a block: the table, the sums of a scan, and
// the place in memory of the block's first key.
const (
	distinctSumsAt      = distinctSlots
	distinctTotalAt     = distinctSumsAt + 16
	distinctPlaceAt     = distinctTotalAt + 1
	distinctSharedBytes = 4 * (distinctPlaceAt + 1)
)

// viewKey loads a view and makes its key. Views and visitors are the arguments in the place
// of an update kernel's updates and bins.
func viewKey(b *machine.Builder, bufs pageBuffers, view operand) operand {
	page, visitor := b.Load(bufs.pages, view), b.Load(bufs.people, view)
	return b.Add(b.Mul(page, b.Arg(kernel.ArgBins)), visitor)
}

// mapKernel writes the keys of all views.
func mapKernel(bufs pageBuffers) *machine.Program {
	b := machine.NewBuilder("pages.map", kernel.UpdateArgs)
	at := b.Add(b.Tid(), b.Mul(machine.BlockID, imm(kernel.SortThreads)))
	stride := b.Mul(machine.GridBlocks, imm(kernel.SortThreads))
	b.For(at, b.Arg(kernel.ArgUpdates), stride, func() {
		b.Scoped(func() { b.Store(bufs.mapped, at, viewKey(b, bufs, at)) })
	})
	return b.Done()
}

// deduplicator assembles the map that drops a block's duplicates.
type deduplicator struct {
	*kernel.Updater // lends the builder and the votes
	pageBuffers
	thread      operand
	keys, found []operand // found: 1 where the thread's key is new to the block
	fresh       operand   // sum of found
}

// distinctKernel lets every view take a place of the block's table for its key,
// by compare-and-swap: the first one of a key gets it. Keys that are new go to
// memory, block by block in the order in which the blocks reserve their places.
func distinctKernel(bufs pageBuffers, how impl.Reduction, lanes uint64) *machine.Program {
	u := kernel.NewUpdater("pages.distinct", kernel.UpdateArgs, impl.Spec{Reduction: how},
		device.Call{}, int(lanes))
	c := &deduplicator{Updater: u, pageBuffers: bufs, thread: u.Tid()}
	c.Masks()
	c.Draw(c.GridWarps)
	c.fresh = c.Spread(imm(0))
	for i := uint64(0); i < distinctSlots; i += kernel.SortThreads {
		c.Scoped(func() { c.StoreShared(false, c.Add(c.thread, imm(i)), imm(machine.EmptyKey)) })
	}
	for range distinctItems {
		c.keys, c.found = append(c.keys, c.Vec()), append(c.found, c.Spread(imm(0)))
	}
	c.Barrier()
	tile := c.Mul(machine.BlockID, imm(distinctTile))
	for j := range c.keys {
		c.Scoped(func() {
			at := c.Add(c.thread, c.Add(tile, imm(uint64(j)*kernel.SortThreads)))
			c.Inside = c.Less(at, c.Arg(kernel.ArgUpdates))
			c.When(c.Inside, func() {
				c.Mov(c.keys[j], viewKey(c.Builder, bufs, at))
				c.When(c.first(c.keys[j]), func() { c.insertKey(c.keys[j], c.found[j]) })
				c.Inc(c.fresh, c.found[j])
			})
		})
	}
	c.storeFresh()
	return c.Done()
}

// first returns which lanes try for a place: with sr the first of a run of
// neighbours with equal keys; with vr one of the lanes whose key wins the vote,
// beside the lanes with other keys, if there are enough, [egielski14] Algorithm 2.
func (c *deduplicator) first(key operand) operand {
	switch c.Implementation.Reduction {
	case impl.SR:
		follows := c.Both(c.Equal(key, c.Shuffle(key, c.Left)), c.NotFirst)
		return c.Both(c.Inside, c.Not(follows))
	case impl.VR:
		element, out := c.Uni(), c.Uni() // out: the lanes with the key, but for the lowest
		c.Mov(element, c.State)
		c.Inc(c.State, c.Advance)
		c.Mov(out, imm(0))
		_, voters := c.Vote(key, c.Ballot(c.Inside), element)
		c.When(c.Enough(voters), func() { c.To(out, machine.OpAnd, voters, c.Sub(voters, imm(1))) })
		return c.Both(c.Inside, c.Not(c.Member(c.LaneID, out)))
	}
	return c.Inside
}

// insertKey looks for the key from its hash on, and sets found to 1 where it takes
// a free place.
func (c *deduplicator) insertKey(key, found operand) {
	hash := c.Shr(c.Mul(key, imm(splitmix.Knuth)), imm(uint64(32-bits.Len(distinctSlots-1))))
	slot := c.And(hash, imm(distinctSlots-1))
	c.Loop(func() {
		old := c.CompareSwapShared(slot, key)
		c.SelectTo(found, c.Equal(old, imm(machine.EmptyKey)), imm(1), imm(0))
		other := c.Both(c.Differ(old, imm(machine.EmptyKey)), c.Differ(old, key))
		c.LeaveUnless(other)
		c.To(slot, machine.OpAnd, c.Add(slot, imm(1)), imm(distinctSlots-1))
	})
}

// storeFresh writes the new keys of the block behind those of other blocks.
func (c *deduplicator) storeFresh() {
	place := kernel.BlockScan(c.Builder, c.fresh, c.LaneID, c.Lanes, distinctSumsAt)
	total := blockTotal(c.Builder, c.fresh, place, distinctTotalAt)
	c.When(c.Equal(c.thread, imm(0)), func() {
		zero := c.Spread(imm(0))
		c.StoreShared(false, c.Spread(imm(distinctPlaceAt)), c.AtomicReturn(c.total, zero, total))
	})
	c.Barrier()
	c.Inc(place, c.LoadShared(false, c.Spread(imm(distinctPlaceAt))))
	for j := range c.keys {
		c.When(c.Differ(c.found[j], imm(0)), func() { c.Store(c.mapped, place, c.keys[j]) })
		c.Inc(place, c.found[j])
	}
}
