package apps

import (
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
)

// restoreBuffers are the arrays with which an array of keys and frequencies is
// restored to its length.
type restoreBuffers struct {
	sums   int // per tile of keys: the sum of its frequencies
	starts int // per key: where its copies begin
	firsts int // per tile of the result: the key that its first place holds
}

func (s *appSession) newRestoreBuffers(n uint64) restoreBuffers {
	tiles := mergeTiles(n)
	return restoreBuffers{
		sums: s.counters("sums", tiles), starts: s.counters("starts", n),
		firsts: s.counters("firsts", tiles),
	}
}

// restore writes each key as often as it occurs.
func (a *mergeApp) restore() error {
	keys, tiles := mergeTiles(a.left), mergeTiles(a.n)
	args := []uint64{a.n, a.left}
	sums, starts := sumsKernel(a.mergeBuffers, a.restoreBuffers, a.lanes),
		startsKernel(a.mergeBuffers, a.restoreBuffers, a.lanes)
	a.runBlocks(sums, keys, mergeTile, scanSharedBytes, args...)
	a.runBlocks(starts, keys, mergeTile, scanSharedBytes, args...)
	a.runBlocks(expandKernel(a.mergeBuffers, a.restoreBuffers, a.result), tiles, mergeTile,
		expandSharedBytes, args...)
	return a.Err
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
	restoreBuffers
	thread operand
	at     operand // the thread's key
	begin  operand // first place of the block
}

func newRestorer(name string, m mergeBuffers, b restoreBuffers) *restorer {
	r := &restorer{Builder: machine.NewBuilder(name, restoreArgs), mergeBuffers: m, restoreBuffers: b}
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
func sumsKernel(m mergeBuffers, b restoreBuffers, lanes uint64) *machine.Program {
	r := newRestorer("merge.sums", m, b)
	f := r.frequency()
	total := blockTotal(r.Builder, f, kernel.BlockScan(r.Builder, f, r.Lane(), lanes, scanOwnAt),
		scanOwnTotal)
	r.When(r.Equal(r.thread, imm(0)), func() {
		r.Store(r.sums, r.Spread(machine.BlockID), total)
	})
	return r.Done()
}

// startsKernel finds where the copies of each key begin. The key whose copies
// reach over the beginning of a tile of the result is that tile's first; no key
// of a tile occurs more often than the tile has places, so there is one
// beginning at most.
func startsKernel(m mergeBuffers, b restoreBuffers, lanes uint64) *machine.Program {
	r := newRestorer("merge.starts", m, b)
	f := r.frequency()
	scanned := kernel.BlockScan(r.Builder, f, r.Lane(), lanes, scanOwnAt)
	start := r.Add(scanned, sumBefore(r.Builder, b.sums, lanes))
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
func expandKernel(m mergeBuffers, b restoreBuffers, result int) *machine.Program {
	r := newRestorer("merge.expand", m, b)
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
		r.Store(result, r.at, r.LoadShared(false, r.Add(low, imm(expandKeysAt-1))))
	})
	return r.Done()
}
