package apps

import (
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
)

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
	total := blockTotal(d.Builder, d.first, kernel.BlockScan(d.Builder, d.first, d.Lane(), lanes,
		scanOwnAt), scanOwnTotal)
	d.When(d.Equal(d.thread, imm(0)), func() {
		d.Store(bufs.heads, d.Spread(machine.BlockID), total)
	})
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
