package apps

import (
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
)

// firstOfRun returns 1 where the key at that position differs from the one
// before it, or has none before it, and 0 elsewhere and where inside does not
// hold.
func firstOfRun(b *machine.Builder, position, key, before, inside operand) operand {
	first := b.Spread(imm(0))
	b.When(inside, func() {
		again := b.Both(b.Equal(key, before), b.Differ(position, imm(0)))
		b.SelectTo(first, again, imm(0), imm(1))
	})
	return first
}

// blockTotal returns the sum of x over the block's threads, given the sums of x
// before each thread. at is a free word of shared memory.
func blockTotal(b *machine.Builder, x, exclusive operand, at uint64) operand {
	last := b.Equal(b.Tid(), imm(kernel.SortThreads-1))
	b.When(last, func() { b.StoreShared(false, b.Spread(imm(at)), b.Add(exclusive, x)) })
	b.Barrier()
	return b.LoadShared(false, b.Spread(imm(at)))
}

// The words of shared memory of a block that scans a tile: the sums of two
// scans, and their totals.
const (
	scanOwnAt       = 0
	scanBeforeAt    = 16
	scanOwnTotal    = 32
	scanBeforeTotal = 33
	scanSharedBytes = 4 * 34
)

// sumBefore returns the sum of the entries of the blocks before this one in an
// array with one entry per block. Each block sums them again, which saves a
// launch.
func sumBefore(b *machine.Builder, buf int, lanes uint64) operand {
	sum, k := b.Vec(), b.Tid()
	b.Mov(sum, imm(0))
	b.For(k, machine.BlockID, imm(kernel.SortThreads), func() {
		b.Inc(sum, b.Load(buf, k))
	})
	scanned := kernel.BlockScan(b, sum, b.Lane(), lanes, scanBeforeAt)
	return blockTotal(b, sum, scanned, scanBeforeTotal)
}

// search moves low, in each lane, to the first place from low to high at which
// the value is not below the bound; values ascend. It spends both registers.
func search(b *machine.Builder, low, high, bound operand, value func(at operand) operand) {
	b.Loop(func() {
		b.LeaveUnless(b.Less(low, high))
		middle := b.Shr(b.Add(low, high), imm(1))
		halve(b, low, high, middle, b.Less(value(middle), bound))
	})
}

// halve goes on above the middle where above holds, and below it elsewhere.
func halve(b *machine.Builder, low, high, middle, above operand) {
	b.SelectTo(high, above, high, middle)
	b.SelectTo(low, above, b.Add(middle, imm(1)), low)
}
