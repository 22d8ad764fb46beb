package choices

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
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
// 2^16 to 2^26 updates. m is the H200's model, nil the embedded one. Errors wrap
// ErrValidate.
func TunerSpeed(m *model.Model) ([]validate.Check, error) {
	checks, err := pickSpeed(m)
	if err == nil {
		var sampled []validate.Check
		sampled, err = sampledSpeed(m, mostSampled)
		checks = append(checks, sampled...)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", validate.ErrValidate, err)
	}
	return checks, nil
}

// sampledSpeed times choices from samples of streams of up to 2^most updates,
// each a part of one stream, with other blocks each time.
func sampledSpeed(m *model.Model, most int) ([]validate.Check, error) {
	const bins = 4096
	spec, err := synth.Parse(fmt.Sprintf("zipf:n=%d,k=%d,seed=1,s=0.8,shuffle=1", 1<<most, bins))
	if err != nil {
		return nil, err
	}
	indices, err := synth.Generate(spec)
	if err != nil {
		return nil, err
	}
	gpu, err := device.Builtin("h200")
	if err != nil {
		return nil, err
	}
	c, err := tuner.NewChooser(gpu, tuner.Options{Model: m})
	if err != nil {
		return nil, err
	}
	var checks []validate.Check
	for log := leastSampled; log <= most; log += 2 {
		check, err := timeSampled(c, indices[:1<<log], bins)
		if err != nil {
			return nil, err
		}
		check.Item = fmt.Sprintf("choice from a sample of 2^%d updates: time", log)
		checks = append(checks, check)
	}
	return checks, nil
}

// timeSampled times a choice that looks at a sample: it serves so many launches
// that looking is worth it.
func timeSampled(c *tuner.Chooser, indices []uint32, bins uint64) (validate.Check, error) {
	look := tuner.SamplingBudget{Launches: 1 << 20}
	_, looked, err := c.PickSampled(indices, bins, look)
	if err != nil {
		return validate.Check{}, err
	}
	if !looked.Sampled {
		return validate.Check{}, fmt.Errorf("no sample of %d updates was taken", len(indices))
	}
	us := fastestRound(10, func() {
		look.Seed++
		_, _, _ = c.PickSampled(indices, bins, look)
	}) / 1e3
	return validate.Check{Value: us, Limit: mostSampledUS, Unit: "us", Rows: timedRounds, Status: validate.Enforced}, nil
}

func pickSpeed(m *model.Model) ([]validate.Check, error) {
	questions, err := recorded.Questions()
	if err != nil {
		return nil, err
	}
	streams := streamsOf(questions)
	var checks []validate.Check
	for _, call := range recordedKinds(questions) {
		c, err := tuner.NewChooser(questions[0].Device, tuner.Options{Call: call, Model: m})
		if err != nil {
			return nil, err
		}
		own, err := timePicks(c, streams[call], recorded.CallName(call))
		if err != nil {
			return nil, err
		}
		checks = append(checks, own...)
	}
	return checks, nil
}

// streamsOf are the streams of the fit half, by kind of call.
func streamsOf(questions []recorded.Question) map[device.Call][]*collision.Stats {
	streams := map[device.Call][]*collision.Stats{}
	for i := range questions {
		if q := &questions[i]; q.Part == recordings.Fit {
			streams[q.Call] = append(streams[q.Call], q.Stats)
		}
	}
	return streams
}

// recordedKinds are the kinds of call, in the order of the recording.
func recordedKinds(questions []recorded.Question) []device.Call {
	var kinds []device.Call
	for i := range questions {
		if !slices.Contains(kinds, questions[i].Call) {
			kinds = append(kinds, questions[i].Call)
		}
	}
	return kinds
}

// timePicks times a choice from statistics, in the mean over the streams.
func timePicks(c *tuner.Chooser, streams []*collision.Stats, kind string) ([]validate.Check, error) {
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
	item := "choice from statistics, " + kind + ": "
	return []validate.Check{
		{Item: item + "time", Value: fastestRound(4*len(streams), pick), Limit: mostPickNS, Unit: "ns", Rows: len(streams), Status: validate.Enforced},
		{Item: item + "allocations", Value: testing.AllocsPerRun(len(streams), pick), Unit: "1", Rows: len(streams), Status: validate.Enforced},
	}, nil
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
