package calls

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/probe/gpu"
)

// streamMemory is a stream in device memory: its indices in each arrangement,
// the orders that led there, and what the targets must hold.
type streamMemory struct {
	order  [arrangements]gpu.Memory // null as given
	index  [arrangements]gpu.Memory
	sums   gpu.Memory
	counts gpu.Memory
	result gpu.Memory // of a check: 16 bytes
}

// load uploads the stream and lets the device re-lay it.
func (m *measurement) load() {
	s := &m.stream
	s.index[asGiven] = m.Upload(gpu.Bytes(m.in.indices))
	for a := asGiven + 1; a < arrangements; a++ {
		s.order[a] = m.Upload(gpu.Bytes(m.in.orders[a]))
		s.index[a] = m.Alloc(4 * m.updates())
		m.LaunchFlat("calls_stream", "gather_index", m.suite.flatBlocks(m.updates()),
			s.index[a], s.index[asGiven], s.order[a], m.updates())
	}
	s.sums = m.Upload(gpu.Bytes(m.in.want.sums))
	s.counts = m.Upload(gpu.Bytes(m.in.want.counts))
	s.result = m.Alloc(16)
}

func (m *measurement) updates() uint64 { return uint64(len(m.in.indices)) }

// typeMemory is what one type of target needs beside the stream. Values and
// returned values are made at their first use.
type typeMemory struct {
	t      device.Type
	target gpu.Memory
	value  [arrangements]gpu.Memory
	old    gpu.Memory
}

// values returns the values of the updates in that arrangement.
func (m *measurement) values(a arrangement) gpu.Memory {
	t := &m.typed
	if t.value[a].Address == 0 {
		t.value[a] = m.Alloc(m.updates() * uint64(t.t.Bytes()))
		m.LaunchFlat(callModule(t.t), "make_values_"+kernelType(t.t), m.suite.flatBlocks(m.updates()),
			t.value[a], m.stream.order[a], m.updates())
	}
	return t.value[a]
}

// oldValues returns memory for the old value of each update.
func (m *measurement) oldValues() gpu.Memory {
	if m.typed.old.Address == 0 {
		m.typed.old = m.Alloc(m.updates() * uint64(m.typed.t.Bytes()))
	}
	return m.typed.old
}

// flatBlocks is the grid of kernels that go over so many items once: no more
// blocks than the device holds.
func (c *suite) flatBlocks(items uint64) int {
	held := uint64(max(1, c.limits.SMs*c.limits.MaxWarps*c.limits.WarpLanes/gpu.FlatThreads))
	return int(max(1, min(held, (items+gpu.FlatThreads-1)/gpu.FlatThreads)))
}
