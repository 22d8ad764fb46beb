package hwsim

import (
	"errors"
	"fmt"
	"math/bits"
)

// The errors of package hwsim.
var (
	errStream     = errors.New("stream cannot be simulated")
	errSimulation = errors.New("simulation failed")
)

// kernel is one launch.
type kernel struct {
	prog        *program
	blocks      uint64
	threads     int
	sharedBytes uint64
	blocksPerSM int
	args        []uint64
}

// kernelRun is the state of the launch under way.
type kernelRun struct {
	kernel
	warpsPerBlock int
	next          uint64 // number of the next block to start
	left          uint64 // blocks that have not finished
}

// blockStart is the delay between the end of a block and its successor's
// first instruction, in cycles of every device: the registers and the shared
// memory are handed over.
const blockStart = 200

// launch runs the kernel to its end, counts its cycles and returns them.
func (m *machine) launch(k kernel) (int64, error) {
	begin := m.queue.Now()
	m.end = begin
	m.run = &kernelRun{kernel: k, left: k.blocks, warpsPerBlock: (k.threads + m.lanes - 1) / m.lanes}
	m.slow = k.prog.uses(opAtomic) && m.slowByte > m.dramByte
	for slot := 0; slot < k.blocksPerSM && m.run.next < k.blocks; slot++ {
		for s := range m.sm {
			if m.run.next == k.blocks {
				break
			}
			m.startBlock(s, begin)
		}
	}
	for {
		now, id, ok := m.queue.Pop()
		if !ok {
			break
		}
		m.step(m.warps[id], now)
	}
	if err := m.finished(); err != nil {
		return 0, err
	}
	m.idleUntil(m.end)
	return m.end - begin, nil
}

// finished reports a kernel that has not come to its end.
func (m *machine) finished() error {
	if m.run.left != 0 {
		return fmt.Errorf("%w: kernel %s: %d blocks wait at a barrier for ever", errSimulation, m.run.prog.name, m.run.left)
	}
	if m.issued != m.completed {
		return fmt.Errorf("%w: kernel %s: %d atomic operations issued, %d completed", errSimulation, m.run.prog.name, m.issued, m.completed)
	}
	return nil
}

// idleUntil moves the clock to the end of the last memory access.
func (m *machine) idleUntil(at int64) {
	if at > m.queue.Now() {
		m.queue.Push(at, noEvent)
		m.queue.Pop()
	}
	m.end = m.queue.Now()
}

// uses reports whether the program contains the operation.
func (p *program) uses(o op) bool {
	for i := range p.code {
		if p.code[i].op == o {
			return true
		}
	}
	return false
}

func (m *machine) startBlock(s int, now int64) {
	r := m.run
	unit := &m.sm[s]
	b := &block{sm: s, number: r.next, live: r.warpsPerBlock, shared: make([]uint32, (r.sharedBytes+3)/4)}
	for i := range b.shared {
		b.shared[i] = poison
	}
	b.slot = unit.takeSlot()
	b.base = uint64(b.slot) * (r.sharedBytes / 4)
	r.next++
	unit.blocks++
	for i := range r.warpsPerBlock {
		w := m.takeWarp()
		w.block, w.number = b, i
		w.scheduler = unit.warps % m.schedulers
		unit.warps++
		w.start(r.prog, m.lanes, r.args)
		w.mask = m.full
		if rest := r.threads - i*m.lanes; rest < m.lanes {
			w.mask = m.full >> (m.lanes - rest)
		}
		w.scalars[scalarBlock], w.scalars[scalarBlocks] = b.number, r.blocks
		w.scalars[scalarWarp], w.scalars[scalarWarps] = uint64(i), uint64(r.warpsPerBlock)
		m.resume(w, now+blockStart)
	}
}

// takeSlot returns the lowest free place of a block in shared memory.
func (u *sm) takeSlot() int {
	slot := bits.TrailingZeros64(^u.slots)
	u.slots |= 1 << slot
	return slot
}

// takeWarp returns an idle warp, or a new one.
func (m *machine) takeWarp() *warp {
	if n := len(m.idle); n > 0 {
		w := m.warps[m.idle[n-1]]
		m.idle = m.idle[:n-1]
		return w
	}
	w := &warp{id: int32(len(m.warps))}
	m.warps = append(m.warps, w)
	return w
}

// finishWarp retires a warp; the last of its block makes room for the next.
func (m *machine) finishWarp(w *warp, now int64) {
	m.end = max(m.end, now)
	m.idle = append(m.idle, w.id)
	b := w.block
	b.live--
	if b.live > 0 {
		m.release(b, now)
		return
	}
	m.sm[b.sm].blocks--
	m.sm[b.sm].slots &^= 1 << b.slot
	m.run.left--
	if m.run.next < m.run.blocks {
		m.startBlock(b.sm, now)
	}
}

// arrive lets the warp wait at the block's barrier.
func (m *machine) arrive(w *warp, now int64) {
	b := w.block
	b.waiting = append(b.waiting, w)
	m.release(b, now)
}

// release opens the barrier once all live warps of the block wait at it.
func (m *machine) release(b *block, now int64) {
	if len(b.waiting) < b.live || len(b.waiting) == 0 {
		return
	}
	for _, w := range b.waiting {
		m.resume(w, now+m.barrier)
	}
	b.waiting = b.waiting[:0]
}
