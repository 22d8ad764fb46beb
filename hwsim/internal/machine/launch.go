package machine

import (
	"errors"
	"fmt"
	"math/bits"
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

// blockStart is the delay between the end of a block and its successor's
// first instruction, in cycles of every device: the registers and the shared
// memory are handed over.
const blockStart = 200

// Launch runs the kernel to its end, counts its cycles and returns them.
func (m *Machine) Launch(k Kernel) (int64, error) {
	begin := m.queue.Now()
	m.end = begin
	m.run = &kernelRun{Kernel: k, left: k.Blocks, warpsPerBlock: (k.Threads + m.Lanes - 1) / m.Lanes}
	m.slow = k.Prog.uses(OpAtomic) && m.slowByte > m.dramByte
	for slot := 0; slot < k.BlocksPerSM && m.run.next < k.Blocks; slot++ {
		for s := range m.sm {
			if m.run.next == k.Blocks {
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
func (m *Machine) finished() error {
	if m.run.left != 0 {
		return fmt.Errorf("%w: kernel %s: %d blocks wait at a barrier for ever", ErrSimulation,
			m.run.Prog.Name, m.run.left)
	}
	if m.Issued != m.Completed {
		return fmt.Errorf("%w: kernel %s: %d atomic operations issued, %d completed", ErrSimulation,
			m.run.Prog.Name, m.Issued, m.Completed)
	}
	return nil
}

// idleUntil moves the clock to the end of the last memory access.
func (m *Machine) idleUntil(at int64) {
	if at > m.queue.Now() {
		m.queue.Push(at, noEvent)
		m.queue.Pop()
	}
	m.end = m.queue.Now()
}

// uses reports whether the program contains the operation.
func (p *Program) uses(o op) bool {
	for i := range p.Code {
		if p.Code[i].Op == o {
			return true
		}
	}
	return false
}

func (m *Machine) startBlock(s int, now int64) {
	r := m.run
	unit := &m.sm[s]
	b := &block{sm: s, number: r.next, live: r.warpsPerBlock,
		shared: make([]uint32, (r.SharedBytes+3)/4)}
	for i := range b.shared {
		b.shared[i] = Poison
	}
	b.slot = unit.takeSlot()
	b.base = uint64(b.slot) * (r.SharedBytes / 4)
	r.next++
	unit.blocks++
	for i := range r.warpsPerBlock {
		w := m.takeWarp()
		w.block, w.number = b, i
		w.scheduler = unit.warps % m.schedulers
		unit.warps++
		w.start(r.Prog, m.Lanes, r.Args)
		w.mask = m.full
		if rest := r.Threads - i*m.Lanes; rest < m.Lanes {
			w.mask = m.full >> (m.Lanes - rest)
		}
		w.Scalars[scalarBlock], w.Scalars[scalarBlocks] = b.number, r.Blocks
		w.Scalars[scalarWarp], w.Scalars[scalarWarps] = uint64(i), uint64(r.warpsPerBlock)
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
func (m *Machine) takeWarp() *Warp {
	if n := len(m.idle); n > 0 {
		w := m.warps[m.idle[n-1]]
		m.idle = m.idle[:n-1]
		return w
	}
	w := &Warp{id: int32(len(m.warps))}
	m.warps = append(m.warps, w)
	return w
}

// finishWarp retires a warp; the last of its block makes room for the next.
func (m *Machine) finishWarp(w *Warp, now int64) {
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
	if m.run.next < m.run.Blocks {
		m.startBlock(b.sm, now)
	}
}

// arrive lets the warp wait at the block's barrier.
func (m *Machine) arrive(w *Warp, now int64) {
	b := w.block
	b.waiting = append(b.waiting, w)
	m.release(b, now)
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

// Issued is an instruction that a warp has executed.
type Issued struct {
	At   int32  // its place in the program
	Mask uint64 // the lanes that were active
	Now  int64  // cycles: when it was issued
}

// LaunchWatched runs a kernel of one block; see is called after each instruction.
func (m *Machine) LaunchWatched(k Kernel, see func(w *Warp, done Issued)) error {
	m.run = &kernelRun{Kernel: k, left: k.Blocks, warpsPerBlock: (k.Threads + m.Lanes - 1) / m.Lanes}
	m.startBlock(0, m.queue.Now())
	for {
		now, id, ok := m.queue.Pop()
		if !ok {
			return m.finished()
		}
		w := m.warps[id]
		done := Issued{w.pc, w.mask, now}
		m.stepOnce(w, now)
		see(w, done)
	}
}

// stepOnce is step without bundles: it issues one instruction.
func (m *Machine) stepOnce(w *Warp, now int64) {
	unit := &m.sm[w.block.sm]
	start := max(now, unit.issue[w.scheduler])
	in := &w.prog.Code[w.pc]
	if !in.inner {
		m.single(w, in, unit, start)
		return
	}
	unit.issue[w.scheduler] = start + m.issue
	m.inner(w, in, start)
	m.resume(w, start+m.issue)
}
