package hwsim

import (
	"testing"

	"github.com/atomtune/atomtune/device"
)

// TestBlocksAddOncePerRun: with scope=block the lanes that add are the runs of each block, wherever
// warps end, and with the scope of a warp those of each warp.
func TestBlocksAddOncePerRun(t *testing.T) {
	for _, d := range []string{"h200", "c2075", "mi300x"} {
		d := profile(t, d)
		lanes := d.Limits().WarpLanes
		for _, run := range []int{3, lanes - 1, lanes, lanes + 1, 7 * lanes, 10000} {
			indices := make([]uint32, 5000)
			for i := range indices {
				indices[i] = uint32(i / run)
			}
			for _, c := range []struct {
				impl    string
				threads int // that find their equal neighbours
			}{{"sr", lanes}, {"sr:scope=block", 4 * lanes}} {
				runs := 0
				for i := range indices {
					if i%c.threads == 0 || indices[i] != indices[i-1] {
						runs++
					}
				}
				r, err := Run(Config{Device: d, Implementation: parsed(t, c.impl),
					Launch: device.Launch{Blocks: 2, Threads: 4 * lanes}}, indices, 5000)
				if err != nil || !r.Correct || r.Issued != uint64(runs) {
					t.Errorf("%s on %s, runs of %d: %d adds, want %d, %v", c.impl, d.Name, run, r.Issued, runs, err)
				}
			}
		}
	}
}
