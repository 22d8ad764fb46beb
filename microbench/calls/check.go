package calls

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/bindings/gpu/kernels"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/splitmix"
)

func (m *measurement) load() {
	m.index[asGiven] = m.Upload(driver.Bytes(m.in.indices))
	for a := asGiven + 1; a < arrangements; a++ {
		if !m.suite.arranges(a) {
			continue
		}
		m.order[a] = m.Upload(driver.Bytes(m.in.orders[a]))
		m.index[a] = m.Alloc(4 * m.updates())
		m.launchOver(m.updates(), "calls_stream", "gather_index", m.index[a], m.index[asGiven],
			m.order[a], m.updates())
	}
	m.sums = m.Upload(driver.Bytes(m.in.want.sums))
	m.counts = m.Upload(driver.Bytes(m.in.want.counts))
	m.verdicts = m.Alloc(16)
	m.known = map[int]driver.Memory{}
	for _, call := range m.suite.calls {
		for _, v := range m.suite.asked(call) {
			if _, there := m.known[v.Slots]; v.Slots > 0 && v.Sample == 0 && !there &&
				m.suite.runs(v, call, m.in) {
				m.known[v.Slots] = m.Upload(driver.Bytes(impl.Tags(m.in.want.counts, v.Slots)))
			}
		}
	}
}

func (m *measurement) updates() uint64 { return uint64(len(m.in.indices)) }

func (m *measurement) launchOver(items uint64, module, kernel string, args ...any) {
	m.LaunchFlat(module, kernel, m.suite.flatBlocks(items), args...)
}

// typeMemory is what one type of target needs beside the stream. Values and
// returned values are made at their first use.
type typeMemory struct {
	t           device.Type
	target, old driver.Memory
	value       [arrangements]driver.Memory
}

// allocOnce reports whether there was no room for an element of each update before.
func (m *measurement) allocOnce(to *driver.Memory) bool {
	if to.Address != 0 {
		return false
	}
	*to = m.Alloc(m.updates() * uint64(m.typed.t.Bytes()))
	return true
}

// flatBlocks is the grid of kernels that go over so many items once: no more
// blocks than the device holds.
func (c *suite) flatBlocks(items uint64) int {
	held := uint64(max(1, c.limits.SMs*c.limits.MaxWarps*c.limits.WarpLanes/driver.FlatThreads))
	return int(max(1, min(held, (items+driver.FlatThreads-1)/driver.FlatThreads)))
}

// valueOf is the value that update u adds where values are loaded: 1, 2 or 3,
// in an order without a pattern. The kernels make the same values.
func valueOf(u uint64) uint32 {
	h := uint32(u) * splitmix.Knuth
	h = (h ^ h>>15) * 2246822519
	return 1 + (h>>16)%3
}

// reference is what each target must hold after a call, by a serial sum on the
// host that shares no code with the kernels. Adding the constant 1 gives the counts.
type reference struct {
	sums   []uint64 // of the loaded values
	counts []uint32
	most   uint64 // the greatest of sums
}

func newReference(indices []uint32, bins uint64) reference {
	r := reference{sums: make([]uint64, bins), counts: make([]uint32, bins)}
	for u, i := range indices {
		r.sums[i] += uint64(valueOf(uint64(u)))
		r.counts[i]++
		r.most = max(r.most, r.sums[i])
	}
	return r
}

// check has the device compare the targets with the reference, and returned values with the
// targets. It says what is wrong, "" for nothing. Integers must be equal, and floats where no sum
// can round; above, they must lie within the forward bound of bindings/cuda/atomtune.cuh. Returned values
// must be those of some serial order of the updates; those of a reduction or of copies of floats only
// where no sum can round, since these add in another order than they hand them out.
func (m *measurement) check(c device.Call, v impl.Spec) string {
	t, bins, sums := &m.typed, m.in.bins, m.sums
	if c.Operand == device.One {
		sums = driver.Memory{} // the counts are the sums
	}
	got := m.verdict("check_", bins, t.target, sums, m.counts, bins, m.verdicts)
	switch {
	case m.Err() != nil:
		return ""
	case got[0] > 0:
		return fmt.Sprintf("%d of %d targets differ from the reference; the first is %d", got[0], bins,
			got[1])
	case !c.Returns || (v.Reduces() || v.ReturnsTwice()) && m.in.want.most > wholeSums(c.Type):
		return ""
	}
	a := arrangementOf(v)
	got = m.verdict("check_old_", max(bins, m.updates()),
		t.target, t.old, m.index[a], t.value[a], m.updates(), bins, m.verdicts)
	if got[0] != 0 {
		return "the returned values do not match any serial order"
	}
	return ""
}

// wholeSums is the number up to which sums of whole numbers do not round. Integers wrap alike in every
// order.
func wholeSums(t device.Type) uint64 {
	switch t {
	case device.F32:
		return 1 << 24
	case device.F64:
		return 1 << 53
	}
	return math.MaxUint64
}

// verdict runs a checking kernel over so many items. Its result begins as {0, 2^64-1}.
func (m *measurement) verdict(kernel string, items uint64, args ...any) [2]uint64 {
	result := [2]uint64{0, math.MaxUint64}
	m.Write(m.verdicts, driver.Bytes(result[:]))
	t := m.typed.t
	m.launchOver(items, kernels.Module(t), kernel+kernels.Type(t), args...)
	m.Read(driver.Bytes(result[:]), m.verdicts)
	return result
}
