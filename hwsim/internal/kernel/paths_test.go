package kernel

import (
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// uniform runs one warp that loads a word in all lanes, and perhaps holds an
// atomic operation that is never executed.
func uniform(t *testing.T, d *device.Profile, atomic bool) int64 {
	t.Helper()
	s := NewSession(d, device.Call{}, impl.Spec{}, 0)
	from, to := s.Buffer(&machine.Buffer{Words: []uint32{9}}),
		s.Buffer(s.Typed(64))
	b := machine.NewBuilder("uniform", 0)
	lane := b.Lane()
	v := b.Load(from, imm(0))
	b.Store(to, lane, v)
	if atomic {
		b.When(b.Less(lane, imm(0)), func() { b.Atomic(to, false, lane, v) })
	}
	cycles, err := s.Machine.Launch(b.Done(), device.Shape{Blocks: 1, Threads: s.Machine.Lanes,
		BlocksPerSM: 1})
	if err != nil || s.Machine.Buffers[to].Words[63] != 9 {
		t.Fatal(s.Machine.Buffers[to].Words, err)
	}
	return cycles
}

// TestSplitPhase: through the CompletePath the lanes that load one word follow
// each other.
func TestSplitPhase(t *testing.T) {
	d := kernelProfile(t, "hd5870")
	fast, slow := uniform(t, d, false), uniform(t, d, true)
	least := int64(64*d.Paths.CopySame.Value + d.GlobalAtomic(device.U32).Latency.Value)
	if slow-fast < least || slow-fast > least+200 {
		t.Errorf("%d cycles, through the FastPath %d: want %d more and hardly any beside", slow, fast,
			least)
	}
	once := *d
	once.Paths = nil
	if without := uniform(t, &once, true); without > fast+200 {
		t.Errorf("%d cycles with one path, %d through the FastPath", without, fast)
	}
}
