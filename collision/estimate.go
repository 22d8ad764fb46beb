package collision

import "math"

// sampledStats is Stats for a sample.
func (a *Accumulator) sampledStats() (Stats, error) {
	if a.sample.err != nil {
		return Stats{}, a.sample.err
	}
	blocks := a.sample.blocks()
	tail := a.sample.tail
	k := a.crew[0].ready(a.opt)
	p := population{blocks: a.updates / uint64(a.opt.BlockSize), last: k.measureLast(tail.keys)}
	if len(tail.keys) > 0 {
		p.last.changes = tail.changes(&p.last)
	}
	p.kept = make([]sums, len(blocks))
	parallel(a.crew, len(blocks), func(w *worker, i int) {
		p.kept[i] = w.ready(a.opt).measure(blocks[i].keys)
		p.kept[i].changes = blocks[i].changes(&p.kept[i])
	})
	s := Stats{
		Updates: a.updates, WarpSize: a.opt.WarpSize, BlockSize: a.opt.BlockSize,
		Sampled: &Sampling{
			Seed: a.opt.Seed, Blocks: uint64(len(blocks)), TotalBlocks: p.blocks, Confidence: confidence,
		},
	}
	p.estimateMeans(&s)
	if len(tail.keys) > 0 {
		blocks = append(blocks, tail)
	}
	c := newSampleCounts(blocks, len(p.kept), &a.crew[0].radix)
	c.estimateUnique(&s, a.opt.Bins, p.blocks+p.last.lastBlock.count())
	for _, of := range []struct {
		bits uint
		to   *uint64
		low  *uint64
		half *float64
	}{
		{0, &s.MaxFrequency, &s.Sampled.MaxFrequencyLow, &s.Sampled.HalfWidth.MaxFrequency},
		{chunkBits4, &s.MaxChunkFrequency4, &s.Sampled.MaxChunkFrequency4Low, &s.Sampled.HalfWidth.MaxChunkFrequency4},
		{chunkBits8, &s.MaxChunkFrequency8, &s.Sampled.MaxChunkFrequency8Low, &s.Sampled.HalfWidth.MaxChunkFrequency8},
	} {
		*of.to, *of.low, *of.half = c.estimateHighest(&p, of.bits)
	}
	// No maximum lies below the mean, and no chunk below its busiest target.
	s.MaxFrequency = max(s.MaxFrequency, uint64(math.Ceil(s.AllLevel)))
	s.MaxChunkFrequency8 = max(s.MaxChunkFrequency8, s.MaxFrequency)
	s.MaxChunkFrequency4 = max(s.MaxChunkFrequency4, s.MaxChunkFrequency8)
	hottest, _ := mostFrequent(c.all, 0)
	h := hotSample{
		warpSize: a.opt.WarpSize, blocks: p.blocks, kept: blocks[:len(p.kept)], last: tail.keys,
		targets: s.Sampled.UniqueLow, hottest: hottest, vector: k.vector,
	}
	s.Sampled.HalfWidth.HotWarps, s.Sampled.HalfWidth.HotSegments = h.estimate(&s)
	return s, nil
}

// estimateMeans fills in every statistic that is a mean or a total over blocks.
func (p *population) estimateMeans(s *Stats) {
	warpSize, blockSize := uint64(s.WarpSize), uint64(s.BlockSize)
	warps := float64((s.Updates + warpSize - 1) / warpSize)
	blocks := float64((s.Updates + blockSize - 1) / blockSize)
	updates := float64(s.Updates)
	h := &s.Sampled.HalfWidth
	for _, m := range []struct {
		to, half *float64
		units    float64
		of       func(*sums) float64
	}{
		{&s.WarpLevel, &h.WarpLevel, warps, func(b *sums) float64 {
			return b.lastWarp.factors(b.warp.highest, warpSize)
		}},
		{&s.BlockLevel, &h.BlockLevel, blocks, func(b *sums) float64 {
			return b.lastBlock.factors(b.blockHighest, blockSize)
		}},
		{&s.DistinctPerWarp, &h.DistinctPerWarp, warps, func(b *sums) float64 { return float64(b.warp.distinct) }},
		{&s.DistinctPerBlock, &h.DistinctPerBlock, blocks, func(b *sums) float64 { return float64(b.blockDistinct) }},
		{&s.ClusteredFraction, &h.ClusteredFraction, updates, func(b *sums) float64 { return float64(b.clustered) }},
		{&s.Sectors4, &h.Sectors4, warps, func(b *sums) float64 { return float64(b.warp.sectors4) }},
		{&s.Sectors8, &h.Sectors8, warps, func(b *sums) float64 { return float64(b.warp.sectors8) }},
		{&s.SectorPasses4, &h.SectorPasses4, warps, func(b *sums) float64 { return float64(b.warp.passes4) }},
		{&s.SectorPasses8, &h.SectorPasses8, warps, func(b *sums) float64 { return float64(b.warp.passes8) }},
		{&s.BankDegree, &h.BankDegree, warps, func(b *sums) float64 { return float64(b.warp.bankDegree) }},
		{&s.BankLanes, &h.BankLanes, warps, func(b *sums) float64 { return float64(b.warp.bankLanes) }},
	} {
		*m.to, *m.half = p.mean(m.of, m.units)
	}
	var runs float64
	runs, h.Runs = p.mean(func(b *sums) float64 { return float64(b.changes) }, 1)
	s.Runs = uint64(math.Round(runs))
	for _, b := range append(p.kept[:len(p.kept):len(p.kept)], p.last) {
		s.Sampled.Warps += b.warps + b.lastWarp.count()
		s.Sampled.Updates += b.updates
	}
}
