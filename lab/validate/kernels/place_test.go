package kernels

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/variant"
)

// TestPlaceOfTargets: what doc/ARCHITECTURE.md says of the place of a small array in its page,
// which decides whether its busy chunks share a slice.
func TestPlaceOfTargets(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates a long stream")
	}
	d, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	k := recorded.CallKey{Label: "image:n=3545721,k=256,seed=7,scale=32,noise=0.2",
		Call: device.Call{Type: device.U32}, Implementation: variant.Variant{Scatter: true}}
	indices, err := generated(k.Label)
	if err != nil {
		t.Fatal(err)
	}
	us := map[uint64]float64{}
	for _, place := range []uint64{d.Global.Hash.SmallBase, 0, 1024} {
		moved, hash := *d, *d.Global.Hash
		hash.SmallBase = place
		moved.Global.Hash = &hash
		if us[place], _, err = simulateCall(&moved, k, indices, 256); err != nil {
			t.Fatal(err)
		}
	}
	want := fmt.Sprintf("of an image with near-Gaussian values, in 256 targets, ss takes %.0f us simulated "+
		"at the assumed place and %.0f us at a whole KiB", us[d.Global.Hash.SmallBase], us[0])
	if us[1024] != us[0] {
		t.Errorf("%.1f us at 1 KiB, %.1f us at the page's beginning", us[1024], us[0])
	}
	text, err := os.ReadFile("../../../doc/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
		t.Errorf("doc/ARCHITECTURE.md does not say %q", want)
	}
}
