package calls

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/probe/gpu"
)

// valueOf is the value that update u adds where values are loaded: 1, 2 or 3,
// in an order without a pattern. The kernels make the same values.
func valueOf(u uint64) uint32 {
	h := uint32(u) * 2654435761
	h = (h ^ h>>15) * 2246822519
	return 1 + (h>>16)%3
}

// reference is what each target must hold after a call, by a serial sum on the
// host that shares no code with the kernels. Values are positive integers, so
// that the sums are integers too; adding the constant 1 gives the counts.
type reference struct {
	sums   []uint64 // of the loaded values
	counts []uint32
}

func newReference(indices []uint32, bins uint64) reference {
	r := reference{sums: make([]uint64, bins), counts: make([]uint32, bins)}
	for u, i := range indices {
		r.sums[i] += uint64(valueOf(uint64(u)))
		r.counts[i]++
	}
	return r
}

// check has the device compare the targets with the reference, and returned
// values with the targets. It says what is wrong, "" for nothing. Integers must
// be equal, and floats where no sum can round; above, they must lie within the
// forward bound of cuda/atomtune.cuh. Returned values must be those of some
// serial order of the updates.
func (m *measurement) check(c device.Call, a arrangement) string {
	s, t, bins := &m.stream, &m.typed, m.in.bins
	sums := s.sums
	if c.Operand == device.One {
		sums = gpu.Memory{} // the counts are the sums
	}
	got := m.verdict("check_", bins, t.target, sums, s.counts, bins, s.result)
	switch {
	case m.Err() != nil:
		return ""
	case got[0] > 0:
		return fmt.Sprintf("%d of %d targets differ from the reference, the first is %d", got[0], bins,
			got[1])
	case !c.Returns:
		return ""
	}
	got = m.verdict("check_old_", max(bins, m.updates()),
		t.target, t.old, s.index[a], t.value[a], m.updates(), bins, s.result)
	if got[0] != 0 {
		return "the returned values are those of no serial order"
	}
	return ""
}

// verdict runs a checking kernel over so many items. Its result begins as
// {0, 2^64-1}.
func (m *measurement) verdict(kernel string, items uint64, args ...any) [2]uint64 {
	raw := binary.LittleEndian.AppendUint64(make([]byte, 8, 16), math.MaxUint64)
	m.Write(m.stream.result, raw)
	t := m.typed.t
	m.LaunchFlat(callModule(t), kernel+kernelType(t), m.suite.flatBlocks(items), args...)
	m.Read(raw, m.stream.result)
	return [2]uint64{binary.LittleEndian.Uint64(raw), binary.LittleEndian.Uint64(raw[8:])}
}
