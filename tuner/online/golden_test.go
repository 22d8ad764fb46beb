package online_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/online"
)

// TestLaunches: what is launched, what its times teach, and what is promised are what
// testdata/launches.txt holds, for options of all sorts and times that are off, noisy and drift.
func TestLaunches(t *testing.T) {
	streams := tunertest.Streams(t)
	var lines []string
	for k, o := range []online.Options{
		{},
		{Patience: 4, Epsilon: 0.02},
		{Patience: 1, Confidence: 0.9, Noise: 0.02, Widen: 3},
		{Cap: 2, Patience: 16, Options: tuner.Options{Call: device.Call{Type: device.F32}}},
		{Patience: 2, Options: tuner.Options{Only: []impl.Spec{{}, {Algorithm: impl.Sort}, {Algorithm: impl.Private}}}},
	} {
		on := newOnline(t, o)
		var sum golden.Digest
		for at, s := range streams {
			if at%9 != k {
				continue
			}
			key, rng, us := fmt.Sprint(at), synth.NewRand(uint64(at)), map[impl.Spec]float64{}
			for launch := range 400 {
				l, err := on.Next(key, s)
				tunertest.Must(t, err)
				if us[l.Implementation] == 0 {
					us[l.Implementation] = l.PredictedUS * (0.3 + 2*rng.Float64())
				}
				if launch == 250 {
					us[l.Implementation] *= 3
				}
				observe(t, on, l, us[l.Implementation]*(0.95+0.1*rng.Float64()))
				sum.Text(l.Implementation.String())
				if launch%50 == 7 {
					learnt, err := on.Learnt(key)
					tunertest.Must(t, err)
					sum.JSON(t, learnt)
				}
			}
		}
		state, decoder := encode(t, on), newOnline(t, o)
		sum.JSON(t, json.RawMessage(state))
		lines = append(lines, fmt.Sprintf("options %d: %s", k, &sum),
			fmt.Sprintf("altered: %s", golden.Altered(state, 60, func(altered []byte) error { return tunertest.Refused(decoder.Decode(altered)) })))
	}
	golden.Compare(t, "testdata/launches.txt", lines)
}
