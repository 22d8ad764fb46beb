package device_test

import (
	"errors"
	"testing"

	"github.com/atomtune/atomtune/device"
)

// TestComputeCapability: of the built-in NVIDIA GPUs as their profiles' rationales have it, and an
// error for others.
func TestComputeCapability(t *testing.T) {
	for name, want := range map[string][2]int{
		"c2075": {2, 0}, "gtx680": {3, 0}, "gtx980": {5, 2}, "h100": {9, 0}, "h200": {9, 0},
	} {
		d, err := device.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		if major, minor, err := d.ComputeCapability(); err != nil || [2]int{major, minor} != want {
			t.Errorf("%s: %d.%d, %v, want %v", name, major, minor, err, want)
		}
	}
	d, err := device.Builtin("hd5870")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.ComputeCapability(); !errors.Is(err, device.ErrCapability) {
		t.Errorf("hd5870: %v", err)
	}
}
