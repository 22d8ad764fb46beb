package learners

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/training"
	"github.com/atomtune/atomtune/variant"
)

// recordedDevice is the device on which calls were recorded.
const recordedDevice = "h200"

// recordingsOf are the parts of a device's recordings; none of another's.
func recordingsOf(d *device.Profile) []recordings.Part {
	if d.Name != recordedDevice {
		return nil
	}
	return []recordings.Part{recordings.Fit, recordings.HeldOut}
}

// recordedSamples returns the recorded calls of one part as samples whose
// simulated times are the measured ones: one for each stream and kind of call,
// of implementations whose whole time passes on the device. Calls that return
// old values are left out: few implementations were measured with them.
func recordedSamples(t *training.Training, d *device.Profile, part recordings.Part) ([]training.Sample, error) {
	if d.Name != recordedDevice {
		return nil, fmt.Errorf("no calls were recorded on %s", d.Name)
	}
	calls, err := recorded.Calls(part)
	if err != nil {
		return nil, err
	}
	streams, err := recorded.Streams()
	if err != nil {
		return nil, err
	}
	type key struct {
		label string
		call  device.Call
	}
	var order []key
	times := map[key]map[variant.Variant]float64{}
	onDevice := variant.OnDevice()
	for _, c := range calls {
		if c.Call.Returns || !slices.Contains(onDevice, c.Implementation) {
			continue
		}
		k := key{c.Label, c.Call}
		if times[k] == nil {
			times[k] = map[variant.Variant]float64{}
			order = append(order, k)
		}
		times[k][c.Implementation] = c.MedianUS
	}
	var list []training.Sample
	for _, k := range order {
		stats := streams[k.label]
		s, err := t.Sample(&stats, k.call, times[k])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.label, err)
		}
		list = append(list, s)
	}
	return list, nil
}
