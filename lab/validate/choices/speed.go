package choices

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

// How long choices may take: from statistics, and from a sample of a stream.
const (
	mostPickNS    = 200
	mostSampledUS = 100
)

// The streams to sample have 2^leastSampled to 2^mostSampled updates.
const leastSampled, mostSampled = 16, 26

// TunerSpeed times tuner.Chooser.Pick on the statistics of the recorded streams,
// kind of call by kind, one stream after the other, and PickSampled on streams of
// 2^16 to 2^26 updates. m is a model of the archive's GPU, nil the embedded one. Errors wrap
// ErrValidate.
func TunerSpeed(a *archive.Archive, m *model.Model) (checks []validate.Check, err error) {
	defer validate.Wrap(&err)
	fit, err := recorded.OfPart(a, recordings.Fit)
	if err != nil {
		return nil, err
	}
	var kinds []device.Call // in the order of the recording
	streams := map[device.Call][]*collision.Stats{}
	for _, q := range fit {
		if streams[q.Call] == nil {
			kinds = append(kinds, q.Call)
		}
		streams[q.Call] = append(streams[q.Call], q.Stats)
	}
	for _, call := range kinds {
		c, err := tuner.New(fit[0].Device, tuner.Options{Call: call, Model: m})
		if err != nil {
			return nil, err
		}
		own, err := timePicks(c, streams[call], recorded.CallName(call))
		if err != nil {
			return nil, err
		}
		checks = append(checks, own...)
	}
	sampled, err := sampledSpeed(fit[0].Device, m, mostSampled)
	return append(checks, sampled...), err
}

// timePicks times a choice from statistics, in the mean over the streams.
func timePicks(
	c *tuner.Chooser, streams []*collision.Stats, kind string,
) ([]validate.Check, error) {
	for _, s := range streams {
		if _, err := c.Pick(s); err != nil {
			return nil, err
		}
	}
	next := 0
	pick := func() {
		_, _ = c.Pick(streams[next]) // each has been picked for without an error
		next = (next + 1) % len(streams)
	}
	item, n := "choice from statistics, "+kind+": ", len(streams)
	return []validate.Check{
		validate.AtMost(item+"time", fastestRound(4*n, pick), mostPickNS, "ns", n),
		validate.AtMost(item+"allocations", testing.AllocsPerRun(n, pick), 0, "1", n),
	}, nil
}

// sampledSpeed times choices from samples of streams of up to 2^most updates,
// each a part of one stream, with other blocks each time. A choice serves so many launches
// that a sample is worth it.
func sampledSpeed(
	gpu *device.Profile, m *model.Model, most int,
) (checks []validate.Check, err error) {
	const bins = 4096
	spec, err := synth.Parse(fmt.Sprintf("zipf:n=%d,k=%d,seed=1,s=0.8,shuffle=1", 1<<most, bins))
	if err != nil {
		return nil, err
	}
	indices, err := synth.Generate(spec)
	if err != nil {
		return nil, err
	}
	c, err := tuner.New(gpu, tuner.Options{Model: m})
	if err != nil {
		return nil, err
	}
	for log := leastSampled; log <= most; log += 2 {
		budget := tuner.SamplingBudget{Calls: 1 << 20}
		_, sampling, err := c.PickSampled(indices[:1<<log], bins, budget)
		if err == nil && !sampling.Sampled {
			err = fmt.Errorf("no sample of 2^%d updates was taken", log)
		}
		if err != nil {
			return nil, err
		}
		us := fastestRound(10, func() {
			budget.Seed++
			_, _, _ = c.PickSampled(indices[:1<<log], bins, budget)
		}) / 1e3
		checks = append(checks, validate.AtMost(
			fmt.Sprintf("choice from a sample of 2^%d updates: time", log),
			us, mostSampledUS, "us", timedRounds))
	}
	return checks, nil
}

// timedRounds is how often a time is taken: the least is of the program alone, the
// others are also of what else the machine does.
const timedRounds = 100

// fastestRound is the time of one call in nanoseconds, in the mean over the
// fastest of the rounds of so many calls.
func fastestRound(calls int, work func()) float64 {
	least := math.Inf(1)
	for range timedRounds {
		start := time.Now()
		for range calls {
			work()
		}
		least = min(least, float64(time.Since(start).Nanoseconds())/float64(calls))
	}
	return least
}
