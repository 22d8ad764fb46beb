package hwsim

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
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
	*updater // lends the builder and the ways of adding
	mergeBuffers
	thread operand // number in the block
	begin  operand // first key of the tile
	valid  operand // keys in the tile
}

// tileKernel sorts one tile per block. In the atomic form it then brings the
// different keys together and counts how often each occurs. Its arguments are
// those of an update kernel: keys, places that may be counted, seed.
func tileKernel(bufs mergeBuffers, how variant.Reduction, lanes int) *program {
	w := &tileWorker{mergeBuffers: bufs, updater: newUpdater("merge.tile", updateArgs,
		variant.Variant{Base: variant.Private, Reduction: how}, countOne(), lanes)}
	w.copyAt = imm(tileFreqsAt)
	w.thread = w.tid()
	w.begin = w.mul(scalarReg(scalarBlock), imm(mergeTile))
	w.valid = w.min(w.sub(w.arg(argUpdates), w.begin), imm(mergeTile))
	w.inside = w.less(w.thread, w.valid)
	w.loadTile()
	w.sortTile()
	if bufs.unique {
		w.countDuplicates()
		return w.done()
	}
	w.when(w.inside, func() {
		w.store(bufs.keys, w.add(w.thread, w.begin), w.loadShared(false, w.thread))
	}, nil)
	return w.done()
}

// loadTile brings the keys into shared memory. Places beyond the end take the
// highest key, and so stay behind every other.
func (w *tileWorker) loadTile() {
	key := w.vec()
	w.mov(key, imm(1<<32-1))
	w.when(w.inside, func() { w.mov(key, w.load(w.input, w.add(w.thread, w.begin))) }, nil)
	w.storeShared(false, w.thread, key)
}

// sortTile is Batcher's odd-even merge network over the tile, unrolled: half of
// the threads compare and exchange two keys per step.
func (w *tileWorker) sortTile() {
	comparing := w.less(w.thread, imm(mergeTile/2))
	for size := uint64(2); size <= mergeTile; size *= 2 {
		for stride := size / 2; stride > 0; stride /= 2 {
			w.barrier()
			w.when(comparing, func() { w.networkStep(size, stride) }, nil)
		}
	}
	w.barrier()
}

func (w *tileWorker) networkStep(size, stride uint64) {
	low := w.sub(w.shl(w.thread, imm(1)), w.and(w.thread, imm(stride-1)))
	if stride == size/2 {
		w.compareExchange(low, w.add(low, imm(stride)))
		return
	}
	// Later steps of a merge leave its ends alone.
	within := w.atLeast(w.and(w.thread, imm(size/2-1)), imm(stride))
	w.when(within, func() { w.compareExchange(w.sub(low, imm(stride)), low) }, nil)
}

func (w *tileWorker) compareExchange(low, high operand) {
	a, b := w.loadShared(false, low), w.loadShared(false, high)
	w.storeShared(false, low, w.min(a, b))
	w.storeShared(false, high, w.max(a, b))
}

// countDuplicates gives the first of each run of equal keys the next place, adds
// 1 to the place's frequency for every key, and stores keys and frequencies.
func (w *tileWorker) countDuplicates() {
	w.masks()
	w.draw(w.gridWarps)
	key := w.loadShared(false, w.thread)
	before := w.loadShared(false, w.sub(w.max(w.thread, imm(1)), imm(1)))
	first := firstOfRun(w.builder, w.thread, key, before, w.inside)
	w.storeShared(false, w.add(w.thread, imm(tileFreqsAt)), imm(0))
	scanned := blockScan(w.builder, first, w.laneID, w.lanes, tileSumsAt)
	place := w.sub(w.add(scanned, first), imm(1))
	w.when(w.inside, func() {
		one := w.vec()
		w.mov(one, imm(oneOf(device.U32)))
		w.reduceAndAdd(place, one)
	}, nil)
	w.when(w.differ(first, imm(0)), func() { w.store(w.keys, w.add(place, w.begin), key) }, nil)
	w.when(w.equal(w.thread, w.sub(w.valid, imm(1))), func() {
		unique := w.add(place, imm(1))
		w.storeShared(false, w.spread(imm(tileUniqueAt)), unique)
		w.store(w.counts, w.spread(scalarReg(scalarBlock)), unique)
	}, nil)
	w.barrier()
	unique := w.loadShared(false, w.spread(imm(tileUniqueAt)))
	w.when(w.less(w.thread, unique), func() {
		w.store(w.freqs, w.add(w.thread, w.begin), w.loadShared(false, w.add(w.thread, imm(tileFreqsAt))))
	}, nil)
}
