package hwsim

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// hasher assembles the hashed kernel. The sums stand at the beginning of shared
// memory, numbered in their own width, the keys behind them.
type hasher struct {
	*updater
	table   HashTable
	keys    operand // the word at which the keys begin
	thread  operand
	threads operand
}

// hashFactor is 2^32 over the golden ratio, odd: D. E. Knuth, The Art of
// Computer Programming 3, section 6.4.
const hashFactor = 0x9E3779B1

// hashedKernel assembles the kernel of RunHashed.
func hashedKernel(call device.Call, lanes int, table HashTable) *program {
	u := newUpdater("hashed", updateArgs, variant.Variant{}, call, lanes)
	h := &hasher{updater: u, table: table, keys: imm(uint64(table.Slots * call.Type.Bytes() / 4))}
	h.thread = h.tid()
	h.threads = h.mul(scalarReg(scalarWarps), imm(h.lanes))
	h.eachSlot(func(k operand) {
		h.storeShared(h.wide(), k, imm(0))
		h.storeShared(false, h.add(k, h.keys), imm(emptyKey))
	})
	h.barrier()
	tile := h.mul(scalarReg(scalarBlock), imm(uint64(table.Threads*table.Items)))
	for j := range table.Items {
		h.scoped(func() {
			at := h.add(h.thread, h.add(tile, imm(uint64(j*table.Threads))))
			h.when(h.less(at, h.arg(argUpdates)), func() {
				h.bin(h.load(bufIndex, at), h.operandValue(at))
			}, nil)
		})
	}
	h.barrier()
	h.eachSlot(h.flush)
	return h.done()
}

// eachSlot lets the threads of the block share the places of the table.
func (h *hasher) eachSlot(body func(k operand)) {
	h.scoped(func() {
		k := h.vec()
		h.mov(k, h.thread)
		h.loop(func() {
			h.leaveUnless(h.less(k, imm(uint64(h.table.Slots))))
			body(k)
			h.inc(k, h.threads)
		})
	})
}

// bin claims a place for the key, trying the next one as long as another key
// has it, and adds the value there or, where no place was left, to the target.
func (h *hasher) bin(index, value operand) {
	slot, tried := h.vec(), h.vec()
	low := h.and(h.mul(index, imm(hashFactor)), imm(1<<32-1))
	h.to(slot, opShr, low, imm(uint64(32-bits.Len(uint(h.table.Slots-1)))))
	h.mov(tried, imm(0))
	h.loop(func() {
		old := h.claimShared(h.add(slot, h.keys), index)
		taken := h.both(h.differ(old, imm(emptyKey)), h.differ(old, index))
		next := h.and(h.add(slot, imm(1)), imm(uint64(h.table.Slots-1)))
		h.selectTo(slot, taken, next, slot)
		h.selectTo(tried, taken, h.add(tried, imm(1)), tried)
		h.leaveUnless(taken)
		h.leaveUnless(h.less(tried, imm(uint64(h.table.Probes))))
	})
	h.when(h.less(tried, imm(uint64(h.table.Probes))), func() {
		h.atomicShared(h.wide(), slot, value)
	}, func() { h.atomic(bufTarget, false, index, value) })
}

// flush adds the sum of one place to its target.
func (h *hasher) flush(k operand) {
	key := h.loadShared(false, h.add(k, h.keys))
	h.when(h.differ(key, imm(emptyKey)), func() {
		h.atomic(bufTarget, false, key, h.loadShared(h.wide(), k))
	}, nil)
}
