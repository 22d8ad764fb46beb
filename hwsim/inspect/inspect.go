// Package inspect shows the laboratory what a simulation is made of: when its events are scheduled, and
// which lanes it samples.
package inspect

import (
	"math/bits"

	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
)

// EventQueue is the queue in which a simulation keeps its events.
type EventQueue = machine.Queue

// Schedule is when the events of a simulation are scheduled, in the order in which they are.
type Schedule struct {
	Counts []int32 // of those scheduled before the first is handled, then of those by each that is
	At     []int64 // their cycles
}

// Record simulates a call as hwsim.Run does and returns when its events were scheduled: those that
// Result.Events counts, and one at the end of each launch whose last access to memory ends after its
// last warp. Errors are those of hwsim.Run.
func Record(cfg hwsim.Config, indices []uint32, bins uint64) (*Schedule, error) {
	if err := kernel.Check(cfg.Device, cfg.Call, cfg.Implementation, indices, bins); err != nil {
		return nil, err
	}
	order := kernel.OrderOf(cfg.Device, cfg.Implementation, indices, bins)
	s := kernel.NewSession(cfg.Device, cfg.Call, cfg.Implementation, cfg.Seed)
	s.Fixed = cfg.Launch
	s.Place(kernel.Permute(indices, order), bins)
	s.SetValues(order)
	schedule := &Schedule{Counts: []int32{0}}
	s.Machine.Seen = func(at int64, leaves bool) {
		if leaves {
			schedule.Counts = append(schedule.Counts, 0)
			return
		}
		schedule.Counts[len(schedule.Counts)-1]++
		schedule.At = append(schedule.At, at)
	}
	return schedule, s.Run()
}

// SampledLane returns the lane whose index a full warp of `vr` puts to the vote
// first, for the warps in the order of the stream: the number of the warp's first
// update over lanes, which are a power of two. seed is Config.Seed, samples m.
func SampledLane(seed, warp uint64, samples, lanes int) int {
	element := (seed + warp*uint64(samples)) * kernel.SequenceUnit
	return int(element >> (64 - bits.Len(uint(lanes-1))))
}
