package tuner

import (
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// ScratchBytes returns what the choice takes an implementation's workspace for.
func ScratchBytes(t testing.TB, v impl.Spec, d *device.Profile, call device.Call, updates,
	bins uint64, relaid bool) uint64 {
	t.Helper()
	c := Chooser{limits: d.Limits(), opts: Options{Call: call, Relaid: relaid}}
	return c.bytes(v, device.Launch{}, updates, bins)
}

// LargeBound is what tests hold answers to.
const LargeBound = largeBound
