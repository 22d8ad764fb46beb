package apps

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/impl"
)

// VoteInBlocks simulates an update stream by `vr` of whole blocks, [egielski14] Algorithm 2 with the
// block as its scope, which is not an implementation: it is never the fastest. Each warp reduces the lanes
// of its own sampled target, and the first warp what the warps have left of them, so that a block
// votes without a barrier for each exchange. Errors are those of hwsim.Run.
func VoteInBlocks(cfg hwsim.Config, indices []uint32, bins uint64) (AppResult, error) {
	if err := kernel.Check(cfg.Device, cfg.Call, methodVR, indices, bins); err != nil {
		return AppResult{}, err
	}
	if cfg.Call.Returns || cfg.Implementation != methodVR {
		return AppResult{}, fmt.Errorf("%w: %s in blocks", device.ErrCannot, cfg.Implementation)
	}
	v := methodVR
	v.Scope = impl.BlockScope
	if err := cfg.Device.CanLaunch(v, cfg.Call.Type, bins, cfg.Launch); err != nil {
		return AppResult{}, err
	}
	s := &appSession{Session: kernel.NewSession(cfg.Device, cfg.Call, v, cfg.Seed)}
	s.Fixed = cfg.Launch
	s.Place(indices, bins)
	s.SetValues(nil)
	if err := s.Run(); err != nil {
		return AppResult{}, err
	}
	return s.finish(arith.Correct(cfg.Call, cfg.Seed, indices, bins, s.Output(kernel.BufTarget)))
}
