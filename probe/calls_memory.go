package probe

import (
	"github.com/atomtune/atomtune/device"
)

// pool frees together what was allocated for one stream, or for one type of it.
type pool struct {
	g    GPU
	held []Memory
}

// alloc returns so many bytes of device memory, at least a few: a kernel's
// pointer to nothing stays a valid one.
func (p *pool) alloc(bytes uint64) (Memory, error) {
	m, err := p.g.Alloc(max(bytes, 16))
	if err == nil {
		p.held = append(p.held, m)
	}
	return m, err
}

func (p *pool) upload(from []byte) (Memory, error) {
	m, err := p.alloc(uint64(len(from)))
	if err != nil || len(from) == 0 {
		return m, err
	}
	return m, p.g.Upload(m, from)
}

func (p *pool) free() {
	for _, m := range p.held {
		p.g.Free(m)
	}
	p.held = nil
}

// arrangement is the order in which an implementation performs the updates.
type arrangement int

const (
	asGiven     arrangement = iota
	dealt                   // ss: one update of each target after another
	dealtByWarp             // sr+ss: the same with whole warps
	arrangements
)

// streamMemory is a stream in device memory: its indices in each arrangement,
// the orders that led there, and what the targets must hold.
type streamMemory struct {
	pool
	order  [arrangements]Memory // null as given
	index  [arrangements]Memory
	sums   Memory
	counts Memory
	result Memory // of a check: 16 bytes
}

// loadStream uploads the stream and lets the device re-lay it.
func loadStream(g GPU, in *callInput, blocks int) (*streamMemory, error) {
	s := &streamMemory{pool: pool{g: g}}
	if err := s.load(in, blocks); err != nil {
		s.free()
		return nil, err
	}
	return s, nil
}

func (s *streamMemory) load(in *callInput, blocks int) (err error) {
	if s.index[asGiven], err = s.upload(bytesOf(in.indices)); err != nil {
		return err
	}
	if err = s.relay(dealt, in.order, blocks); err != nil {
		return err
	}
	if err = s.relay(dealtByWarp, in.warps, blocks); err != nil {
		return err
	}
	if s.sums, err = s.upload(bytesOf(in.want.sums)); err != nil {
		return err
	}
	if s.counts, err = s.upload(bytesOf(in.want.counts)); err != nil {
		return err
	}
	s.result, err = s.alloc(16)
	return err
}

// relay lays the stream in an arrangement.
func (s *streamMemory) relay(a arrangement, order []uint32, blocks int) (err error) {
	updates := uint64(len(order))
	if s.order[a], err = s.upload(bytesOf(order)); err != nil {
		return err
	}
	if s.index[a], err = s.alloc(4 * updates); err != nil {
		return err
	}
	return launchFlat(s.g, "calls_stream", "gather_index", blocks, s.index[a], s.index[asGiven], s.order[a], updates)
}

// typeMemory is what one type of target needs beside the stream. Values and
// returned values are made at their first use.
type typeMemory struct {
	pool
	t      device.Type
	target Memory
	values [arrangements]Memory
	old    Memory
}

// valuesIn returns the values of the updates in that arrangement.
func (m *typeMemory) valuesIn(a arrangement, s *streamMemory, updates uint64, blocks int) (Memory, error) {
	if m.values[a].Address != 0 {
		return m.values[a], nil
	}
	values, err := m.alloc(updates * uint64(m.t.Bytes()))
	if err != nil {
		return Memory{}, err
	}
	kernel := "make_values_" + kernelType(m.t)
	if err := launchFlat(m.g, callModule(m.t), kernel, blocks, values, s.order[a], updates); err != nil {
		return Memory{}, err
	}
	m.values[a] = values
	return values, nil
}

// oldFor returns memory for the old value of each update.
func (m *typeMemory) oldFor(updates uint64) (_ Memory, err error) {
	if m.old.Address == 0 {
		m.old, err = m.alloc(updates * uint64(m.t.Bytes()))
	}
	return m.old, err
}

// launchFlat enqueues a kernel of 256 threads a block that needs no shared memory.
func launchFlat(g GPU, module, kernel string, blocks int, args ...any) error {
	k, err := g.Kernel(module, kernel)
	if err != nil {
		return err
	}
	return g.Launch(k, Launch{Blocks: blocks, Threads: 256}, args...)
}
