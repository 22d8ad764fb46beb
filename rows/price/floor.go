package price

import (
	"github.com/atomtune/atomtune/collision/reuse"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/rows"
)

// Floor is the time of what every form reads and writes.
type Floor struct {
	US    float64 `json:"us"`
	Bytes float64 `json:"bytes"`
}

// FloorOf returns the time of each compulsory byte once, without a launch. P indices of i bytes, n of
// them updates of w values of v bytes, K rows of targets of s bytes of which U occur:
//
//	bytes = P·i + n·w·v + K·w·s     where the call clears the targets
//	bytes = P·i + n·w·v + 2·U·w·s   where it adds to what they hold
//
// Indices and values together that fit L2 count at its rate, else at that of DRAM; so do targets.
func FloorOf(d *device.Profile, s *reuse.Stats, c rows.Call) Floor {
	width := float64(c.Width)
	stream := float64(float64(s.Positions)*float64(c.Index())) + float64(float64(s.Updates)*width*float64(c.Kind.ValueBytes()))
	targets := float64(s.Rows)
	if c.Keeps {
		targets = float64(2 * float64(s.Unique))
	}
	targets = float64(targets * width * float64(c.Kind.TargetBytes()))
	return Floor{moved(d, stream) + moved(d, targets), stream + targets}
}

// moved is the microseconds of so many bytes: at the rate of L2 where they fit it, else at that of
// DRAM.
func moved(d *device.Profile, bytes float64) float64 {
	if bytes <= d.Memory.L2Bytes.Value {
		return 1e6 * bytes / d.Memory.L2Rate.Value
	}
	return 1e6 * bytes / d.Memory.DRAMRate.Value
}
