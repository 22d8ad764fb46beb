package hwsim

import (
	"errors"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// TestFigure1 is [elteir11] Figure 1: an atomic operation that is never
// executed takes the copy from 96 to 18 GB/s.
func TestFigure1(t *testing.T) {
	d := profile(t, "hd5870")
	for _, c := range []struct {
		atomic bool
		want   float64 // bytes per second
	}{{false, 96e9}, {true, 18e9}} {
		r, err := Copy(d, 1<<21, c.atomic)
		if err != nil || !r.Correct {
			t.Fatal(r, err)
		}
		if r.BytesPerSecond > c.want || r.BytesPerSecond < 0.9*c.want {
			t.Errorf("atomic %v: %.1f GB/s, the paper has %.0f", c.atomic, r.BytesPerSecond/1e9, c.want/1e9)
		}
	}
	one, err := Copy(profile(t, "gtx580"), 1<<18, false)
	if err != nil {
		t.Fatal(err)
	}
	if two, err := Copy(profile(t, "gtx580"), 1<<18, true); err != nil || float64(two.Cycles) > 1.5*float64(one.Cycles) {
		t.Errorf("a device with one path: %d cycles, without an atomic operation %d, %v", two.Cycles, one.Cycles, err)
	}
}

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
	d := profile(t, "hd5870")
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

func TestCopyErrors(t *testing.T) {
	none := *profile(t, "hd5870")
	none.Types = map[device.Type]device.TypeAtomics{}
	for _, d := range device.Types() {
		none.Types[d] = device.TypeAtomics{Global: "none"}
	}
	if _, err := Copy(&none, 1, true); !errors.Is(err, device.ErrCannot) {
		t.Errorf("no atomics: %v", err)
	}
	if _, err := Copy(nil, 1, true); !errors.Is(err, ErrStream) {
		t.Errorf("no device: %v", err)
	}
	if _, err := Copy(&none, 0, true); !errors.Is(err, ErrStream) {
		t.Errorf("no words: %v", err)
	}
}
