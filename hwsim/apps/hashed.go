package apps

import (
	"fmt"
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// HashTable is the table in shared memory in which a block of the hashed kernel
// collects the sums of its tile of the stream.
type HashTable struct {
	Threads int // of a block: a multiple of the warp's lanes
	Items   int // updates of a thread; a tile has Threads·Items
	Slots   int // places for keys: a power of two
	Probes  int // neighbouring places that a key may take, the first one its hash
}

// DefaultHashTable has as many places as a tile has updates.
func DefaultHashTable() HashTable {
	return HashTable{Threads: 256, Items: 4, Slots: 1024, Probes: 8}
}

// sharedBytes is one sum and one key of 4 bytes for each place.
func (t HashTable) sharedBytes(typ device.Type) uint64 {
	return uint64(t.Slots * (typ.Bytes() + 4))
}

// RunHashed simulates one call of the rival of [westphal15]: each block takes a
// tile of the stream and bins it in a hash table in shared memory, made on the
// fly. A thread takes the place of its key by compare-and-swap and adds its
// value there; a key that finds no place within Probes goes straight to global
// memory. At the end the block adds its sums to the global targets. The final
// array is checked as by Run; cfg.Implementation must be the zero Variant. Errors are
// those of Run.
func RunHashed(cfg hwsim.Config, table HashTable, indices []uint32, bins uint64) (hwsim.Result,
	error) {
	s, err := hashedSession(cfg, table, indices, bins)
	if err != nil {
		return hwsim.Result{}, err
	}
	if err := s.Begin(); err != nil {
		return hwsim.Result{}, err
	}
	tile := uint64(table.Threads * table.Items)
	s.runBlocks(hashedKernel(s.Call, s.Machine.Lanes, table), (s.Updates+tile-1)/tile, table.Threads,
		table.sharedBytes(s.Call.Type), s.Updates, s.Bins, s.Seed)
	return s.added(cfg, indices)
}

// added is the outcome of a call of added updates.
func (s *appSession) added(cfg hwsim.Config, indices []uint32) (hwsim.Result, error) {
	if s.Err != nil {
		return hwsim.Result{}, s.Err
	}
	m, us, final := s.Machine, s.Elapsed(), s.Output(kernel.BufTarget)
	return hwsim.Result{
		US: us, Cycles: uint64(us*cfg.Device.Core.Clock.Value + 0.5), Updates: s.Updates,
		Kernels:          s.Times,
		WarpInstructions: m.Instrs, Events: m.Events, Issued: m.Issued, Completed: m.Completed,
		Final: final, Correct: arith.Correct(cfg.Call, cfg.Seed, indices, s.Bins, final),
	}, nil
}

// hashedSession checks a call and lays out its memory.
func hashedSession(cfg hwsim.Config, t HashTable, indices []uint32, bins uint64) (*appSession,
	error) {
	d, c := cfg.Device, cfg.Call
	if err := kernel.Check(d, c, cfg.Implementation, indices, bins); err != nil {
		return nil, err
	}
	switch lanes := int(d.Core.WarpLanes.Value); {
	case cfg.Implementation != (impl.Spec{}):
		return nil, fmt.Errorf("%w: hashed binning is not a form of %s", hwsim.ErrStream, cfg.Implementation)
	case d.SharedAtomic(device.U32).Mechanism == device.Absent ||
		d.SharedAtomic(c.Type).Mechanism == device.Absent:
		return nil, fmt.Errorf("%w: hashed binning on %s: no shared-memory atomic for %s",
			device.ErrCannot, d.Name, c.Type)
	case c.Op != device.Add || c.Returns:
		return nil, fmt.Errorf("%w: hashed binning adds, and does not %s or return old values",
			device.ErrCannot, c.Op)
	case t.Threads < lanes || t.Threads%lanes != 0:
		return nil, fmt.Errorf("%w: a hash table of %d threads, want whole warps", hwsim.ErrStream,
			t.Threads)
	case t.Items < 1 || t.Items > 64:
		return nil, fmt.Errorf("%w: a hash table for %d updates of a thread, want 1 to 64",
			hwsim.ErrStream, t.Items)
	case t.Slots < 1 || t.Slots&(t.Slots-1) != 0 || t.Slots > 1<<20:
		return nil, fmt.Errorf("%w: a hash table of %d places, want a power of two", hwsim.ErrStream,
			t.Slots)
	case t.Probes < 1 || t.Probes > t.Slots:
		return nil, fmt.Errorf("%w: a hash table that tries %d of its %d places", hwsim.ErrStream,
			t.Probes, t.Slots)
	}
	return newStreamSession(cfg, cfg.Implementation, indices, bins), nil
}

// newStreamSession lays out memory for a call on a stream.
func newStreamSession(cfg hwsim.Config, v impl.Spec, indices []uint32, bins uint64) *appSession {
	s := &appSession{Session: kernel.NewSession(cfg.Device, cfg.Call, v, cfg.Seed)}
	s.lanes = uint64(s.Machine.Lanes)
	s.Place(indices, bins)
	s.SetValues(nil)
	return s
}

// hasher assembles the hashed kernel. The sums stand at the beginning of shared
// memory, numbered in their own width, the keys behind them.
type hasher struct {
	*kernel.Updater
	table   HashTable
	keys    operand // the word at which the keys begin
	thread  operand
	threads operand
}

// hashedKernel assembles the kernel of RunHashed.
func hashedKernel(call device.Call, lanes int, table HashTable) *machine.Program {
	u := kernel.NewUpdater("hashed", kernel.UpdateArgs, impl.Spec{}, call, lanes)
	h := &hasher{Updater: u, table: table, keys: imm(uint64(table.Slots * call.Type.Bytes() / 4))}
	h.thread = h.Tid()
	h.threads = h.Mul(machine.BlockWarps, imm(h.Lanes))
	h.eachSlot(func(k operand) {
		h.StoreShared(h.Wide(), k, imm(0))
		h.StoreShared(false, h.Add(k, h.keys), imm(machine.EmptyKey))
	})
	h.Barrier()
	tile := h.Mul(machine.BlockID, imm(uint64(table.Threads*table.Items)))
	for j := range table.Items {
		h.Scoped(func() {
			at := h.Add(h.thread, h.Add(tile, imm(uint64(j*table.Threads))))
			h.When(h.Less(at, h.Arg(kernel.ArgUpdates)), func() {
				h.bin(h.Load(kernel.BufIndex, at), h.OperandValue(at))
			})
		})
	}
	h.Barrier()
	h.eachSlot(h.flush)
	return h.Done()
}

// eachSlot lets the threads of the block share the places of the table.
func (h *hasher) eachSlot(body func(k operand)) {
	h.Scoped(func() {
		k := h.Spread(h.thread)
		h.For(k, imm(uint64(h.table.Slots)), h.threads, func() { body(k) })
	})
}

// bin takes a place for the key, trying the next one as long as another key
// has it, and adds the value there or, where no place was left, to the target.
func (h *hasher) bin(index, value operand) {
	slot, tried := h.Vec(), h.Vec()
	low := h.And(h.Mul(index, imm(splitmix.Knuth)), imm(1<<32-1))
	h.To(slot, machine.OpShr, low, imm(uint64(32-bits.Len(uint(h.table.Slots-1)))))
	h.Mov(tried, imm(0))
	h.Loop(func() {
		old := h.CompareSwapShared(h.Add(slot, h.keys), index)
		taken := h.Both(h.Differ(old, imm(machine.EmptyKey)), h.Differ(old, index))
		next := h.And(h.Add(slot, imm(1)), imm(uint64(h.table.Slots-1)))
		h.SelectTo(slot, taken, next, slot)
		h.SelectTo(tried, taken, h.Add(tried, imm(1)), tried)
		h.LeaveUnless(taken)
		h.LeaveUnless(h.Less(tried, imm(uint64(h.table.Probes))))
	})
	h.WhenElse(h.Less(tried, imm(uint64(h.table.Probes))), func() {
		h.AtomicShared(h.Wide(), slot, value)
	}, func() { h.Atomic(kernel.BufTarget, false, index, value) })
}

// flush adds the sum of one place to its target.
func (h *hasher) flush(k operand) {
	key := h.LoadShared(false, h.Add(k, h.keys))
	h.When(h.Differ(key, imm(machine.EmptyKey)), func() {
		h.Atomic(kernel.BufTarget, false, key, h.LoadShared(h.Wide(), k))
	})
}
