package tuner

import (
	"cmp"
	"context"

	"github.com/atomtune/atomtune/collision"
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

// settle measures samples of random blocks, each four times as large as the one before, until one settles the
// choice. That is where the choice loses no more than 1 % to any other with all statistics at the ends of their 90 %
// intervals or half-way to them, and by the sample before. Where a further sample would have more than its part of
// the stream, all of it is read in place of that. A survey reads all of it once besides.
//
// Forms of hot are priced by what half a sample finds, and segreduce is ranked where the survey says
// that the stream is sorted; of a stream that is grouped otherwise a sample cannot know. Of 0 bins the
// survey finds the number.
func (c *Chooser) settle(ctx context.Context, src Source, stream collision.Stream,
	opt collision.Options) (*Measured, error) {
	known, err := collision.NewSurvey(stream, opt)
	if err != nil {
		return nil, err
	}
	opt.Bins = known.Bins
	sampler, err := collision.NewSampler(opt)
	if err != nil {
		return nil, err
	}
	r, block, rest := c.opts.Reading, uint64(blockSize), uint64(stream.Len())%blockSize
	l := &Settling{Seed: r.Seed, TotalBlocks: (uint64(stream.Len()) + block - 1) / block, Confidence: settlingConfidence}
	var before *collision.Stats
	most := l.TotalBlocks / uint64(cmp.Or(r.Part, settlingPart))
	for blocks := cmp.Or(r.First, settlingFirst); uint64(blocks) <= most; blocks *= moreBlocks {
		s, err := sampler.MeasureStream(stream, known.Bins, blocks)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		known.Apply(&s)
		l.Samples, l.Updates = l.Samples+1, s.Sampled.Updates
		l.Blocks, l.Positions = s.Sampled.Blocks+min(rest, 1), s.Sampled.Blocks*block+rest
		if before != nil {
			loss := c.lossOfSample(&s, before)
			if l.LossPercent, l.Settled = 100*loss, loss <= settlingLoss; l.Settled {
				return &Measured{Stream: Stream{Stats: &s}, Settling: l}, nil
			}
		}
		before = &s
	}
	acc, err := Count(ctx, src, opt)
	if err != nil {
		return nil, err
	}
	s, err := acc.Stats()
	l.Updates, l.Positions, l.Blocks, l.LossPercent = s.Updates, s.Positions(), l.TotalBlocks, 0
	return &Measured{Stream: Stream{Stats: &s}, Settling: l}, err
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
