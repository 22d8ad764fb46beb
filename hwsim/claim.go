package hwsim

import "github.com/atomtune/atomtune/device"

// emptyKey marks a free place of a hash table. No target has this number.
const emptyKey = 1<<32 - 1

// claimShared takes, for each active lane, the word of shared memory at index
// for key if it is free, by compare-and-swap, and returns what it held.
func (b *builder) claimShared(index, key operand) operand {
	dst := b.vec()
	b.emit(instruction{op: opClaimShared, dst: dst, a: index, b: key})
	return dst
}

// claim is the compare-and-swap of one lane, once its turn has come.
func (m *machine) claim(w *warp, in *instruction, index, key uint64, lane int) {
	old := w.block.get(index, false)
	if old == emptyKey {
		w.block.set(index, key, false)
	}
	w.vectors[int(in.dst.reg)*m.lanes+lane] = old
}

// swapOf returns how the device exchanges a word of shared memory: as measured,
// or else as it adds, through the same unit or under the same locks.
func swapOf(d *device.Profile) device.SharedAtomic {
	if a, err := d.SharedOperation(device.OpExchange, device.U32); err == nil {
		return a
	}
	return d.SharedAtomic(device.U32)
}
