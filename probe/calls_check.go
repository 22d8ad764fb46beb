package probe

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// check has the device compare the targets with the reference, and returned
// values with the targets. It says what is wrong, "" for nothing. Integers must
// be equal, and floats where no sum can round; above, they must lie within the
// forward bound of cuda/atomtune.cuh. Returned values must be those of some
// serial order of the updates.
func (r *callRun) check(m *typeMemory, c device.Call, v variant.Variant) (string, error) {
	sums := r.stream.sums
	if c.Operand == device.One {
		sums = Memory{} // the counts are the sums
	}
	bins, updates := r.in.bins, uint64(len(r.in.indices))
	got, err := r.verdict(m.t, "check_", bins, m.target, sums, r.stream.counts, bins, r.stream.result)
	switch {
	case err != nil:
		return "", err
	case got[0] > 0:
		return fmt.Sprintf("%d of %d targets differ from the reference, the first is %d", got[0], bins, got[1]), nil
	case !c.Returns:
		return "", nil
	}
	a := arranged(v)
	got, err = r.verdict(m.t, "check_old_", max(bins, updates),
		m.target, m.old, r.stream.index[a], m.values[a], updates, bins, r.stream.result)
	if err == nil && got[0] != 0 {
		return "the returned values are those of no serial order", nil
	}
	return "", err
}

// verdict runs a checking kernel over so many items. Its result begins as
// {0, 2^64-1}.
func (r *callRun) verdict(t device.Type, kernel string, items uint64, args ...any) (result [2]uint64, err error) {
	raw := binary.LittleEndian.AppendUint64(make([]byte, 8, 16), math.MaxUint64)
	if err := r.g.Upload(r.stream.result, raw); err != nil {
		return result, err
	}
	if err := launchFlat(r.g, callModule(t), kernel+kernelType(t), r.suite.flatBlocks(items), args...); err != nil {
		return result, err
	}
	if err := r.g.Download(raw, r.stream.result); err != nil {
		return result, err
	}
	return [2]uint64{binary.LittleEndian.Uint64(raw), binary.LittleEndian.Uint64(raw[8:])}, nil
}
