package casloop

import "math/rand/v2"

// memory is a target in global memory and the copies of it that work-groups keep.
type memory struct {
	value   uint64
	copies  []groupCopy
	refresh float64 // probability that a read finds no copy
	random  *rand.Rand
}

// groupCopy is what a work-group has read of the target, if it has.
type groupCopy struct {
	value uint64
	valid bool
}

// read is an ordinary read by a lane of the group: of the group's copy where the
// device still keeps one, else of memory.
func (m *memory) read(group int) uint64 {
	c := &m.copies[group]
	if !c.valid || m.refresh > 0 && m.random.Float64() < m.refresh {
		*c = groupCopy{value: m.value, valid: true}
	}
	return c.value
}

// exchange is atomic_cmpxchg. It acts on memory and leaves the copies as they are.
func (m *memory) exchange(expected, next uint64) (old uint64) {
	old = m.value
	if old == expected {
		m.value = next
	}
	return old
}

// mayRead reports whether a read by the group may return what memory holds.
func (m *memory) mayRead(group int) bool {
	c := m.copies[group]
	return m.refresh > 0 || !c.valid || c.value == m.value
}
