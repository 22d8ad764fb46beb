package tuner

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/collision/survey"
	"github.com/atomtune/atomtune/tuner/model"
)

const (
	settlingFirst      = 1024 // blocks of the first sample
	settlingConfidence = 0.9  // that of the intervals of times
	// settlingPart is about how many updates can be read exactly for what one costs in a sample.
	settlingPart = 16
	settlingLoss = 0.01 // share of its time that a settled choice may lose
	// settlingShift is the half-width of a 90 % interval over that of a 95 % one, as samples have, of a
	// mean that is near normal: 1.645 / 1.960 standard errors.
	settlingShift = 0.839
)

// settlingShifts are the places in the 90 % intervals where a choice is tried: their ends and half-way,
// since corrected times may change in steps.
var settlingShifts = [...]float64{-settlingShift, -settlingShift / 2, settlingShift / 2, settlingShift}

// SettlingOptions say when a sample settles a choice.
type SettlingOptions struct {
	Seed uint64 // selects the blocks
	// First is the number of blocks of the first sample, at least 4; 0 means 1024. Each further sample has
	// four times as many as the one before.
	First int
	Part  int // a sample holds at most one of so many blocks of the stream; 0 means 16
	// Workers are the goroutines of passes over the whole stream, as in collision.Options.
	Workers int
}

// Validate returns an error that wraps ErrOptions for a number out of its range.
func (o SettlingOptions) Validate() error {
	if o.First < 0 || o.First > 0 && o.First < 4 || o.Part < 0 {
		return fmt.Errorf("a first sample of %d blocks, each of one in %d; want 4 or more of one in 1 or more, "+
			"or 0: %w", o.First, o.Part, model.ErrOptions)
	}
	return nil
}

// Settling says what was read of a stream until its choice was settled, and what that may have cost.
type Settling struct {
	Seed uint64 `json:"seed"` // that selected the blocks
	// Settled: the last sample settled the choice. Else the stream was read as a whole after the samples.
	Settled     bool   `json:"settled"`
	Samples     int    `json:"samples"`      // that were measured, each with the blocks of those before
	Blocks      uint64 `json:"blocks"`       // that the choice rests on
	TotalBlocks uint64 `json:"total_blocks"` // of the stream
	Updates     uint64 `json:"updates"`      // that the choice rests on
	Positions   uint64 `json:"positions"`    // of these blocks, with padding
	// LossPercent and LossUS are what the choice loses at most to the best one, as a share of its time and
	// per call, where the stream is as the 90 % intervals allow, or as the sample before says; 0 where
	// all of the stream was read.
	LossPercent float64 `json:"loss_percent"`
	LossUS      float64 `json:"loss_us"`
	Confidence  float64 `json:"confidence"` // of these intervals
}

// ChooseSettled is Choose for a stream that is read in part: it measures samples of random blocks, each
// four times as large as the one before, until one settles the choice. That is where the choice loses
// no more than 1 % to any other with all statistics at the ends of their 90 % intervals
// or half-way to them, and by the sample before. Where a further sample would have more than its part of
// the stream, all of it is read in place of that. A survey reads all of it once besides.
//
// Forms of hot are priced by what half a sample finds, and segreduce is ranked where the survey says
// that the stream is sorted; of a stream that is grouped otherwise a sample cannot know. Of 0 bins the
// survey finds the number. Errors are those of Choose, of the stream and of survey.New.
func (c *Chooser) ChooseSettled(stream collision.Stream, bins uint64,
	how SettlingOptions) (Decision, error) {
	if err := how.Validate(); err != nil {
		return Decision{}, fmt.Errorf("choose: %w", err)
	}
	if c.opts.Call.Wide() {
		return Decision{}, fmt.Errorf("choose: %w", errSampledRows)
	}
	how.First, how.Part = cmp.Or(how.First, settlingFirst), cmp.Or(how.Part, settlingPart)
	opt := collision.Options{WarpSize: c.lanes(), Padded: c.opts.Padded, Bins: bins, Seed: how.Seed,
		Workers: how.Workers}
	known, err := survey.New(stream, opt)
	if err != nil {
		return Decision{}, fmt.Errorf("choose: %w", err)
	}
	opt.Bins = known.Bins
	s, l, err := c.settle(stream, known, opt, how)
	if err == nil && !l.Settled {
		s, err = whole(stream, opt)
		l.Updates, l.Positions, l.Blocks, l.LossPercent = s.Updates, s.Positions(), l.TotalBlocks, 0
	}
	if err != nil {
		return Decision{}, fmt.Errorf("choose: %w", err)
	}
	decision, err := c.Choose(&s)
	l.LossUS = l.LossPercent / 100 * decision.Choice.PredictedUS
	decision.Settling = &l
	for _, i := range c.places {
		if v := c.prices.List[i]; err == nil && v.NeedsGrouped() && errors.Is(c.suits(v, &s), errUnknownGrouped) {
			decision.Warnings = append(decision.Warnings,
				Warning{WarnLeftOut, fmt.Sprintf("%s is left out: it %v", v, errUnknownGrouped)})
		}
	}
	return decision, err
}

