package apps

import (
	"errors"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
)

// TestFigure1 is [elteir11] Figure 1: an atomic operation that is never
// executed takes the copy from 96 to 18 GB/s.
func TestFigure1(t *testing.T) {
	d := appProfile(t, "hd5870")
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
	one, err := Copy(appProfile(t, "gtx580"), 1<<18, false)
	if err != nil {
		t.Fatal(err)
	}
	if two, err := Copy(appProfile(t, "gtx580"), 1<<18, true); err != nil ||
		float64(two.Cycles) > 1.5*float64(one.Cycles) {
		t.Errorf("a device with one path: %d cycles, without an atomic operation %d, %v", two.Cycles,
			one.Cycles, err)
	}
}

func TestCopyErrors(t *testing.T) {
	none := *appProfile(t, "hd5870")
	none.Types = map[device.Type]device.TypeAtomics{}
	for _, d := range device.Types() {
		none.Types[d] = device.TypeAtomics{Global: "none"}
	}
	if _, err := Copy(&none, 1, true); !errors.Is(err, device.ErrCannot) {
		t.Errorf("no atomics: %v", err)
	}
	if _, err := Copy(nil, 1, true); !errors.Is(err, hwsim.ErrStream) {
		t.Errorf("no device: %v", err)
	}
	if _, err := Copy(&none, 0, true); !errors.Is(err, hwsim.ErrStream) {
		t.Errorf("no words: %v", err)
	}
}
