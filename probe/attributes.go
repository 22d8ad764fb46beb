package probe

import (
	"context"

	"github.com/atomtune/atomtune/datasets/recordings"
)

// deviceJobs plans suite device: what the driver says of the GPU.
func deviceJobs(d Description, _ Options) []Job {
	return []Job{{
		Suite: "device", Key: "attributes",
		Run: func(context.Context, GPU, any) (Result, error) {
			var r Result
			for _, a := range d.Attributes {
				r.Readings = append(r.Readings, recordings.Reading{
					Suite: "device", Name: a.Name, Value: a.Value, Unit: a.Unit, Low: a.Value, High: a.Value, Repeats: 1,
				})
			}
			return r, nil
		},
	}}
}