// settle measures samples until one settles the choice, or the next would have too many blocks.
func (c *Chooser) settle(stream collision.Stream, known survey.Survey, opt collision.Options,
	how SettlingOptions) (s collision.Stats, l Settling, err error) {
	sampler, err := collision.NewSampler(opt)
	if err != nil {
		return s, l, err
	}
	block := uint64(blockSize)
	l = Settling{Seed: how.Seed, TotalBlocks: (uint64(stream.Len()) + block - 1) / block,
		Confidence: settlingConfidence}
	var before *collision.Stats
	for blocks := how.First; uint64(blocks)*uint64(how.Part) <= l.TotalBlocks; blocks *= moreBlocks {
		if s, err = sampler.MeasureStream(stream, known.Bins, blocks); err != nil {
			return s, l, err
		}
		known.Apply(&s)
		l.Samples, l.Updates = l.Samples+1, s.Sampled.Updates
		rest := uint64(stream.Len()) % block
		l.Blocks, l.Positions = s.Sampled.Blocks+min(rest, 1), s.Sampled.Blocks*block+rest
		if before != nil {
			loss := c.lossOfSample(&s, before)
			l.LossPercent, l.Settled = 100*loss, loss <= settlingLoss
			if l.Settled {
				return s, l, nil
			}
		}
		before = new(s)
	}
	return s, l, nil
}

// lossOfSample returns the highest share of its time by which the choice of a sample is behind the best
// one within the intervals of its statistics, all moved together towards more collisions or fewer, and
// by the statistics of the sample before.
func (c *Chooser) lossOfSample(s, before *collision.Stats) (loss float64) {
	p := c.buffers.Get().(*model.Predictions)
	p.Tell = false
	defer c.buffers.Put(p)
	first := func(s *collision.Stats) int {
		c.prices.Predict(s, p)
		c.prices.Intervals(p)
		return c.first(s, p.List)
	}
	chosen := first(s)
	others := []collision.Stats{*before}
	for _, by := range settlingShifts {
		others = append(others, s.Shifted(by))
	}
	for i := range others {
		if best := first(&others[i]); best >= 0 && chosen >= 0 {
			loss = max(loss, 1-c.key(&p.List[best])/c.key(&p.List[chosen]))
		}
	}
	return loss
}

// wholeSeen is how many updates of a stream in memory are counted at once.
const wholeSeen = 1 << 23

// whole returns the exact statistics of a stream, where it is in memory or else a MiB at a time.
func whole(stream collision.Stream, opt collision.Options) (collision.Stats, error) {
	acc, err := collision.NewAccumulator(opt)
	if err != nil {
		return collision.Stats{}, err
	}
	if in, ok := stream.(survey.Viewer); ok {
		for at := 0; at < stream.Len() && err == nil; at += wholeSeen {
			var failed error
			err = in.View(at, min(wholeSeen, stream.Len()-at), func(indices []uint32) { failed = acc.Add(indices) })
			err = errors.Join(err, failed)
		}
		if err != nil {
			return collision.Stats{}, err
		}
		return acc.Stats()
	}
	chunk := make([]uint32, min(1<<18, stream.Len()))
	for at := 0; at < stream.Len(); at += len(chunk) {
		chunk = chunk[:min(len(chunk), stream.Len()-at)]
		if err := stream.Read(chunk, at); err != nil {
			return collision.Stats{}, err
		}
		if err := acc.Add(chunk); err != nil {
			return collision.Stats{}, err
		}
	}
	return acc.Stats()
}
