package apps

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/variant"
)

// hasher assembles the hashed kernel. The sums stand at the beginning of shared
// memory, numbered in their own width, the keys behind them.
type hasher struct {
	*kernel.Updater
	table   HashTable
	keys    operand // the word at which the keys begin
	thread  operand
	threads operand
}

// hashFactor is 2^32 over the golden ratio, odd: D. E. Knuth, The Art of
// Computer Programming 3, section 6.4.
const hashFactor = 0x9E3779B1

// hashedKernel assembles the kernel of RunHashed.
func hashedKernel(call device.Call, lanes int, table HashTable) *machine.Program {
	u := kernel.NewUpdater("hashed", kernel.UpdateArgs, variant.Variant{}, call, lanes)
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
		k := h.Vec()
		h.Mov(k, h.thread)
		h.Loop(func() {
			h.LeaveUnless(h.Less(k, imm(uint64(h.table.Slots))))
			body(k)
			h.Inc(k, h.threads)
		})
	})
}

// bin claims a place for the key, trying the next one as long as another key
// has it, and adds the value there or, where no place was left, to the target.
func (h *hasher) bin(index, value operand) {
	slot, tried := h.Vec(), h.Vec()
	low := h.And(h.Mul(index, imm(hashFactor)), imm(1<<32-1))
	h.To(slot, machine.OpShr, low, imm(uint64(32-bits.Len(uint(h.table.Slots-1)))))
	h.Mov(tried, imm(0))
	h.Loop(func() {
		old := h.ClaimShared(h.Add(slot, h.keys), index)
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
