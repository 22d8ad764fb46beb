package apps

import (
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
)

// restore writes each key as often as it occurs.
func (s *mergeSorter) restore() error {
	keys, args := mergeTiles(s.left), []uint64{s.n, s.left}
	s.runBlocks(sumsKernel(s.mergeBuffers, s.lanes), keys, mergeTile, scanSharedBytes, args...)
	s.runBlocks(startsKernel(s.mergeBuffers, s.lanes), keys, mergeTile, scanSharedBytes, args...)
	s.runBlocks(expandKernel(s.mergeBuffers), mergeTiles(s.n), mergeTile, expandSharedBytes, args...)
	return s.Err
}

// The arguments of the kernels that restore: places of the result, and keys that
// are left, one per different key of a tile.
const (
	argRestorePlaces = iota
	argRestoreKeys
	restoreArgs
)

// restorer assembles the kernels.
type restorer struct {
	*machine.Builder
	mergeBuffers
	thread operand
	at     operand // the thread's key
	begin  operand // first place of the block
}

func newRestorer(name string, bufs mergeBuffers) *restorer {
	r := &restorer{Builder: machine.NewBuilder(name, restoreArgs), mergeBuffers: bufs}
	r.thread = r.Tid()
	r.begin = r.Mul(machine.BlockID, imm(mergeTile))
	r.at = r.Add(r.thread, r.begin)
	return r
}

// frequency loads the frequency of the thread's key, 0 beyond the last one.
func (r *restorer) frequency() operand {
	f := r.Spread(imm(0))
	r.When(r.Less(r.at, r.Arg(argRestoreKeys)), func() { r.Mov(f, r.Load(r.freqs, r.at)) })
	return f
}

// sumsKernel sums the frequencies of each tile of keys.
func sumsKernel(bufs mergeBuffers, lanes uint64) *machine.Program {
	r := newRestorer("merge.sums", bufs)
	storeTotal(r.Builder, bufs.sums, r.thread, r.frequency(), lanes)
	return r.Done()
}

// startsKernel finds where the copies of each key begin. The key whose copies
// reach over the beginning of a tile of the result is that tile's first; no key
// of a tile occurs more often than the tile has places, so there is one
// beginning at most.
func startsKernel(bufs mergeBuffers, lanes uint64) *machine.Program {
	r := newRestorer("merge.starts", bufs)
	f := r.frequency()
	scanned := kernel.BlockScan(r.Builder, f, r.Lane(), lanes, scanOwnAt)
	start := r.Add(scanned, sumBefore(r.Builder, bufs.sums, lanes))
	r.When(r.Less(r.at, r.Arg(argRestoreKeys)), func() {
		r.Store(r.starts, r.at, start)
		tile := r.Shr(r.Add(start, imm(mergeTile-1)), imm(mergeTileBits))
		reaches := r.Less(r.Shl(tile, imm(mergeTileBits)), r.Add(start, f))
		r.When(reaches, func() { r.Store(r.firsts, tile, r.at) })
	})
	return r.Done()
}

// The words of shared memory of a block that writes a tile of the result: where
// the copies of its keys begin, and the keys.
const (
	expandKeysAt      = mergeTile
	expandSharedBytes = 4 * 2 * mergeTile
)

// expandKernel writes one tile of the result per block: its keys, one per place
// at most, come to shared memory, and each thread searches the key whose copies
// cover its place.
func expandKernel(bufs mergeBuffers) *machine.Program {
	r := newRestorer("merge.expand", bufs)
	tile := r.Spread(machine.BlockID)
	first := r.Unary(r.Uni(), machine.OpFirst, r.Load(r.firsts, tile))
	limit := r.Uniform(r.Arg(argRestoreKeys))
	next := r.Add(r.begin, imm(mergeTile))
	r.When(r.Less(next, r.Arg(argRestorePlaces)), func() {
		last := r.Unary(r.Uni(), machine.OpFirst, r.Load(r.firsts, r.Add(tile, imm(1))))
		r.To(limit, machine.OpAdd, last, imm(1))
	})
	count := r.Min(r.Sub(limit, first), imm(mergeTile))
	r.When(r.Less(r.thread, count), func() {
		key := r.Add(r.thread, first)
		r.StoreShared(false, r.thread, r.Load(r.starts, key))
		r.StoreShared(false, r.Add(r.thread, imm(expandKeysAt)), r.Load(r.keys, key))
	})
	r.Barrier()
	r.When(r.Less(r.at, r.Arg(argRestorePlaces)), func() {
		low, high := r.Spread(imm(0)), r.Spread(count)
		search(r.Builder, low, high, r.Add(r.at, imm(1)), func(at operand) operand {
			return r.LoadShared(false, at)
		})
		r.Store(r.result, r.at, r.LoadShared(false, r.Add(low, imm(expandKeysAt-1))))
	})
	return r.Done()
}
