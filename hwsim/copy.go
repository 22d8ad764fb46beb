package hwsim

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

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
	s := newSession(d, device.Call{}, variant.Variant{}, 0)
	to, from := s.buffer("target", s.typed(uint64(words))), s.buffer("source", &buffer{words: source})
	s.machine.stream = s.top > s.machine.l2Bytes
	if err := s.launch(s.wide(copyKernel(to, from, s.machine.lanes, atomic), uint64(words), uint64(words))); err != nil {
		return CopyResult{}, err
	}
	r := CopyResult{Cycles: s.times[0].Cycles, Correct: true}
	for i, v := range s.machine.buffers[to].words {
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
