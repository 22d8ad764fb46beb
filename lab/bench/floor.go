package bench

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
)

// profileOf is the built-in profile of a GPU, by the name that its driver gives it.
func profileOf(gpu string) (*device.Profile, error) {
	for _, name := range device.Names() {
		if p, err := device.Builtin(name); err == nil && p.Title == gpu && p.Estimate == nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%w: there is no profile of %q, whose rates give the floor", ErrRun, gpu)
}

// floorUS is the time below which no call comes: that of an empty kernel, and each compulsory byte
// once, as speedup.Bundle.Floor has it, with indices of 4 or 8 bytes. n updates with v bytes of
// value, K targets of s bytes of which U occur:
//
//	n·(indexBytes + v) + K·s     where the call sets the targets
//	n·(indexBytes + v) + 2·U·s   where it adds to what they hold
//
// Updates count at the rate of L2 where they fit it, else at that of DRAM, targets at that of L2.
func (c *Case) floorUS(p *device.Profile, emptyUS float64, index string) float64 {
	size := float64(c.Type.Bytes())
	each, targets := 4.0, 2*float64(c.Unique)*size
	if index == "i64" {
		each = 8
	}
	if c.Operand == device.One {
		targets = float64(c.Bins) * size
	} else {
		each += size
	}
	updates, rate := float64(c.Updates)*each, p.Memory.L2Rate.Value
	if updates > p.Memory.L2Bytes.Value {
		rate = p.Memory.DRAMRate.Value
	}
	return emptyUS + 1e6*(updates/rate+targets/p.Memory.L2Rate.Value)
}
