package machine

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// The errors of package hwsim.
var (
	ErrStream     = errors.New("stream cannot be simulated")
	ErrSimulation = errors.New("simulation failed")
)

// Kernel is one launch.
type Kernel struct {
	Prog        *Program
	Blocks      uint64
	Threads     int
	SharedBytes uint64
	BlocksPerSM int
	Args        []uint64
}

// kernelRun is the state of the launch under way.
type kernelRun struct {
	Kernel
	warpsPerBlock int
	next          uint64 // number of the next block to start
	left          uint64 // blocks that have not finished
}

// blockStart is the delay between the end of a block and its successor's first instruction, in
// cycles of every device: the registers and the shared memory are handed over.
const blockStart = 200

// Launch runs the kernel to its end, counts its cycles and returns them.
func (m *Machine) Launch(k Kernel) (int64, error) {
	begin := m.queue.now
	m.end = begin
	m.run = &kernelRun{Kernel: k, left: k.Blocks}
	m.run.warpsPerBlock = (k.Threads + m.Lanes - 1) / m.Lanes
	m.room.open(&k, int(min(k.Blocks, uint64(m.SMs*k.BlocksPerSM))), m.run.warpsPerBlock, m.Lanes)
	m.slow = m.slowByte > m.dramByte &&
		slices.ContainsFunc(k.Prog.Code, func(in Instruction) bool { return in.Op == OpAtomic })
	for slot := 0; slot < k.BlocksPerSM; slot++ {
		for s := 0; s < len(m.sm) && m.run.next < k.Blocks; s++ {
			m.startBlock(s, begin)
		}
	}
	for now, id, ok := m.queue.Pop(); ok; now, id, ok = m.queue.Pop() {
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
			k.Prog.Name, m.run.left)
	case m.Issued != m.Completed:
		return 0, fmt.Errorf("%w: kernel %s: %d atomic operations issued, %d completed",
			ErrSimulation, k.Prog.Name, m.Issued, m.Completed)
	}
	if m.end > m.queue.now { // the last memory access ends later than the last warp
		m.queue.Push(m.end, noEvent)
		m.queue.Pop()
	}
	return m.queue.now - begin, nil
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
		w.start(r.Prog, r.Args)
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

// finishWarp retires a warp; the last of its block makes room for the next.
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
