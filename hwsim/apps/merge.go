package apps

import (
	"math/bits"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// Merge sort, [egielski14] section 4: blocks sort tiles in shared memory, then
// levels of merges join the tiles in pairs until one is left. The original
// follows Thrust: an odd-even merge network per tile [satish09], then merges in
// which each thread finds its key's place by binary search, here balanced by
// the merge path [green12]. The atomic form counts the equal keys of a tile once
// it is sorted; the merges then see each key of a tile once, with its
// frequency, and the array is restored to its length at the end.
//
//	[satish09] N. Satish, M. Harris, M. Garland. Designing Efficient Sorting
//	           Algorithms for Manycore GPUs. IPDPS 2009.
//	[green12]  O. Green, R. McColl, D. A. Bader. GPU Merge Path: A GPU Merging
//	           Algorithm. ICS 2012.

// mergeTile is how many keys a block sorts or merges: one per thread.
const (
	mergeTileBits = 8
	mergeTile     = 1 << mergeTileBits
)

// mergeBuffers are the arrays of a merge sort. Keys, frequencies and counts go
// back and forth between two sides; the host swaps them after each level, so
// that the result stands on the first side.
type mergeBuffers struct {
	input         int // is only read
	keys, keysOut int
	splits        int // per tile of a level: the keys before it that come from the first of the pair
	// The rest is of the atomic form.
	unique            bool // each key of a tile stands once, with its frequency
	freqs, freqsOut   int
	counts, countsOut int // keys that each sorted stretch holds
}

// mergeSorter is a merge sort of n keys on a machine.
type mergeSorter struct {
	*appSession
	mergeBuffers
	readBack
	n uint64
	// The keys that are left once tiles are sorted: in all, and in the tile that
	// has most.
	left, longest uint64
}

// runMergeSort sorts the keys and compares the result with a serial sort. The
// type of the configuration is not used: keys are words of 32 bits.
func runMergeSort(cfg AppConfig, in AppInput) (AppResult, error) {
	if err := cfg.checkMethod(methodNaive, methodSR, methodVR); err != nil {
		return AppResult{}, err
	}
	if err := in.checkLength(); err != nil {
		return AppResult{}, err
	}
	if err := cfg.checkTileAtomics(); err != nil {
		return AppResult{}, err
	}
	a := newMergeApp(cfg, in.Keys)
	if err := a.run(); err != nil {
		return AppResult{}, err
	}
	return a.readBack.finish(a.appSession, a.correct(in.Keys)), nil
}

// checkTileAtomics reports a device that cannot update a tile's words in shared
// memory.
func (cfg AppConfig) checkTileAtomics() error {
	if cfg.Original {
		return nil
	}
	v := variant.Variant{Base: variant.Private, Reduction: cfg.Method.Reduction}
	return cfg.Device.CanRun(v, device.U32, mergeTile)
}

// mergeApp is one run of the application.
type mergeApp struct {
	mergeSorter
	restoreBuffers
	result int // the buffer with the sorted array
}

func newMergeApp(cfg AppConfig, keys []uint32) *mergeApp {
	s := newAppSession(cfg, device.U32)
	s.Machine.Ones = s.Machine.Integer // counters are raised by the constant 1
	a := &mergeApp{mergeSorter: mergeSorter{appSession: s, n: uint64(len(keys))}}
	a.mergeBuffers = s.newMergeBuffers(s.words("input", keys), a.n, !cfg.Original)
	a.result = a.keys
	if a.unique {
		a.restoreBuffers = s.newRestoreBuffers(a.n)
		a.result = s.counters("result", a.n)
	}
	return a
}

// newMergeBuffers places the arrays of a sort of n keys.
func (s *appSession) newMergeBuffers(input int, n uint64, unique bool) mergeBuffers {
	tiles := mergeTiles(n)
	b := mergeBuffers{
		input: input, keys: s.counters("keys", n), keysOut: s.counters("keys out", n),
		splits: s.counters("splits", tiles), unique: unique,
	}
	if unique {
		b.freqs, b.freqsOut = s.counters("frequencies", n), s.counters("frequencies out", n)
		b.counts, b.countsOut = s.counters("counts", tiles), s.counters("counts out", tiles)
	}
	return b
}

func mergeTiles(n uint64) uint64 { return (n + mergeTile - 1) / mergeTile }

func (a *mergeApp) run() error {
	if err := a.sortKeys(); err != nil {
		return err
	}
	if !a.unique {
		return nil
	}
	return a.restore()
}

// correct compares the result with a serial sort.
func (a *mergeApp) correct(keys []uint32) bool {
	want := slices.Clone(keys)
	slices.Sort(want)
	return slices.Equal(a.Machine.Buffers[a.result].Words, want)
}

// sortKeys sorts tiles and merges them level by level.
func (s *mergeSorter) sortKeys() error {
	if err := s.sortTiles(); err != nil {
		return err
	}
	for level := uint64(0); mergeTile<<level < s.n; level++ {
		if err := s.mergeLevel(level); err != nil {
			return err
		}
	}
	return nil
}

func (s *mergeSorter) sortTiles() error {
	prog := tileKernel(s.mergeBuffers, s.Variant.Reduction, int(s.lanes))
	err := s.runBlocks(prog, mergeTiles(s.n), mergeTile, tileSharedBytes, s.n, mergeTile, s.Seed)
	if err == nil {
		s.countLeft()
	}
	return err
}

// countLeft finds how many keys the merges have to deal with. In the atomic form
// the host reads the counts, to launch no more blocks than there is work for.
func (s *mergeSorter) countLeft() {
	s.left, s.longest = s.n, mergeTile
	if !s.unique {
		return
	}
	s.left, s.longest = 0, 0
	for _, count := range s.read(s.appSession, s.counts) {
		s.left += uint64(count)
		s.longest = max(s.longest, uint64(count))
	}
}

// mergeLevel joins stretches of 2^level tiles in pairs.
func (s *mergeSorter) mergeLevel(level uint64) error {
	stretches := (mergeTiles(s.n) + 1<<level - 1) >> level
	inPair := uint64(bits.Len64((min(s.longest<<(level+1), s.left) - 1) >> mergeTileBits))
	blocks := (stretches + 1) / 2 << inPair
	if !s.unique {
		blocks = mergeTiles(s.n)
	}
	args := []uint64{s.n, level, stretches, inPair, blocks}
	if err := s.runBlocks(splitKernel(s.mergeBuffers), mergeTiles(blocks), mergeTile, 0,
		args...); err != nil {
		return err
	}
	if err := s.runBlocks(pairKernel(s.mergeBuffers), blocks, mergeTile, mergeSharedBytes,
		args...); err != nil {
		return err
	}
	s.swap(s.keys, s.keysOut)
	if s.unique {
		s.swap(s.freqs, s.freqsOut)
		s.swap(s.counts, s.countsOut)
	}
	return nil
}

func (s *mergeSorter) swap(a, b int) {
	bufs := s.Machine.Buffers
	bufs[a], bufs[b] = bufs[b], bufs[a]
}
