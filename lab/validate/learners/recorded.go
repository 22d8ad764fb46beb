package learners

import (
	"fmt"

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

// recordedSamples returns the questions of one part as samples whose simulated times are the
// measured ones, of implementations whose whole time passes on the device.
func recordedSamples(t *training.Training, d *device.Profile, part recordings.Part) ([]training.Sample, error) {
	if d.Name != recordedDevice {
		return nil, fmt.Errorf("no calls were recorded on %s", d.Name)
	}
	questions, err := recorded.OfPart(part)
	if err != nil {
		return nil, err
	}
	var list []training.Sample
	for _, q := range questions {
		times := map[variant.Variant]float64{}
		for _, v := range variant.OnDevice() {
			if us, ok := q.US[v]; ok {
				times[v] = us
			}
		}
		s, err := t.Sample(q.Stats, q.Call, times)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.Label, err)
		}
		list = append(list, s)
	}
	return list, nil
}
