package kernel

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// The buffers of row scatters are those of every call, with bufPlaces in place of old values.
const bufPlaces = BufReturn // where the values of a sorted update stand

const noRow = 1<<32 - 1

// rowUpdater assembles the kernel that updates rows as bindings/cuda/atomtune_rows.cuh does: a group of lanes
// holds a row, each a piece of it, and the sum of the updates of the row that it had last.
type rowUpdater struct {
	*machine.Builder
	width, piece, group, iterations uint64
	groups                          uint64 // of a warp
	warps, blocks                   uint64 // of a block; of a pass
	hot, sorted                     bool
	slots                           uint64
	vectors                         bool   // a piece is added by one request
	wide                            bool   // sums have 8 bytes
	together                        uint64 // sums in shared memory that an instruction moves
	none                            uint64 // the sum of no updates
	halves                          bool   // the piece is an element of 2 bytes, added with its word

	laneID operand
	first  operand   // of the columns of the block: its number in the row
	column operand   // of the lane's piece, among those of the block
	has    operand   // predicate: the lane has a piece
	row    operand   // that the group had last
	sum    []operand // of its updates
	sums   operand   // hot: the first of the warp's sums in shared memory
	update operand   // of the first iteration, as a scalar
}

const (
	argRowUpdates = iota
	rowArgs
)

func newRowUpdater(r *RowSession, blocks uint64) *rowUpdater {
	s, lanes, v := &r.Shape, r.Machine.Lanes, r.Implementation
	return &rowUpdater{Builder: machine.NewBuilder("rows."+v.Name(), rowArgs), width: r.Rows.Width,
		piece: uint64(s.Piece), group: uint64(s.Group), iterations: uint64(s.Unroll),
		groups: uint64(lanes / s.Group), warps: uint64(s.Threads / lanes), blocks: blocks,
		hot: v.Algorithm == impl.Hot, sorted: v.Algorithm == impl.Sort,
		slots: uint64(s.Slots), vectors: r.Device.Vectors(r.Rows), wide: r.Rows.SumBytes() == 8,
		together: uint64(16 / r.Rows.SumBytes()), none: arith.Neutral(r.Call),
		halves: s.Piece == 1 && r.Rows.Type == device.BF16}
}

// upper emits the instructions for the upper halves of addresses, which 32-bit registers ask for, as
// nvcc 13 counts them for compute capability 9.0.
func (u *rowUpdater) upper(instructions int) {
	u.Scoped(func() {
		half := u.Vec()
		for range instructions {
			u.Mov(half, imm(0))
		}
	})
}

func updateRowsKernel(r *RowSession, blocks uint64) *machine.Program {
	u := newRowUpdater(r, blocks)
	u.laneID = u.Lane()
	block, most := machine.BlockID, u.piece*u.group
	u.first = imm(0)
	if passes := (u.width + most - 1) / most; passes > 1 {
		pass := Quotient(u.Builder, machine.BlockID, u.blocks)
		block = u.Sub(machine.BlockID, u.Mul(pass, imm(u.blocks)))
		u.first = u.Mul(pass, imm(most))
	}
	u.column = u.Mul(u.And(u.laneID, imm(u.group-1)), imm(u.piece))
	u.has = u.Less(u.Add(u.column, u.first), imm(u.width))
	u.row, u.sum = u.Spread(imm(noRow)), u.Piece(int(u.piece))
	u.empty()
	if u.hot {
		u.openRows()
	}
	warp := u.Add(u.Mul(block, imm(u.warps)), machine.WarpID)
	tile := u.groups * u.iterations
	tiles := Quotient(u.Builder, u.Add(u.Arg(argRowUpdates), imm(tile-1)), tile)
	stretch := func(warp operand) operand {
		return u.Mul(Quotient(u.Builder, u.Mul(tiles, warp), u.blocks*u.warps), imm(tile))
	}
	u.update = stretch(warp)
	last := u.Min(stretch(u.Add(warp, imm(1))), u.Arg(argRowUpdates))
	u.Loop(func() {
		u.LeaveUnless(u.Less(u.update, last))
		loaded := make([]rowIteration, u.iterations)
		for i := range loaded {
			loaded[i] = u.load(uint64(i), last)
		}
		for i := range loaded {
			u.take(loaded[i])
		}
		u.Inc(u.update, imm(tile))
	})
	u.release(u.Differ(u.row, imm(noRow)))
	if u.hot {
		u.closeRows()
	}
	return u.Done()
}

