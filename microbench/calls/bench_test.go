package calls

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/must"
)

func benchStream(t *testing.T, text string) Stream {
	t.Helper()
	spec := must.Get(synth.Parse(text))(t)
	indices := must.Get(synth.Generate(spec))(t)
	return Stream{text, indices, uint64(spec.K)}
}

// TestBench: each implementation that the device can run is timed in the rule's launch and in a
// further one, and is right. Nothing is left on the device.
func TestBench(t *testing.T) {
	g := newCallsGPU()
	call := device.Call{Type: device.F32, Operand: device.Loaded}
	for _, relaid := range []bool{false, true} {
		b := must.Get(NewBench(t.Context(), g, benchStream(t, "zipf:n=70001,k=300,seed=4,s=1.1"), call, relaid,
			Options{Repeats: 1}))(t)
		list := b.Implementations()
		further := 0
		for _, v := range list {
			launches := []device.Launch{{}}
			if more := b.Launches(v); len(more) > 0 {
				launches = append(launches, more[0])
				further++
			}
			for _, l := range launches {
				if c, wrong, err := b.Time(v, l); err != nil || wrong != "" || c.MedianUS <= 0 ||
					!c.Correct || c.Implementation != v || c.Fixed != (l != device.Launch{}) {
					t.Errorf("%s in %v: %+v, %s, %v", v, l, c, wrong, err)
				}
			}
		}
		scattered := slices.ContainsFunc(list, func(v impl.Spec) bool { return v.Scatter })
		sorts := slices.ContainsFunc(list, inLibrary)
		if len(list) < 35 || further < 30 || scattered != relaid || sorts {
			t.Errorf("%d implementations, %d in further launches: %v", len(list), further, list)
		}
		if err := b.Close(); err != nil || g.allocated != 0 {
			t.Errorf("%d pieces of memory are left, %v", g.allocated, err)
		}
	}
}

// TestBenchLacks: there is a reason why something cannot be timed.
func TestBenchLacks(t *testing.T) {
	b := must.Get(NewBench(t.Context(), newCallsGPU(), benchStream(t, "uniform:n=999,k=60001,seed=4"),
		device.Call{}, false, Options{}))(t)
	for v, runs := range map[impl.Spec]bool{{}: true, {Scatter: true}: false, {Algorithm: impl.Sort}: false,
		{Algorithm: impl.Private}: false} {
		if got := b.Lacks(v, device.Launch{}); (got == "") != runs {
			t.Errorf("%s: %q", v, got)
		}
	}
	if l := (device.Launch{Blocks: 3, Threads: 96, Unroll: 1}); !b.Fits(impl.Spec{}, l) {
		t.Errorf("naive does not fit in %v", l)
	}
	if l := (device.Launch{Blocks: 3, Threads: 90, Unroll: 1}); b.Fits(impl.Spec{}, l) {
		t.Errorf("naive fits in %v", l)
	}
}

// TestBenchMemory: where the device has no room for a call, the next one is timed. A context that
// has ended ends the bench.
func TestBenchMemory(t *testing.T) {
	g := newCallsGPU()
	ctx, cancel := context.WithCancel(t.Context())
	b := must.Get(NewBench(ctx, g, benchStream(t, "uniform:n=999,k=7,seed=4"),
		device.Call{Operand: device.One}, false, Options{Repeats: 1}))(t)
	g.left = 0
	if _, _, err := b.Time(impl.Spec{Algorithm: impl.ThreadPrivate},
		device.Launch{}); !errors.Is(err, driver.ErrMemory) {
		t.Errorf("copies without memory: %v", err)
	}
	if c, wrong, err := b.Time(impl.Spec{}, device.Launch{}); err != nil || wrong != "" || !c.Correct {
		t.Errorf("the next one: %+v, %s, %v", c, wrong, err)
	}
	cancel()
	if _, _, err := b.Time(impl.Spec{}, device.Launch{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a call after the end: %v", err)
	}
}

// TestBenchOfNothing: a stream without updates, and one with too many targets.
func TestBenchOfNothing(t *testing.T) {
	g := newCallsGPU()
	for _, s := range []Stream{{"none", nil, 1}, {"wide", []uint32{1 << 28}, 1<<28 + 1}} {
		if _, err := NewBench(t.Context(), g, s, device.Call{}, false, Options{}); !errors.Is(err, ErrStream) {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
	if g.allocated != 0 {
		t.Errorf("%d pieces of memory are left", g.allocated)
	}
}
