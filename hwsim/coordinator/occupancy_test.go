package coordinator

import (
	"errors"
	"strings"
	"testing"
)

// TestOccupancy: the HD 5870 runs 140 workgroups of a simple kernel at once,
// [elteir11] section IV-A, the coordinator's among them.
func TestOccupancy(t *testing.T) {
	d := builtin(t)
	if n := Resident(d, 1); n != 140 {
		t.Errorf("%d workgroups run at once", n)
	}
	if n := Resident(d, 0); n != 0 {
		t.Errorf("%d workgroups without wavefronts", n)
	}
	o := Options{Device: d, Regime: Paths{}}
	if _, err := Run(threads(139, 1, 64), o); err != nil {
		t.Errorf("139 and the coordinator's: %v", err)
	}
	if _, err := Run(threads(140, 1, 64), o); !errors.Is(err, ErrOccupancy) {
		t.Errorf("140 and the coordinator's: %v", err)
	}
	o.Atomics, o.Regime = System, Late{} // which needs nobody
	if _, err := Run(threads(300, 1, 64), o); err != nil {
		t.Errorf("300 without a coordinator: %v", err)
	}
}

// TestDeadlock forces one workgroup too many. Dispatched last, the coordinator
// never starts, because the others wait for it and end only after it has
// answered; dispatched first, it answers, and the last workgroup gets its turn. Of a persistent
// kernel many more workgroups run than there is room for.
func TestDeadlock(t *testing.T) {
	d := small(t, 4, 2)
	for _, regime := range []Regime{Late{Seed: 1}, Paths{}} {
		for _, c := range []struct {
			groups                  int
			last, persistent, stuck bool
		}{{Resident(d, 1), true, false, true}, {Resident(d, 1), false, false, false}, {500, true, true, false}} {
			k := threads(c.groups, 1, 4)
			r, err := Run(k, Options{Device: d, Regime: regime, Force: !c.persistent, CoordinatorLast: c.last,
				Persistent: c.persistent})
			if errors.Is(err, ErrStuck) != c.stuck {
				t.Errorf("%T, %+v: %v", regime, c, err)
			}
			if c.stuck {
				continue
			}
			n := 4 * c.groups
			if v, err := Check(k.Variables, &r); err != nil || v.Operations != n || v.Ordered != 1 ||
				r.Final[0] != uint32(n*(n-1)/2) {
				t.Errorf("%T, %+v: %+v, %v, %v", regime, c, v, r.Final, err)
			}
		}
	}
}

func TestBadLaunches(t *testing.T) {
	d := builtin(t)
	good := threads(2, 1, 64)
	bare := *d
	bare.Paths = nil
	wide := *d
	wide.Core.WarpLanes.Value = 128
	slow := *d
	slow.Memory.DRAMRate.Value = 1e6
	statement := func(s Statement) *Kernel {
		return &Kernel{Variables: []uint32{0}, Groups: []Workgroup{{{s}}}}
	}
	late, one := Options{Device: d, Regime: Late{}}, Options{Device: d, Regime: Late{}, CoordinatorWavefronts: -1}
	for i, c := range []struct {
		k     *Kernel
		o     Options
		names string
	}{
		{nil, late, ""}, {good, Options{Device: d}, "regime"}, {good, Options{Regime: Late{}}, "device"},
		{good, Options{Device: &bare, Regime: Paths{}}, "paths"}, {good, Options{Device: &slow, Regime: Paths{}}, ""},
		{good, Options{Device: &wide, Regime: Late{}}, "128"},
		{good, Options{Device: d, Regime: Late{Longest: 1 << 21}}, "2097152"},
		{good, Options{Device: d, Regime: Late{}, Atomics: 9}, "9"}, {good, one, "-1"},
		{good, Options{Device: d, Regime: Paths{}, Atomics: System}, ""},
		{&Kernel{}, late, ""}, {&Kernel{Groups: []Workgroup{{nil}, {nil, nil}}}, late, "1"},
		{statement(Statement{Updates: []Update{{Lane: 64}}}), late, "64"},
		{statement(Statement{Updates: []Update{{Lane: 3}, {Lane: 3}}}), late, "3"},
		{statement(Statement{Updates: []Update{{Variable: 1}}}), late, "1"},
		{statement(Statement{Before: Work{Loads: -1}}), late, "-1"},
	} {
		if _, err := Run(c.k, c.o); !errors.Is(err, ErrKernel) || !strings.Contains(err.Error(), c.names) {
			t.Errorf("launch %d: error %v, want one with %q", i, err, c.names)
		}
	}
}
