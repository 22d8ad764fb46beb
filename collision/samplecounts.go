package collision

import "math"

// sampleCounts are the targets of sampled blocks.
type sampleCounts struct {
	blocks []keptBlock // in random order, the incomplete last one at the end
	unique []uint32    // the different targets of each block, all in one sorted list
	all    []uint32    // the targets of all blocks, sorted
	half   []uint32    // the targets of the first half of the complete blocks, sorted
}

// newSampleCounts takes the kept blocks, the first complete of which are
// complete.
func newSampleCounts(blocks []keptBlock, complete int, r *radix) *sampleCounts {
	c := &sampleCounts{blocks: blocks}
	var sorted []uint32
	for i, b := range blocks {
		c.all = append(c.all, b.keys...)
		if i < complete/2 {
			c.half = append(c.half, b.keys...)
		}
		sorted = append(sorted[:0], b.keys...)
		r.sort(sorted, 32)
		for len(sorted) > 0 {
			c.unique = append(c.unique, sorted[0])
			sorted = sorted[leading(sorted):]
		}
	}
	for _, list := range [][]uint32{c.unique, c.all, c.half} {
		r.sort(list, 32)
	}
	return c
}

// estimateUnique fills in Bins, Unique and AllLevel of a stream of so many
// blocks; bins is 0 if the number of targets is not known.
func (c *sampleCounts) estimateUnique(s *Stats, bins, blocks uint64) {
	s.Bins = bins
	if bins == 0 {
		s.Bins = uint64(c.unique[len(c.unique)-1]) + 1
	}
	var seen, once, twice float64
	for rest := c.unique; len(rest) > 0; {
		n := leading(rest)
		rest = rest[n:]
		seen++
		switch n {
		case 1:
			once++
		case 2:
			twice++
		}
	}
	limit := uint64(maxBins)
	if bins > 0 {
		limit = bins
	}
	s.Sampled.UniqueLow = uint64(seen)
	s.Sampled.UniqueHigh = min(uint64(seen)+s.Updates-s.Sampled.Updates, limit)
	estimate := math.Round(seen + chao2Unseen(once, twice, float64(len(c.blocks)), float64(blocks)))
	s.Unique = s.Sampled.UniqueHigh
	if estimate < float64(s.Sampled.UniqueHigh) {
		s.Unique = uint64(estimate)
	}
	s.AllLevel = float64(s.Updates) / float64(s.Unique)
}

// chao2Unseen estimates the targets that no sampled block holds, from those
// that exactly one and exactly two hold, for t blocks out of total.
func chao2Unseen(once, twice, t, total float64) float64 {
	if once == 0 || t >= total {
		return 0
	}
	w, q := 1.0, t/total
	if t > 1 {
		w = t / (t - 1)
	}
	return once * once / (2*w*twice + once*q/(1-q))
}

// estimateHighest estimates the highest frequency of a group of 2^bits
// targets, with a lower bound and the half-width for the group chosen.
func (c *sampleCounts) estimateHighest(p *population, bits uint) (estimate, low uint64, half float64) {
	_, low = mostFrequent(c.all, bits)
	k := len(p.kept)
	if uint64(k) >= p.blocks {
		return low, low, 0
	}
	chosen, _ := mostFrequent(c.half, bits)
	kept := make([]float64, 0, k-k/2)
	for _, b := range c.blocks[k/2 : k] {
		kept = append(kept, occurrences(b.keys, chosen, bits))
	}
	last := 0.0
	for _, b := range c.blocks[k:] {
		last = occurrences(b.keys, chosen, bits)
	}
	total, half := p.total(kept, last)
	return max(low, uint64(math.Round(total))), low, half
}

// mostFrequent returns the most frequent group of 2^bits targets among sorted
// ones, the lowest one of several, and its frequency.
func mostFrequent(sorted []uint32, bits uint) (group uint32, highest uint64) {
	var count uint64
	for i, key := range sorted {
		if i > 0 && key>>bits != sorted[i-1]>>bits {
			count = 0
		}
		if count++; count > highest {
			group, highest = key>>bits, count
		}
	}
	return group, highest
}

// occurrences counts the updates of one group of 2^bits targets.
func occurrences(keys []uint32, group uint32, bits uint) float64 {
	n := 0
	for _, key := range keys {
		if key>>bits == group {
			n++
		}
	}
	return float64(n)
}
