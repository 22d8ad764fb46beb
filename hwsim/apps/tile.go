package apps

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// The words of shared memory of a block that sorts a tile: the keys, their
// frequencies, the sums of a scan, and the number of different keys.
const (
	tileFreqsAt     = mergeTile
	tileSumsAt      = tileFreqsAt + mergeTile
	tileUniqueAt    = tileSumsAt + 16
	tileSharedBytes = 4 * (tileUniqueAt + 2)
)

// tileWorker assembles the kernel that sorts a tile.
type tileWorker struct {
	*kernel.Updater // lends the builder and the ways of adding
	mergeBuffers
	thread operand // number in the block
	begin  operand // first key of the tile
	valid  operand // keys in the tile
}

// tileKernel sorts one tile per block. In the atomic form it then brings the
// different keys together and counts how often each occurs. Its arguments are
// those of an update kernel: keys, places that may be counted, seed.
func tileKernel(bufs mergeBuffers, how impl.Reduction, lanes int) *machine.Program {
	w := &tileWorker{mergeBuffers: bufs, Updater: kernel.NewUpdater("merge.tile", kernel.UpdateArgs,
		impl.Spec{Algorithm: impl.Private, Reduction: how}, countOne(), lanes)}
	w.CopyAt = imm(tileFreqsAt)
	w.thread = w.Tid()
	w.begin = w.Mul(machine.BlockID, imm(mergeTile))
	w.valid = w.Min(w.Sub(w.Arg(kernel.ArgUpdates), w.begin), imm(mergeTile))
	w.Inside = w.Less(w.thread, w.valid)
	// Places beyond the end take the highest key, and so stay behind every other.
	key := w.Spread(imm(1<<32 - 1))
	w.When(w.Inside, func() { w.Mov(key, w.Load(w.input, w.Add(w.thread, w.begin))) })
	w.StoreShared(false, w.thread, key)
	w.sortTile()
	if bufs.unique {
		w.countDuplicates()
		return w.Done()
	}
	w.When(w.Inside, func() {
		w.Store(bufs.keys, w.Add(w.thread, w.begin), w.LoadShared(false, w.thread))
	})
	return w.Done()
}

// sortTile is Batcher's odd-even merge network over the tile, unrolled: half of
// the threads compare and exchange two keys per step.
func (w *tileWorker) sortTile() {
	exchange := func(low, high operand) {
		a, b := w.LoadShared(false, low), w.LoadShared(false, high)
		w.StoreShared(false, low, w.Min(a, b))
		w.StoreShared(false, high, w.Max(a, b))
	}
	step := func(size, stride uint64) {
		low := w.Sub(w.Shl(w.thread, imm(1)), w.And(w.thread, imm(stride-1)))
		if stride == size/2 {
			exchange(low, w.Add(low, imm(stride)))
			return
		}
		// Later steps of a merge leave its ends alone.
		within := w.AtLeast(w.And(w.thread, imm(size/2-1)), imm(stride))
		w.When(within, func() { exchange(w.Sub(low, imm(stride)), low) })
	}
	comparing := w.Less(w.thread, imm(mergeTile/2))
	for size := uint64(2); size <= mergeTile; size *= 2 {
		for stride := size / 2; stride > 0; stride /= 2 {
			w.Barrier()
			w.When(comparing, func() { step(size, stride) })
		}
	}
	w.Barrier()
}

// countDuplicates gives the first of each run of equal keys the next place, adds
// 1 to the place's frequency for every key, and stores keys and frequencies.
func (w *tileWorker) countDuplicates() {
	w.Masks()
	w.Draw(w.GridWarps)
	key := w.LoadShared(false, w.thread)
	before := w.LoadShared(false, w.Sub(w.Max(w.thread, imm(1)), imm(1)))
	first := firstOfRun(w.Builder, w.thread, key, before, w.Inside)
	w.StoreShared(false, w.Add(w.thread, imm(tileFreqsAt)), imm(0))
	scanned := kernel.BlockScan(w.Builder, first, w.LaneID, w.Lanes, tileSumsAt)
	place := w.Sub(w.Add(scanned, first), imm(1))
	w.When(w.Inside, func() { w.ReduceAndAdd(place, w.Spread(imm(arith.OneOf(device.U32)))) })
	w.When(w.Differ(first, imm(0)), func() { w.Store(w.keys, w.Add(place, w.begin), key) })
	w.When(w.Equal(w.thread, w.Sub(w.valid, imm(1))), func() {
		unique := w.Add(place, imm(1))
		w.StoreShared(false, w.Spread(imm(tileUniqueAt)), unique)
		w.Store(w.counts, w.Spread(machine.BlockID), unique)
	})
	w.Barrier()
	unique := w.LoadShared(false, w.Spread(imm(tileUniqueAt)))
	w.When(w.Less(w.thread, unique), func() {
		at := w.Add(w.thread, w.begin)
		w.Store(w.freqs, at, w.LoadShared(false, w.Add(w.thread, imm(tileFreqsAt))))
	})
}

// firstOfRun returns 1 where the key at that position differs from the one
// before it, or has none before it, and 0 elsewhere and where inside does not
// hold.
func firstOfRun(b *machine.Builder, position, key, before, inside operand) operand {
	first := b.Spread(imm(0))
	b.When(inside, func() {
		duplicate := b.Both(b.Equal(key, before), b.Differ(position, imm(0)))
		b.SelectTo(first, duplicate, imm(0), imm(1))
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

// storeTotal stores the sum of x over the block's threads as the block's element of buf.
func storeTotal(b *machine.Builder, buf int, thread, x operand, lanes uint64) {
	total := blockTotal(b, x, kernel.BlockScan(b, x, b.Lane(), lanes, scanOwnAt), scanOwnTotal)
	b.When(b.Equal(thread, imm(0)), func() { b.Store(buf, b.Spread(machine.BlockID), total) })
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
	b.For(k, machine.BlockID, imm(kernel.SortThreads), func() { b.Inc(sum, b.Load(buf, k)) })
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
