package explorer

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
)

// TestWarpExample is the worked example of latency: three lanes on one lock of a GTX 580.
func TestWarpExample(t *testing.T) {
	q := WarpQuestion{Device: "gtx580", Type: device.F32, Operation: device.OpAdd,
		Addresses: "0, 1024\n0;5"}
	a, err := Warp(q)
	must(t, err)
	if len(a.Rounds) != 3 || a.LockCount != 1024 || a.BankCount != 32 || a.Lost == "" {
		t.Fatalf("%d rounds, %d locks, %d banks, lost %q", len(a.Rounds), a.LockCount, a.BankCount,
			a.Lost)
	}
	if a.Words[3] != 5 || a.Words[4] != patterns.Inactive || a.Banks[1] != 0 || a.Locks[1] != 0 ||
		a.Banks[3] != 5 || a.Banks[4] != patterns.Inactive {
		t.Errorf("words %v, banks %v, locks %v", a.Words, a.Banks, a.Locks)
	}
	if first := a.Rounds[0]; len(first.Pending) != 4 || len(first.Winners) != 2 || len(first.Notes) == 0 {
		t.Errorf("first round %+v", first)
	}
	if !strings.Contains(a.Text, a.Cycles) {
		t.Errorf("the text lacks %s:\n%s", a.Cycles, a.Text)
	}
}

// TestWarpEverywhere: whatever the menus offer has an answer, whose rounds sum to its cycles.
func TestWarpEverywhere(t *testing.T) {
	menus, err := MenusOf()
	must(t, err)
	answered := 0
	for _, d := range menus.Devices {
		if len(d.Types) == 0 || len(d.Launches) == 0 || d.Words < 1024 {
			t.Errorf("%s: types %v, launches %v, %d words", d.Name, d.Types, d.Launches, d.Words)
		}
		for _, o := range d.Operations {
			for _, typ := range o.Types {
				a, err := Warp(WarpQuestion{d.Name, typ, o.Operation, "0 32 64 0 1 2 3 96"})
				must(t, err)
				sum := 0.0
				for _, r := range a.Rounds {
					cycles, err := strconv.ParseFloat(r.Cycles, 64)
					must(t, err)
					sum += cycles
				}
				if cycles, err := strconv.ParseFloat(a.Cycles, 64); err != nil ||
					math.Abs(cycles-sum) > 1e-4 || cycles <= 0 || len(a.Words) != d.Lanes {
					t.Errorf("%s %s %s: %s cycles, rounds sum to %v (%v)", d.Name, typ, o.Operation, a.Cycles,
						sum, err)
				}
				answered++
			}
		}
	}
	if answered < 100 || len(menus.Devices) != len(device.Names()) {
		t.Errorf("%d answers on %d devices", answered, len(menus.Devices))
	}
}

func TestWarpRefuses(t *testing.T) {
	for _, x := range []struct {
		addresses string
		want      string
	}{
		{"", "0"}, {strings.Repeat("1 ", 33), "33"}, {"1, x", `"x"`}, {"-2", "-2"}, {"12288", "12288"},
	} {
		_, err := Warp(WarpQuestion{"gtx580", device.F32, device.OpAdd, x.addresses})
		if !errors.Is(err, patterns.ErrPattern) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%q: %v, want %q", x.addresses, err, x.want)
		}
	}
	if _, err := Warp(WarpQuestion{"h300", device.F32, device.OpAdd, "1"}); !errors.Is(err,
		device.ErrUnknown) {
		t.Errorf("an unknown device: %v", err)
	}
}
