package machine

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/atomtune/atomtune/device"
)

var (
	ErrStream     = errors.New("stream cannot be simulated")
	ErrSimulation = errors.New("simulation failed")
)

// launch is the state of the one under way.
type launch struct {
	device.Shape
	prog          *Program
	args          []uint64
	warpsPerBlock int
	next          uint64 // number of the next block to start
	left          uint64 // blocks that have not finished
}

// blockStart is the delay between the end of a block and its successor's first instruction, in
// cycles of every device: the registers and the shared memory are handed over.
const blockStart = 200

// Launch runs a kernel to its end, counts its cycles and returns them. Shared memory is given out in
// pieces of 8 bytes.
func (m *Machine) Launch(p *Program, k device.Shape, args ...uint64) (int64, error) {
	begin := m.Queue.now
	m.end = begin
	k.SharedBytes = (k.SharedBytes + 7) &^ 7
	m.run = &launch{Shape: k, prog: p, args: args, warpsPerBlock: (k.Threads + m.Lanes - 1) / m.Lanes,
		left: k.Blocks}
	m.room.open(m.run, int(min(k.Blocks, uint64(m.SMs*k.BlocksPerSM))), m.Lanes)
	m.slow = m.slowByte > m.dramByte &&
		slices.ContainsFunc(p.Code, func(in Instruction) bool { return in.Op == OpAtomic })
	for slot := 0; slot < k.BlocksPerSM; slot++ {
		for s := 0; s < len(m.sm) && m.run.next < k.Blocks; s++ {
			m.startBlock(s, begin)
		}
	}
	for now, id, ok := m.Queue.Pop(); ok; now, id, ok = m.Queue.Pop() {
		w := &m.room.warps[id]
		at, mask := w.pc, w.mask
		m.step(w, now)
		if m.Watch != nil {
			m.Watch(w, at, mask, now)
		}
	}
	switch {
	case m.run.left != 0:
		return 0, fmt.Errorf("%w: kernel %s: %d blocks wait at a barrier for ever", ErrSimulation,
			p.Name, m.run.left)
	case m.Issued != m.Completed:
		return 0, fmt.Errorf("%w: kernel %s: %d atomic operations issued, %d completed",
			ErrSimulation, p.Name, m.Issued, m.Completed)
	}
	if m.end > m.Queue.now { // the last memory access ends later than the last warp
		m.Queue.Push(m.end, noEvent)
		m.Queue.Pop()
	}
	return m.Queue.now - begin, nil
}

func (m *Machine) startBlock(s int, now int64) {
	r, unit := m.run, &m.sm[s]
	slot := bits.TrailingZeros64(^unit.slots) // the lowest free place
	unit.slots |= 1 << slot
	place := slot*len(m.sm) + s
	b := &m.room.blocks[place]
	b.sm, b.slot, b.live, b.waiting = s, slot, r.warpsPerBlock, b.waiting[:0]
	b.base = uint64(slot) * (r.SharedBytes / 4)
	for i := range b.shared {
		b.shared[i] = Poison
	}
	for i := range r.warpsPerBlock {
		id := place*r.warpsPerBlock + i
		w := &m.room.warps[id]
		w.id, w.block, w.unit, w.number = int32(id), b, unit, int32(i)
		w.scheduler = int32(unit.warps % m.schedulers)
		unit.warps++
		w.start(r.prog, r.args)
		w.mask = m.full
		if rest := r.Threads - i*m.Lanes; rest < m.Lanes {
			w.mask = m.full >> (m.Lanes - rest)
		}
		w.Scalars[scalarBlock], w.Scalars[scalarBlocks] = r.next, r.Blocks
		w.Scalars[scalarWarp], w.Scalars[scalarWarps] = uint64(i), uint64(r.warpsPerBlock)
		m.resume(w, now+blockStart)
	}
	r.next++
}

func (m *Machine) finishWarp(w *Warp, now int64) {
	m.end = max(m.end, now)
	b := w.block
	b.live--
	if b.live > 0 {
		m.release(b, now)
		return
	}
	m.sm[b.sm].slots &^= 1 << b.slot
	m.run.left--
	if m.run.next < m.run.Blocks {
		m.startBlock(b.sm, now)
	}
}

// release opens the barrier once all live warps of the block wait at it.
func (m *Machine) release(b *block, now int64) {
	if len(b.waiting) < b.live || len(b.waiting) == 0 {
		return
	}
	for _, w := range b.waiting {
		m.resume(w, now+m.barrier)
	}
	b.waiting = b.waiting[:0]
}
