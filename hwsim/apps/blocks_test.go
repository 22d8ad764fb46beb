package apps

import (
	"errors"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/impl"
)

// TestVoteInBlocks: blocks that vote leave the sums of a serial run, at the edges of warps and blocks and
// beyond them, and of one target one add of each block.
func TestVoteInBlocks(t *testing.T) {
	checked := 0
	for _, name := range append(appDevices, "mi300x") {
		d := appProfile(t, name)
		for _, call := range []device.Call{{Type: device.U32, Operand: device.One}, {Type: device.F64},
			{Type: device.I32, Op: device.Min}} {
			for _, n := range []int{1, 31, 33, 255, 257, 5000} {
				for _, kind := range []string{"equal", "clustered", "uniform"} {
					cfg := hwsim.Config{Device: d, Call: call, Implementation: methodVR, Seed: uint64(n)}
					r, err := VoteInBlocks(cfg, appKeys(kind, n, 3), 3)
					if err != nil || !r.Correct || !(r.US > 0) {
						t.Errorf("%+v of %d %s updates on %s: %v, %v", call, n, kind, name, r.Correct, err)
					}
					checked++
				}
			}
		}
	}
	if checked < 200 {
		t.Errorf("%d runs", checked)
	}
}

func TestVoteInBlocksRefuses(t *testing.T) {
	d := appProfile(t, "h200")
	for name, cfg := range map[string]hwsim.Config{
		"no device":          {Implementation: methodVR},
		"another form":       {Device: d, Implementation: methodSR},
		"a parameter":        {Device: d, Implementation: impl.Spec{Reduction: impl.VR, Samples: 2}},
		"old values":         {Device: d, Implementation: methodVR, Call: device.Call{Returns: true}},
		"too many warps":     {Device: d, Implementation: methodVR, Launch: device.Launch{Threads: 1024}},
		"turns side by side": {Device: d, Implementation: methodVR, Launch: device.Launch{Unroll: 2}},
	} {
		if _, err := VoteInBlocks(cfg, []uint32{0}, 1); !errors.Is(err, hwsim.ErrStream) &&
			!errors.Is(err, device.ErrCannot) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
