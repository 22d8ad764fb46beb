package rivals

import (
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// TestLadder: the ladder takes the most copies that fit into a block's 227 KiB, of each
// target 4 bytes and one of padding a copy, and below four copies one with a reduction.
func TestLadder(t *testing.T) {
	d, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	const words = 227 * 256
	for _, c := range []struct {
		bins uint64
		want variant.Variant
	}{
		{1, variant.Variant{Base: variant.Private, Replicas: 32, Pad: 1}},
		{words/32 - 1, variant.Variant{Base: variant.Private, Replicas: 32, Pad: 1}},
		{words / 32, variant.Variant{Base: variant.Private, Replicas: 16, Pad: 1}},
		{words/16 - 1, variant.Variant{Base: variant.Private, Replicas: 16, Pad: 1}},
		{words / 16, variant.Variant{Base: variant.Private, Replicas: 4, Pad: 1}},
		{words / 4, variant.Variant{Base: variant.Private, Reduction: variant.SR}},
		{words + 1, variant.Variant{Reduction: variant.Match}},
	} {
		got := Rivals()[0].Pick(Question{Stats: &collision.Stats{Bins: c.bins}, Device: d,
			Call: device.Call{Type: device.U32}})
		if got != c.want {
			t.Errorf("%d targets: %s, want %s", c.bins, got, c.want)
		}
	}
}
