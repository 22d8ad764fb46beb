package experiment

import (
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/coordinator"
)

func builtin(t testing.TB) *device.Profile {
	t.Helper()
	d, err := device.Builtin("hd5870")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// ratio is how many times as fast the coordinator is as the device's own atomic
// operation.
func ratio(t *testing.T, groups int) float64 {
	t.Helper()
	o := coordinator.Options{Device: builtin(t), Regime: Paths{}, AsPrinted: true}
	software, err := Fastest(AtomicOnly, groups, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Atomics = coordinator.System
	system, err := Fastest(AtomicOnly, groups, o)
	if err != nil {
		t.Fatal(err)
	}
	return system / software
}

// within reports whether a is b up to the factor.
func within(a, b, factor float64) bool { return a <= b*factor && b <= a*factor }

// TestFigure8 holds the queues of the HD 5870 against [elteir11] section VI-A:
// half as fast on average below 32 workgroups, 1.9 times as fast at 128.
func TestFigure8(t *testing.T) {
	mean, last := 0.0, 0.0
	small := []int{2, 4, 8, 16}
	for _, n := range small {
		r := ratio(t, n)
		if r >= 1 || r < last {
			t.Errorf("%d workgroups: %v times as fast, %v with fewer", n, r, last)
		}
		last = r
		mean += r / float64(len(small))
	}
	if !within(mean, 0.5, 1.1) {
		t.Errorf("%v times as fast on average below 32 workgroups, the paper has 0.5", mean)
	}
	if r := ratio(t, 28); r >= 1 {
		t.Errorf("28 workgroups: %v times as fast", r)
	}
	if r := ratio(t, 32); !within(r, 1, 1.1) {
		t.Errorf("32 workgroups: %v times as fast, the paper has about 1", r)
	}
	if r := ratio(t, 128); !within(r, 1.9, 1.1) {
		t.Errorf("128 workgroups: %v times as fast, the paper has 1.9", r)
	}
}

// TestFigure4 is section III: how many times as long the memory accesses of the
// copy kernel take with an atomic operation in it, one constant for both values.
func TestFigure4(t *testing.T) {
	for groups, want := range map[int]float64{8: 2.9, 256: 69.4} {
		launch := func(k *coordinator.Kernel, how coordinator.Atomics) float64 {
			r, err := coordinator.Run(k, coordinator.Options{Device: builtin(t), Regime: Paths{},
				Atomics: how})
			if err != nil {
				t.Fatal(err)
			}
			return r.Cycles
		}
		atomic := launch(AtomicOnly(groups, 1, 64), coordinator.System)
		memory := launch(Copy(groups, 1, 64), coordinator.Leave)
		both := launch(Copy(groups, 1, 64), coordinator.System)
		if got := (both - atomic) / memory; !within(got, want, 1.1) {
			t.Errorf("%d workgroups: memory accesses take %v times as long, the paper has %v", groups, got,
				want)
		}
	}
}

// TestCopyGains is Figure 9: next to memory accesses the coordinator gains more.
func TestCopyGains(t *testing.T) {
	for _, groups := range []int{8, 32, 128} {
		o := coordinator.Options{Device: builtin(t), Regime: Paths{}, AsPrinted: true}
		software, err := coordinator.Run(Copy(groups, 1, 64), o)
		if err != nil {
			t.Fatal(err)
		}
		o.Atomics = coordinator.System
		system, err := coordinator.Run(Copy(groups, 1, 64), o)
		if err != nil {
			t.Fatal(err)
		}
		if with, without := system.Cycles/software.Cycles, ratio(t, groups); with <= without ||
			with <= 1 {
			t.Errorf("%d workgroups: %v times as fast with accesses, %v without", groups, with, without)
		}
	}
}
