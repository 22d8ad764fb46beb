package machine

import "github.com/atomtune/atomtune/device"

// EmptyKey marks a free place of a hash table. No target has this number.
const EmptyKey = 1<<32 - 1

// ClaimShared takes, for each active lane, the word of shared memory at index
// for key if it is free, by compare-and-swap, and returns what it held.
func (b *Builder) ClaimShared(index, key Operand) Operand {
	dst := b.Vec()
	b.emit(Instruction{Op: opClaimShared, Dst: dst, a: index, b: key})
	return dst
}

// claim is the compare-and-swap of one lane, once its turn has come.
func (m *Machine) claim(w *Warp, in *Instruction, index, key uint64, lane int) {
	old := w.block.get(index, false)
	if old == EmptyKey {
		w.block.set(index, key, false)
	}
	w.vectors[int(in.Dst.Reg)*m.Lanes+lane] = old
}

// swapOf returns how the device exchanges a word of shared memory: as measured,
// or else as it adds, through the same unit or under the same locks.
func swapOf(d *device.Profile) device.SharedAtomic {
	if a, err := d.SharedOperation(device.OpExchange, device.U32); err == nil {
		return a
	}
	return d.SharedAtomic(device.U32)
}
