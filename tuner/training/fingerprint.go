package training

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/model"
)

// referenceCalls distinguish one simulator from another.
var referenceCalls = []struct {
	stream string
	call   device.Call
}{
	{"zipf:n=2048,k=256,seed=1", device.Call{Type: device.U32}},
	{"uniform:n=2048,k=65536,seed=1", device.Call{Type: device.F32, Operand: device.One}},
}

// Fingerprint is a hash of the times that a simulator gives for all candidates on two short streams,
// for CollectOptions.Simulator. What it does not simulate on the device is left out.
func Fingerprint(sim Simulator, d *device.Profile) (string, error) {
	bare, sum := model.WithoutHost(d), sha256.New()
	for _, r := range referenceCalls {
		spec, err := synth.Parse(r.stream)
		if err != nil {
			return "", err
		}
		indices, err := synth.Generate(spec)
		if err != nil {
			return "", err
		}
		for _, v := range d.Ranked() {
			if us, err := sim.Simulate(v, bare, r.call, indices, uint64(spec.K)); err == nil {
				fmt.Fprintf(sum, "%s %.7g\n", v, us)
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}
