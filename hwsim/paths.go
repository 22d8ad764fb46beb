package hwsim

import (
	"fmt"
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
func (m *machine) copies(w *warp, buf *buffer, index []uint64, start, done int64) int64 {
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
			unit := &m.slice[m.sliceOf(buf.base+g.key[i]*buf.elemBytes())]
			cost := n * m.split.copySame
			copied = max(copied, (unit.takeFrom(now, now, cost)+cost)>>tickBits)
		}
	}
	return done + m.split.latency + copied - start
}

// CopyResult is the outcome of Copy.
type CopyResult struct {
	Cycles         uint64
	BytesPerSecond float64 // read and written
	Correct        bool
}

// Copy runs the kernel of [elteir11] Figure 1 on words of 32 bits: every lane
// copies one element of an array to another, again and again. With atomic, the
// kernel also holds an atomic addition that no lane executes. Errors wrap
// device.ErrCannot or ErrStream.
func Copy(d *device.Profile, words int, atomic bool) (CopyResult, error) {
	if d == nil || words < 1 || words > MaxUpdates {
		return CopyResult{}, fmt.Errorf("%w: no device, or %d words, want 1 to %d", ErrStream, words, MaxUpdates)
	}
	if d.GlobalAtomic(device.U32).Mechanism == device.Absent {
		return CopyResult{}, fmt.Errorf("%w: %s has no global atomic for %s", device.ErrCannot, d.Name, device.U32)
	}
	source := make([]uint32, words)
	for i := range source {
		source[i] = uint32(mix(uint64(i)))
	}
	s := &session{cfg: Config{Device: d}, m: newMachine(d, device.Call{})}
	to, from := s.buffer("target", s.typed(uint64(words))), s.buffer("source", &buffer{words: source})
	s.m.stream = s.top > s.m.l2Bytes
	if err := s.launch(s.wide(copyKernel(to, from, s.m.lanes, atomic), uint64(words), uint64(words))); err != nil {
		return CopyResult{}, err
	}
	r := CopyResult{Cycles: s.times[0].Cycles, Correct: true}
	for i, v := range s.m.buffers[to].words {
		r.Correct = r.Correct && v == source[i]
	}
	r.BytesPerSecond = 8 * float64(words) / float64(r.Cycles) * d.Core.Clock.Value * 1e6
	return r, nil
}

// copyKernel loops over as many elements as its argument says.
func copyKernel(to, from, lanes int, atomic bool) *program {
	b := newBuilder("copy", 1)
	warp := b.add(b.mul(scalarReg(scalarBlock), scalarReg(scalarWarps)), scalarReg(scalarWarp))
	stride := b.mul(b.mul(scalarReg(scalarBlocks), scalarReg(scalarWarps)), imm(uint64(lanes)))
	k := b.add(b.mul(warp, imm(uint64(lanes))), b.lane())
	b.loop(func() {
		b.leaveUnless(b.less(k, b.arg(0)))
		v := b.load(from, k)
		b.store(to, k, v)
		if atomic {
			b.when(b.less(k, imm(0)), func() { b.atomic(to, false, k, v) }, nil)
		}
		b.inc(k, stride)
	})
	return b.done()
}
