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
	_, err := Run(threads(140, 1, 64), o)
	if !errors.Is(err, ErrOccupancy) || !strings.Contains(err.Error(), "141") ||
		!strings.Contains(err.Error(), "140") {
		t.Errorf("140 and the coordinator's: %v", err)
	}
	o.Atomics, o.Regime = System, Late{} // which needs nobody
	if _, err := Run(threads(300, 1, 64), o); err != nil {
		t.Errorf("300 without a coordinator: %v", err)
	}
}

// TestDeadlock forces one workgroup too many. Dispatched last, the coordinator
// never starts, because the others wait for it and end only after it has
// answered; dispatched first, it answers, and the last workgroup gets its turn.
func TestDeadlock(t *testing.T) {
	d := small(t, 4, 2)
	room := Resident(d, 1)
	k := threads(room, 1, 4)
	for _, regime := range []Regime{Late{Seed: 1}, Paths{}} {
		o := Options{Device: d, Regime: regime, Force: true, CoordinatorLast: true}
		_, err := Run(k, o)
		if !errors.Is(err, ErrStuck) || !strings.Contains(err.Error(), "0 of 15 workgroups have ended") {
			t.Errorf("%T, coordinator last: %v", regime, err)
		}
		o.CoordinatorLast = false
		r, err := Run(k, o)
		if err == nil {
			_, err = Check(k.Variables, &r)
		}
		if err != nil {
			t.Errorf("%T, coordinator first: %v", regime, err)
		}
	}
}

// TestPersistent runs many more workgroups than there is room for, and dispatches the
// coordinator's last.
func TestPersistent(t *testing.T) {
	d := small(t, 4, 2)
	k := threads(500, 1, 4)
	for _, regime := range []Regime{Late{Seed: 2}, Paths{}} {
		r, err := Run(k, Options{Device: d, Regime: regime, Persistent: true, CoordinatorLast: true})
		if err != nil {
			t.Fatal(err)
		}
		if v, err := Check(k.Variables, &r); err != nil || v.Operations != 2000 || v.Ordered != 1 {
			t.Errorf("%T: %+v, %v", regime, v, err)
		}
		if r.Final[0] != 2000*1999/2 {
			t.Errorf("%T: %d", regime, r.Final[0])
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
	for want, c := range map[string]struct {
		k *Kernel
		o Options
	}{
		"no kernel":                {nil, Options{Device: d, Regime: Late{}}},
		"no regime":                {good, Options{Device: d}},
		"no device":                {good, Options{Regime: Late{}}},
		"no paths":                 {good, Options{Device: &bare, Regime: Paths{}}},
		"moving a wavefront takes": {good, Options{Device: &slow, Regime: Paths{}}},
		"of 128 lanes":             {good, Options{Device: &wide, Regime: Late{}}},
		"2097152 cycles":           {good, Options{Device: d, Regime: Late{Longest: 1 << 21}}},
		"atomics 9":                {good, Options{Device: d, Regime: Late{}, Atomics: 9}},
		"-1 wavefronts":            {good, Options{Device: d, Regime: Late{}, CoordinatorWavefronts: -1}},
		"no times of system":       {good, Options{Device: d, Regime: Paths{}, Atomics: System}},
		"no workgroup":             {&Kernel{}, Options{Device: d, Regime: Late{}}},
		"workgroup 1 has 2": {&Kernel{Groups: []Workgroup{{nil}, {nil, nil}}},
			Options{Device: d, Regime: Late{}}},
		"lane 64": {statement(Statement{Updates: []Update{{Lane: 64}}}),
			Options{Device: d, Regime: Late{}}},
		"lane 3 stands": {statement(Statement{Updates: []Update{{Lane: 3}, {Lane: 3}}}),
			Options{Device: d, Regime: Late{}}},
		"variable 1": {statement(Statement{Updates: []Update{{Variable: 1}}}),
			Options{Device: d, Regime: Late{}}},
		"Loads:-1": {statement(Statement{Before: Work{Loads: -1}}),
			Options{Device: d, Regime: Late{}}},
	} {
		_, err := Run(c.k, c.o)
		if !errors.Is(err, ErrKernel) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
