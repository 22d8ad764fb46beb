package calibration_test

import (
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/tuner/calibration"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// TestCalibrated: the forests, intervals and figures of calibrations are what testdata/calibrated.txt
// holds: with and without a model beneath them, of much and of little that differs from the closed forms.
func TestCalibrated(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	_, trained := tunertest.Trained()
	var lines []string
	for name, base := range map[string]*model.Model{"model": trained, "none": nil} {
		for kind, of := range map[string]truth{
			"noise": func(_ variant.Variant, _ *collision.Stats, _ device.Call, r *synth.Rand) float64 {
				return 0.2 * (r.Float64() - 0.5)
			},
			"steps": func(v variant.Variant, s *collision.Stats, _ device.Call, r *synth.Rand) float64 {
				off := float64(v.Base)/10 + float64(0.1*r.Float64())
				if s.WarpLevel > 0.5 {
					off -= 0.6
				}
				return off
			},
		} {
			m := calibrate(t, d, base, invent(t, d, 0, 40, of))
			var sum golden.Digest
			sum.JSON(t, m)
			for _, o := range calibration.Offsets(m, invent(t, d, 40, 50, of)) {
				sum.JSON(t, o)
			}
			lines = append(lines, name+", "+kind+": "+sum.String())
		}
	}
	slices.Sort(lines)
	golden.Compare(t, "testdata/calibrated.txt", lines)
}
