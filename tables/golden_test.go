package tables

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
)

// TestMade: what small tables of a few devices and types hold is what testdata/made.txt holds.
func TestMade(t *testing.T) {
	var lines []string
	for _, of := range []string{"gtx580", "gtx980", "h100"} {
		for _, typ := range []device.Type{device.F32, device.U32} {
			doc := mustMake(t, Options{Devices: []*device.Profile{own(t, of)}, Types: []device.Type{typ},
				Operand: device.Loaded, Updates: 2048})
			var sum golden.Digest
			sum.JSON(t, doc)
			lines = append(lines, fmt.Sprintf("%s %s: %s", of, typ, sum.String()))
		}
	}
	golden.Compare(t, "testdata/made.txt", lines)
}