func (u *rowUpdater) empty() {
	for _, e := range u.sum {
		u.Mov(e, imm(u.none))
	}
}

type rowIteration struct {
	row   operand
	there operand // predicate
	piece []operand
}

func (u *rowUpdater) load(iteration uint64, last operand) rowIteration {
	t := rowIteration{row: u.Vec(), piece: u.Piece(int(u.piece))}
	group := u.Shr(u.laneID, imm(uint64(bits.TrailingZeros64(u.group))))
	at := u.Add(u.Add(group, imm(iteration*u.groups)), u.update)
	t.there = u.Less(at, last)
	u.Mov(t.row, imm(noRow))
	u.Keep(t.there, func() {
		u.upper(6)
		u.LoadTo(t.row, BufIndex, at)
		if u.sorted {
			at = u.Load(bufPlaces, at)
		}
		u.Keep(u.has, func() {
			u.upper(9)
			u.LoadPiece(t.piece, BufValue, u.place(at))
		})
	})
	return t
}

func (u *rowUpdater) place(row operand) operand {
	return u.Add(u.Add(u.Mul(row, imm(u.width)), u.first), u.column)
}

// take adds an update of each group to its sum, or begins another sum.
func (u *rowUpdater) take(t rowIteration) {
	u.upper(5) // whether the row is there
	other := u.Differ(t.row, u.row)
	done := u.Both(other, u.Differ(u.row, imm(noRow)))
	if u.hot {
		u.When(u.Differ(u.Ballot(other), imm(0)), func() { u.release(done) })
	} else {
		u.release(done)
	}
	for e, sum := range u.sum {
		u.SelectTo(sum, other, imm(u.none), sum)
		u.To(sum, machine.OpAddT, sum, t.piece[e])
	}
	u.Mov(u.row, t.row)
}

// release adds the sums of groups that are done with their row to where they belong.
func (u *rowUpdater) release(done operand) {
	if u.hot {
		done = u.releaseHot(done)
	}
	u.When(u.Both(done, u.has), func() {
		u.upper(3)
		u.addTargets(u.place(u.row))
	})
}

// word emits the instructions that find the word of an element of 2 bytes and make a pair of it.
func (u *rowUpdater) word() {
	if u.halves {
		u.upper(24)
	}
}

func (u *rowUpdater) addTargets(first operand) {
	u.word()
	if u.vectors {
		u.AtomicPiece(BufTarget, first, u.sum)
		return
	}
	for e, sum := range u.sum {
		u.Atomic(BufTarget, false, u.Add(first, imm(uint64(e))), sum)
	}
}

// elementsKernel makes the updates with an atomic for each element: neighbouring threads of the grid
// take neighbouring elements.
func elementsKernel(r *RowSession, blocks uint64) *machine.Program {
	u := newRowUpdater(r, blocks)
	threads, width := blocks*uint64(r.Shape.Threads), u.width
	warp, _ := u.GridWarps()
	at := u.Add(u.Mul(warp, imm(u.lanes())), u.Lane())
	update := Quotient(u.Builder, at, width)
	column := u.Sub(at, u.Mul(update, imm(width)))
	u.Loop(func() {
		u.LeaveUnless(u.Less(update, u.Arg(argRowUpdates)))
		u.upper(14)
		row := u.Load(BufIndex, update)
		value := u.Load(BufValue, u.Add(u.Mul(update, imm(width)), column))
		u.upper(10) // whether the row is there
		u.word()
		u.Atomic(BufTarget, false, u.Add(u.Mul(row, imm(width)), column), value)
		u.Inc(update, imm(threads/width))
		u.Inc(column, imm(threads%width))
		u.When(u.AtLeast(column, imm(width)), func() {
			u.To(column, machine.OpSub, column, imm(width))
			u.Inc(update, imm(1))
		})
	})
	return u.Done()
}

func numberKernel(lanes int) *machine.Program {
	b := machine.NewBuilder("rows.number", rowArgs)
	warp, warps := b.GridWarps()
	at := b.Add(b.Mul(warp, imm(uint64(lanes))), b.Lane())
	b.For(at, b.Arg(argRowUpdates), b.Mul(warps, imm(uint64(lanes))), func() {
		b.Store(bufScratch, at, b.Load(BufIndex, at))
		b.Store(bufPlaces, at, at)
	})
	return b.Done()
}
