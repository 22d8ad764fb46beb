package apps

import (
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
)

// Page view count, [egielski14] section 4: how many different visitors has each
// page? Mars [he08] maps each view to one key, sorts all keys, drops equal
// neighbours, and counts what is left per page. The atomic form drops the
// duplicates of a block between map and sort, by atomics in shared memory.
//
//	[he08] B. He, W. Fang, Q. Luo, N. K. Govindaraju, T. Wang. Mars: A MapReduce
//	       Framework on Graphics Processors. PACT 2008.

// pageBuffers are the arrays of a page view count.
type pageBuffers struct {
	visitors int // different visitors per page: the result
	pages    int // of each view; is only read
	people   int // the visitor of each view; is only read
	mapped   int // keys
	total    int // keys that are left: after the map in the atomic form, then after dropping
	heads    int // per tile of sorted keys: how many differ from the one before
	distinct int // keys without duplicates, in order
}

// pageApp is one run of the application.
type pageApp struct {
	mergeSorter
	pageBuffers
	original           bool
	views, bins, width uint64
}

// runPageViewCount counts the distinct visitors of each page, which are numbers
// below in.Bins and in.Width, and compares them with a serial count. A page and
// a visitor make one key of 32 bits: in.Bins times in.Width is below 2^32. The
// type of the configuration is not used.
func runPageViewCount(cfg AppConfig, in AppInput) (AppResult, error) {
	a := newPageApp(cfg, in)
	if err := a.makeKeys(); err != nil {
		return AppResult{}, err
	}
	if err := a.sortKeys(); err != nil {
		return AppResult{}, err
	}
	a.count()
	return a.finish(a.correct(in))
}

func newPageApp(cfg AppConfig, in AppInput) *pageApp {
	s, views := newAppSession(cfg, device.U32), uint64(len(in.Keys))
	b := pageBuffers{
		visitors: s.counters(in.Bins), pages: s.words(in.Keys),
		people: s.words(in.Others),
		mapped: s.counters(views), total: s.counters(1),
		heads: s.counters(mergeTiles(views)), distinct: s.counters(views),
	}
	sorting := s.newMergeBuffers(b.mapped, views, false)
	return &pageApp{
		mergeSorter: mergeSorter{appSession: s, mergeBuffers: sorting},
		pageBuffers: b, original: cfg.Original, views: views, bins: in.Bins, width: in.Width,
	}
}

// makeKeys makes one key of each view. The atomic form drops those that a block has seen
// before; the host reads how many are left, as Mars does between its phases.
func (a *pageApp) makeKeys() error {
	a.n = a.views
	if a.original {
		blocks := a.blocksFor(a.views, mergeTile, 0)
		a.runBlocks(mapKernel(a.pageBuffers), blocks, mergeTile, 0, a.views, a.width)
		return a.Err
	}
	if err := a.Clear(a.total); err != nil {
		return err
	}
	blocks := (a.views + distinctTile - 1) / distinctTile
	prog := distinctKernel(a.pageBuffers, a.Implementation.Reduction, a.lanes)
	a.runBlocks(prog, blocks, kernel.SortThreads, distinctSharedBytes, a.views, a.width, a.Seed)
	a.n = uint64(a.read(a.total)[0])
	return a.Err
}

// count drops equal neighbours of the sorted keys and counts what each page is
// left with.
func (a *pageApp) count() {
	tiles, b := mergeTiles(a.n), a.pageBuffers
	a.runBlocks(headsKernel(a.keys, b, a.lanes), tiles, mergeTile, scanSharedBytes, a.n)
	a.runBlocks(dropKernel(a.keys, b, a.lanes), tiles, mergeTile, scanSharedBytes, a.n)
	a.runBlocks(visitorsKernel(b), mergeTiles(a.bins), mergeTile, 0, a.bins, a.width)
}

// correct compares the counts with a serial count.
func (a *pageApp) correct(in AppInput) bool {
	return slices.Equal(a.Machine.Buffers[a.visitors].Words, distinctVisitors(in))
}

// distinctVisitors counts the different visitors of each page serially.
func distinctVisitors(in AppInput) []uint32 {
	counts := make([]uint32, in.Bins)
	seen := make(map[[2]uint32]bool, len(in.Keys))
	for i, page := range in.Keys {
		if view := [2]uint32{page, in.Others[i]}; !seen[view] {
			seen[view] = true
			counts[page]++
		}
	}
	return counts
}

// dropper assembles the kernels that drop equal neighbours of the sorted keys,
// whose number is the argument.
type dropper struct {
	*machine.Builder
	thread, at operand
	key, first operand // first: 1 where the key differs from the one before
}

func newDropper(name string, keys int) *dropper {
	d := &dropper{Builder: machine.NewBuilder(name, 1)}
	d.thread = d.Tid()
	d.at = d.Add(d.thread, d.Mul(machine.BlockID, imm(mergeTile)))
	d.key = d.Vec()
	inside, before := d.Less(d.at, d.Arg(0)), d.Vec()
	d.When(inside, func() {
		d.Mov(d.key, d.Load(keys, d.at))
		d.Mov(before, d.Load(keys, d.Sub(d.Max(d.at, imm(1)), imm(1))))
	})
	d.first = firstOfRun(d.Builder, d.at, d.key, before, inside)
	return d
}

// headsKernel counts the different keys of each tile, leaving out one that goes
// on from the tile before.
func headsKernel(keys int, bufs pageBuffers, lanes uint64) *machine.Program {
	d := newDropper("pages.heads", keys)
	storeTotal(d.Builder, bufs.heads, d.thread, d.first, lanes)
	return d.Done()
}

// dropKernel writes the different keys in order, and how many there are.
func dropKernel(keys int, bufs pageBuffers, lanes uint64) *machine.Program {
	d := newDropper("pages.drop", keys)
	place := kernel.BlockScan(d.Builder, d.first, d.Lane(), lanes, scanOwnAt)
	d.Inc(place, sumBefore(d.Builder, bufs.heads, lanes))
	d.When(d.Differ(d.first, imm(0)), func() { d.Store(bufs.distinct, place, d.key) })
	d.When(d.Equal(d.at, d.Sub(d.Arg(0), imm(1))), func() {
		d.Store(bufs.total, d.Spread(imm(0)), d.Add(place, d.first))
	})
	return d.Done()
}

// visitorsKernel counts the keys of each page: one thread per page searches the
// first key of its own page and of the next. Arguments: pages, visitors.
func visitorsKernel(bufs pageBuffers) *machine.Program {
	b := machine.NewBuilder("pages.visitors", 2)
	page := b.Add(b.Tid(), b.Mul(machine.BlockID, imm(mergeTile)))
	b.When(b.Less(page, b.Arg(0)), func() {
		load := func(at operand) operand { return b.Load(bufs.distinct, at) }
		total := b.Load(bufs.total, b.Spread(imm(0)))
		low, high := b.Spread(imm(0)), b.Spread(total)
		bound := b.Mul(page, b.Arg(1))
		search(b, low, high, bound, load)
		first := b.Spread(low)
		b.Mov(high, total)
		b.Inc(bound, b.Arg(1))
		search(b, low, high, bound, load)
		b.Store(bufs.visitors, page, b.Sub(low, first))
	})
	return b.Done()
}
