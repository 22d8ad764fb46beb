package leaveoneout

import (
	"context"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/calibration"
	"github.com/atomtune/atomtune/variant"
)

// correctedFolds is in how many parts inputs are held out from a calibration,
// which takes seconds, and correctedInner in how many it holds out its own.
const correctedFolds, correctedInner = 4, 4

// chooseCorrected calibrates the table's model by the times of the others, and
// chooses as tuner.Choose does.
func chooseCorrected(t *looTable, others, held []int) ([]int, error) {
	points := make([]calibration.Measured, len(others))
	for j, i := range others {
		points[j] = t.inputs[i].point(t.variants)
	}
	m, err := calibration.Calibrate(context.Background(), t.profile, t.base, points, correctedInner)
	if err != nil {
		return nil, err
	}
	choosers := map[device.Call]*tuner.Chooser{}
	picks := make([]int, len(held))
	for j, i := range held {
		in := &t.inputs[i]
		c := choosers[in.call]
		if c == nil {
			if c, err = tuner.NewChooser(t.profile, tuner.Options{Call: in.call, Only: t.variants, Relaid: true, Model: m}); err != nil {
				return nil, err
			}
			choosers[in.call] = c
		}
		p, err := c.Pick(in.stats)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", in.stream, in.kind(), err)
		}
		picks[j] = slices.Index(t.variants, p.Variant)
		if !in.ran(picks[j]) {
			return nil, fmt.Errorf("%s, %s: %s is chosen and has no time", in.stream, in.kind(), p.Variant)
		}
	}
	return picks, nil
}

// point is the input as a calibration takes it.
func (in *looInput) point(variants []variant.Variant) calibration.Measured {
	m := calibration.Measured{Label: in.label, Stats: *in.stats, Call: in.call, US: map[variant.Variant]float64{}}
	for v, us := range in.us {
		if in.ran(v) {
			m.US[variants[v]] = us
		}
	}
	return m
}
