package calibration_test

import (
	"context"
	"fmt"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/calibration"
	"github.com/atomtune/atomtune/variant"
)

// A device that takes twice as long as its profile says is learnt from a few
// timings of one's own.
func ExampleCalibrate() {
	gpu, err := device.Builtin("h200")
	if err != nil {
		fmt.Println(err)
		return
	}
	var points []calibration.Measured
	for n := range 4 {
		indices := make([]uint32, 4000<<n)
		for i := range indices {
			indices[i] = uint32(i*i) % 61
		}
		stats, err := collision.Analyze(indices, collision.Options{Bins: 64})
		if err != nil {
			fmt.Println(err)
			return
		}
		points = append(points, calibration.Measured{
			Label: fmt.Sprintf("mine %d", n), Stats: stats,
			US: map[variant.Variant]float64{{}: timed(gpu, &stats)},
		})
	}
	model, err := calibration.Calibrate(context.Background(), gpu, nil, points, calibration.Folds)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d points, naive takes %.2f times as long as its closed form\n", model.MeasuredPoints, calibration.Offsets(model, points)[0].Factor)
	// Output: 4 points, naive takes 2.00 times as long as its closed form
}

// timed stands for a measurement.
func timed(gpu *device.Profile, s *collision.Stats) float64 {
	cost, err := speedup.Predict(variant.Variant{}, s, gpu, device.Call{})
	if err != nil {
		panic(err)
	}
	return 2 * cost.US
}
