package recorded

import (
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// Rival is a rule of thumb that the choices of the tuner are compared with: by it programs choose an
// implementation without a model of the device.
type Rival struct {
	Name string // says what the rule does
	Pick func(Asked) impl.Spec
}

// Asked is what a rule of thumb decides: one kind of call on one stream, on a device
// whose limits the rule may ask.
type Asked struct {
	Stats  *collision.Stats
	Device *device.Profile
	Call   device.Call
}

// Rivals lists the rules, those that look at the stream first.
func Rivals() []Rival {
	return []Rival{
		{"a careful ladder: 32 copies if they fit, else 16, else 4, else private+sr, else match", ladder},
		{"one private copy for at most 256 targets, else naive", upTo256},
		{"always vr, reducing from 8 equal lanes on",
			always(impl.Spec{Reduction: impl.VR, Threshold: 8})},
		{"always match", always(impl.Spec{Reduction: impl.Match})},
		{"always sort", always(impl.Spec{Algorithm: impl.Sort})},
		{"always naive", always(impl.Spec{})},
	}
}

func always(v impl.Spec) func(Asked) impl.Spec {
	return func(Asked) impl.Spec { return v }
}

// ladder takes the most copies that fit into a block's shared memory.
func ladder(q Asked) impl.Spec {
	for _, v := range []impl.Spec{
		{Algorithm: impl.Private, Replicas: 32, Pad: 1}, {Algorithm: impl.Private, Replicas: 16, Pad: 1},
		{Algorithm: impl.Private, Replicas: 4, Pad: 1}, {Algorithm: impl.Private, Reduction: impl.SR},
	} {
		if q.Device.CanRun(v, q.Call.Type, q.Stats.Bins) == nil {
			return v
		}
	}
	return impl.Spec{Reduction: impl.Match}
}

// upTo256 is the rule of a well-known histogram library.
func upTo256(q Asked) impl.Spec {
	if q.Stats.Bins <= 256 {
		return impl.Spec{Algorithm: impl.Private}
	}
	return impl.Spec{}
}
