package hwsim

import (
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// uniform runs one warp that loads a word in all lanes, and perhaps holds an
// atomic operation that is never executed.
func uniform(t *testing.T, d *device.Profile, atomic bool) int64 {
	t.Helper()
	s := newSession(d, device.Call{}, variant.Variant{}, 0)
	from, to := s.buffer("source", &buffer{words: []uint32{9}}), s.buffer("target", s.typed(64))
	b := newBuilder("uniform", 0)
	lane := b.lane()
	v := b.load(from, imm(0))
	b.store(to, lane, v)
	if atomic {
		b.when(b.less(lane, imm(0)), func() { b.atomic(to, false, lane, v) }, nil)
	}
	cycles, err := s.machine.launch(kernel{prog: b.done(), blocks: 1, threads: s.machine.lanes, blocksPerSM: 1})
	if err != nil || s.machine.buffers[to].words[63] != 9 {
		t.Fatal(s.machine.buffers[to].words, err)
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
		t.Errorf("%d cycles, through the FastPath %d: want %d more and hardly any beside", slow, fast, least)
	}
	once := *d
	once.Paths = nil
	if without := uniform(t, &once, true); without > fast+200 {
		t.Errorf("%d cycles with one path, %d through the FastPath", without, fast)
	}
}
