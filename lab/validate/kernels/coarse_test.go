package kernels

import (
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// TestShortPartitions: a known gap of the simulator, in which partitions of short streams end too early.
// Once this fails, the gap has closed, and the package comment of hwsim/internal/machine need not name it
// any more.
func TestShortPartitions(t *testing.T) {
	golden.OnlyFull(t)
	d, err := device.Builtin("h100")
	if err != nil {
		t.Fatal(err)
	}
	all, err := h100.Archive.Calls(recordings.HeldOut)
	if err != nil {
		t.Fatal(err)
	}
	k := recorded.CallKey{Label: "mixture:n=961437,k=1048576,seed=13,block=0,of=runs:len=2:fixed=1+" +
		"runs:len=2:fixed=1", Call: device.Call{Type: device.U32},
		Implementation: impl.Spec{Algorithm: impl.Partition, Width: 2048}}
	at := slices.IndexFunc(all, func(c recordings.Call) bool {
		return c.Label == k.Label && c.Call == k.Call && c.Implementation == k.Implementation
	})
	if at < 0 {
		t.Fatalf("no call %s was recorded", k)
	}
	indices, err := generated(k.Label)
	if err != nil {
		t.Fatal(err)
	}
	us, _, err := simulateCall(d, k, indices, 1048576)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("a partition of %d updates: %.1f us simulated, %.1f us measured", len(indices), us, all[at].MedianUS)
	if us > 0.9*all[at].MedianUS {
		t.Errorf("%s: %.1f us simulated, %.1f us measured: the known gap has closed", k, us, all[at].MedianUS)
	}
}
