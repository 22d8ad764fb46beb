package tuner

import (
	"context"

	"github.com/atomtune/atomtune/device"
)

// Train is Collect over the whole sweep followed by Fit. o.Shard must be the
// whole sweep.
func Train(ctx context.Context, d *device.Profile, s Sweep, sim Simulator, o CollectOptions, f FitOptions) (*Model, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	rows, err := Collect(ctx, d, s, sim, o)
	if err != nil {
		return nil, err
	}
	return Fit(ctx, d, s, rows, f)
}
