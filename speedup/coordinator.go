package speedup

import "github.com/atomtune/atomtune/speedup/elteir"

// coordinatorUS fills in the bound of the implementation `coordinator` after the clearing of the
// targets, and returns its end: the corrected form of [elteir11] for a stream, without the time around a
// kernel, which its launch holds. All workgroups that run at once beside the coordinator, of one
// wavefront each, take turns with the rows of lanes.
func (b *Bundle) coordinatorUS(st *stream, x *phaseBounds) float64 {
	resident := min(b.d.Core.MaxBlocks.Value, b.d.Core.MaxWarps.Value)*b.sms - 1
	s := elteir.CoordinatedStream{Workgroups: min(resident, st.iterations),
		Requests: max(1, st.DistinctPerWarp), Loads: b.loads, Targets: st.unique,
		Grouped: st.runs == st.unique}
	s.Iterations = ceil(st.iterations / s.Workgroups)
	s.Lanes = max(1, st.active/s.Requests)
	x[0][boundScan] = b.coordinator.Stream(s).Cycles() * b.cycle
	return b.protocolStart(st, s.Workgroups) + x[0][boundScan]
}

// protocolStart is when the coordinator starts: where the targets are not cleared, after the
// clearing of the protocol's six arrays of a word per workgroup.
func (b *Bundle) protocolStart(st *stream, workgroups float64) float64 {
	const arrays, word = 6, 4
	bytes := arrays * word * (workgroups + 1)
	if !b.c.Keeps || bytes <= b.clearFree {
		return st.start
	}
	return st.start + max(b.next, b.clearUS(bytes)+b.gap)
}
