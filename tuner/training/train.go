package training

import (
	"context"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/model"
)

// Train is Collect over the whole sweep followed by Fit. o.Shard must be the
// whole sweep.
func Train(ctx context.Context, d *device.Profile, s model.Sweep, sim Simulator, o CollectOptions, f model.FitOptions) (*model.Model, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	rows, err := Collect(ctx, d, s, sim, o)
	if err != nil {
		return nil, err
	}
	return Fit(ctx, d, s, rows, f)
}
