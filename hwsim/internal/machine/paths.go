package machine

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
)

// splitPhase is how a device with two paths to memory loads in a kernel with
// global atomics, [elteir11] section II-B: through the CompletePath, in two
// phases. The atomic units copy the values into a buffer, where lanes that want
// one word follow each other, and a normal load reads the buffer.
type splitPhase struct {
	latency  int64 // cycles, of the first phase; 0 where there is one path only
	copySame int64 // ticks, between two lanes on one word
}

func newSplitPhase(d *device.Profile) splitPhase {
	if d.Paths == nil {
		return splitPhase{}
	}
	return splitPhase{
		latency:  int64(d.GlobalAtomic(device.U32).Latency.Value + 0.5),
		copySame: ticks(d.Paths.CopySame.Value),
	}
}

// copies puts the first phase of a load before the second one, which would be
// done at that cycle without it, and returns the cycle in which the load is done.
func (m *Machine) copies(w *Warp, buf *Buffer, index []uint64, start, done int64) int64 {
	if m.split.latency == 0 || !m.slow || w.mask == 0 {
		return done
	}
	g := &m.scratch.address
	g.reset()
	for rest := w.mask; rest != 0; rest &= rest - 1 {
		g.add(index[bits.TrailingZeros64(rest)])
	}
	now := start << tickBits
	copied := start
	for i := range g.n {
		if n := int64(g.count[i]); n > 1 {
			unit := &m.slice[m.sliceOf(buf.Base+g.key[i]*buf.ElemBytes())]
			cost := n * m.split.copySame
			copied = max(copied, (unit.takeFrom(now, now, cost)+cost)>>tickBits)
		}
	}
	return done + m.split.latency + copied - start
}
