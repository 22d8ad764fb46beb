package apps

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/splitmix"
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
	if d == nil || words < 1 || words > hwsim.MaxUpdates {
		return CopyResult{}, fmt.Errorf("%w: no device, or %d words, want 1 to %d", hwsim.ErrStream,
			words, hwsim.MaxUpdates)
	}
	if err := d.CanRun(impl.Spec{}, device.U32, uint64(words)); err != nil {
		return CopyResult{}, err
	}
	source := make([]uint32, words)
	for i := range source {
		source[i] = uint32(splitmix.Mix(uint64(i)))
	}
	s := kernel.NewSession(d, device.Call{}, impl.Spec{}, 0)
	to, from := s.Buffer(s.Typed(uint64(words))),
		s.Buffer(&machine.Buffer{Words: source})
	s.Machine.Stream = s.Top > s.Machine.L2Bytes
	if err := s.Launch(copyKernel(to, from, s.Machine.Lanes, atomic), s.Wide(uint64(words)),
		uint64(words)); err != nil {
		return CopyResult{}, err
	}
	r := CopyResult{Cycles: s.Times[0].Cycles,
		Correct: slices.Equal(s.Machine.Buffers[to].Words, source)}
	r.BytesPerSecond = 8 * float64(words) / float64(r.Cycles) * d.Core.Clock.Value * 1e6
	return r, nil
}

// copyKernel loops over as many elements as its argument says.
func copyKernel(to, from, lanes int, atomic bool) *machine.Program {
	b := machine.NewBuilder("copy", 1)
	warp, warps := b.GridWarps()
	stride := b.Mul(warps, imm(uint64(lanes)))
	k := b.Add(b.Mul(warp, imm(uint64(lanes))), b.Lane())
	b.For(k, b.Arg(0), stride, func() {
		v := b.Load(from, k)
		b.Store(to, k, v)
		if atomic {
			b.When(b.Less(k, imm(0)), func() { b.Atomic(to, false, k, v) })
		}
	})
	return b.Done()
}
