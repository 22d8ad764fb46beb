package kernels

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/variant"
)

// TestCoarse: two things of which doc/ARCHITECTURE.md says that the simulator is coarse there still
// are: partitions of short streams end too early, and old values are found too fast in tables.
func TestCoarse(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates a long stream")
	}
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
		Implementation: variant.Variant{Base: variant.Partition, Width: 2048}}
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
	if measured := all[at].MedianUS; us > 0.9*measured {
		t.Errorf("a partition of %d updates: %.1f us simulated, %.1f us measured: the gap has closed",
			len(indices), us, measured)
	}
	gaps, err := kernelGaps()
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := gaps["old values from shared memory: simulated, median error"]; !ok {
		t.Error("no known gap of old values from shared memory is left")
	}
	text, err := os.ReadFile("../../../doc/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	document := strings.Join(strings.Fields(string(text)), " ")
	for _, say := range []string{"Partitions of short streams end too early",
		"so that tables find old values too fast"} {
		if !strings.Contains(document, say) {
			t.Errorf("doc/ARCHITECTURE.md does not say %q", say)
		}
	}
}
