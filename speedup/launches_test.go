package speedup

import (
	"errors"
	"math"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// TestUnrollShortensWaiting: turns that load together wait less, and nothing else takes less.
func TestUnrollShortensWaiting(t *testing.T) {
	d := builtin(t, "h200")
	s := measure(uniform(1<<14, 5000, 3), 5000, 32)
	for _, v := range []impl.Spec{{}, {Reduction: impl.SR}, {Algorithm: impl.Private}} {
		m, err := Compile(v, d, device.Call{})
		if err != nil {
			t.Fatal(err)
		}
		under := func(l device.Launch) map[string]float64 {
			b, err := m.b.Launched(l)
			if err != nil {
				t.Fatal(err)
			}
			cost, err := b.Explain(&s, 0)
			if err != nil {
				t.Fatal(err)
			}
			return partsOf(cost)
		}
		one, four := under(device.Launch{Blocks: 1}), under(device.Launch{Blocks: 1, Unroll: 4})
		iterations := 1 << 14 / 256.0
		saved := one["update latency"] - four["update latency"]
		want := 0.75 * iterations * d.Global.LoadLatency.Value / d.Core.Clock.Value
		if math.Abs(saved-want) > 1e-9*want {
			t.Errorf("%s: %v us of waiting saved, want %v", v, saved, want)
		}
		for _, of := range []map[string]float64{one, four} {
			delete(of, "update")
			delete(of, "update latency")
		}

		for name, us := range one {
			if math.Abs(four[name]-us) > 1e-12*us || len(one) != len(four) {
				t.Errorf("%s, %s: %v us, with four turns together %v us", v, name, us, four[name])
			}
		}
	}
}

// TestWaves: blocks beyond those that are resident wait for them, and a block on one SM has the
// work of all.
func TestWaves(t *testing.T) {
	d := builtin(t, "h200")
	s := measure(uniform(1<<16, 64, 4), 64, 32)
	m, err := Compile(impl.Spec{Algorithm: impl.Private}, d, device.Call{})
	if err != nil {
		t.Fatal(err)
	}
	long := scale(s, 8)
	var e evaluation
	for _, c := range []struct {
		of                                                *collision.Stats
		blocks                                            uint64
		iterations, waves, slotIterations, united, uneven float64
	}{
		{&s, 1, 256, 1, 256, 192, 132},
		{&s, 132, 2, 1, 2, 1, 1},
		{&s, 133, 2, 1, 2, 1, 2 * 132 / 133.0},
		{&s, 1056, 1, 1, 1, 0, 1},
		{&s, 2000, 1, 2, 1, 0, 1}, // blocks without updates
		{&long, 1980, 2, 2, 4, 2, 1},
	} {
		b, err := m.b.Launched(device.Launch{Blocks: c.blocks, Threads: 256, Unroll: 4})
		if err != nil {
			t.Fatal(err)
		}
		b.read(c.of, &e.st)
		g := &e.grid
		b.setGrid(&b.small, &e.st, g)
		if g.iterations != c.iterations || g.waves != c.waves || g.slotIterations != c.slotIterations ||
			math.Abs(g.united-c.united) > 1e-9 || math.Abs(g.uneven-c.uneven) > 1e-9 {
			t.Errorf("%d blocks: %+v, want %+v", c.blocks, g.launch, c)
		}
	}
}

// keepRule: implementations whose launch is not searched keep the rule's in a search that has it, though
// another is faster here, and take the best of others.
func keepRule(t *testing.T, d *device.Profile, launches []device.Launch) {
	t.Helper()
	b, err := CompileAll([]impl.Spec{{Algorithm: impl.ThreadPrivate}}, d, device.Call{})
	if err != nil {
		t.Fatal(err)
	}
	s := measure(make([]uint32, 1<<18), 1, 32)
	least := math.Inf(1)
	us, best := make([]float64, 1), make([]device.Launch, 1)
	for k, list := range [][]device.Launch{launches, launches[1:]} {
		of, err := b.Under(list)
		if err != nil {
			t.Fatal(err)
		}
		of.US(&s, us, best)
		if (best[0] == device.Launch{}) != (k == 0) || !(us[0] < least) {
			t.Errorf("of %d launches %v, %v us", len(list), best[0], us[0])
		}
		least = us[0]
	}
}

// TestBestLaunch: of several launches each implementation gets the price and the name of its best.
func TestBestLaunch(t *testing.T) {
	d := builtin(t, "h200")
	s := measure(uniform(1<<15, 900, 4), 900, 32)
	list := []impl.Spec{{}, {Algorithm: impl.Private}, {Algorithm: impl.Sort}}
	b, err := CompileAll(list, d, device.Call{})
	if err != nil {
		t.Fatal(err)
	}
	launches := append([]device.Launch{{}}, d.Limits().Launches()...)
	of, err := b.Under(launches)
	if err != nil {
		t.Fatal(err)
	}
	us, best := make([]float64, len(list)), make([]device.Launch, len(list))
	of.US(&s, us, best)
	for i, v := range list {
		least, faster := math.Inf(1), 0
		for _, l := range launches {
			if one, _ := b.Launched(l); one.Check(&s, i) == nil {
				cost, err := one.Explain(&s, i)
				if err != nil {
					t.Fatal(err)
				}
				if l == best[i] && cost.US != us[i] {
					t.Errorf("%s: %v us, in launch %v %v us", v, us[i], l, cost.US)
				}
				if cost.US < us[i] {
					faster++
				}
				least = min(least, cost.US)
			}
		}
		if least != us[i] || faster > 0 || (v.Algorithm == impl.Private) == (best[i] == device.Launch{}) {
			t.Errorf("%s: %v us in launch %v, the least is %v us", v, us[i], best[i], least)
		}
		if cost, err := of.Explain(&s, i, best[i]); err != nil || cost.US != us[i] {
			t.Errorf("%s: explained %v us, %v", v, cost.US, err)
		}
	}
	keepRule(t, d, launches)
	if _, err := b.Under([]device.Launch{{Unroll: 3}}); !errors.Is(err, device.ErrLaunch) {
		t.Error(err)
	}
	if _, err := of.Explain(&s, 0, device.Launch{Blocks: 3}); !errors.Is(err, device.ErrLaunch) {
		t.Error(err)
	}
}
