package tuner

import (
	"math"

	"github.com/atomtune/atomtune/collision"
)

// A component of the prior is a kind of stream: runs of one target each, drawn one by one, a
// share of them the hot target and the others any of the spread.
type component struct {
	hot    float64 // share of the updates on the hot target
	run    float64 // mean updates of a run
	spread float64 // ln of the targets in use over ln of all
	// skew is the exponent of Zipf's law for what is not hot: the target of rank
	// i, which is in place i, has a probability proportional to i^-skew.
	skew float64
}

// components are equally likely: nearly all combinations of no, a lukewarm and a hot target
// with short and long runs over all targets and over few, two skewed streams, and a stream
// with one target.
var components = [...]component{
	{0, 1, 1, 0}, {0, 8, 1, 0}, {0, 64, 1, 0}, {0, 1, 0.5, 0}, {0, 8, 0.5, 0},
	{0.1, 1, 1, 0}, {0.1, 8, 1, 0}, {0.1, 1, 0.5, 0},
	{0.5, 1, 1, 0}, {0.5, 8, 1, 0}, {0.5, 1, 0.5, 0},
	{0, 1, 1, 1}, {0, 1, 1, 1.3},
	{1, 1, 1, 0},
}

// The elements of an aligned sector of 32 bytes and of a chunk of 256 bytes, for
// elements of 4 bytes, and the banks of shared memory.
const (
	sectorElements = 8
	chunkElements  = 64
	bankCount      = 32
)

// drawing is a component over one number of targets.
type drawing struct {
	component
	targets float64 // in use
	bins    float64
	bands   []band // of the targets
}

// stats writes the expected statistics of a stream of the component: exact for means of
// distinct targets, estimates for means of highest frequencies. A statistic that is not expected
// here is 0, not known.
func (k component) stats(updates, bins uint64, warp, block int, s *collision.Stats) {
	d := drawing{component: k, bins: float64(bins),
		targets: max(1, math.Round(math.Pow(float64(bins), k.spread)))}
	d.bands = d.split()
	n := float64(updates)
	w, b := min(float64(warp), n), min(float64(block), n)
	*s = collision.Stats{Updates: updates, Bins: bins, WarpSize: warp, BlockSize: block}
	all := max(1, n/d.run)
	s.Unique = uint64(max(1, min(math.Round(different(all, d.bands)), d.bins, n)))
	s.AllLevel = n / float64(s.Unique)
	s.DistinctPerWarp, s.WarpLevel = d.group(w)
	s.DistinctPerBlock, s.BlockLevel = d.group(b)
	repeats := 1 - 1/d.run + same(d.bands)/d.run
	s.ClusteredFraction = min(1, (w-1)/w*repeats)
	s.Runs = uint64(max(float64(s.Unique), math.Round(n*(1-repeats)), 1))
	s.MaxFrequency = d.highest(n, d.bands, s.AllLevel)
	s.MaxChunkFrequency8 = d.highest(n, d.grouped(chunkElements/2), float64(s.MaxFrequency))
	s.MaxChunkFrequency4 = d.highest(n, d.grouped(chunkElements), float64(s.MaxChunkFrequency8))
	top := s.WarpLevel * w
	s.SectorsPerWarp4, s.SectorPassesPerWarp4 = d.sectors(w, top, s.DistinctPerWarp, sectorElements)
	s.SectorsPerWarp8, s.SectorPassesPerWarp8 = d.sectors(w, top, s.DistinctPerWarp, sectorElements/2)
	banks := min(bankCount, d.bins)
	s.BankDegree = max(1, min(fullest(s.DistinctPerWarp, banks), s.DistinctPerWarp, d.bins/bankCount))
	s.BankLanes = min(max(top, w/d.runs(w)*fullest(d.runs(w), banks), 1), w)
	share := min(1, float64(s.MaxFrequency)/n)
	s.HotWarps = 1 - math.Pow(1-share, d.runs(w))
	s.HotWarps = min(1, max(s.HotWarps, share/w))
	s.HotSegments = max(s.HotWarps, share+(d.runs(w)-1)*share*(1-share))
}

// runs is the mean number of runs that a stretch of so many updates meets.
func (d *drawing) runs(updates float64) float64 { return 1 + (updates-1)/d.run }

// group returns the mean different targets of a warp or block and the share of
// its threads on the most frequent one.
func (d *drawing) group(threads float64) (distinct, level float64) {
	runs := d.runs(threads)
	highest := d.longest(runs)
	for _, b := range d.bands {
		highest = max(highest, threads/runs*fullest(runs*b.share, b.targets))
	}
	return min(different(runs, d.bands), d.bins, threads), min(1, highest/threads)
}

// highest is the frequency of the busiest target or group of bands, at least so high.
func (d *drawing) highest(n float64, bands []band, least float64) uint64 {
	most := max(least, min(d.longest(n/d.run), n))
	for _, b := range bands {
		most = max(most, d.run*fullest(n/d.run*b.share, b.targets))
	}
	return uint64(max(1, min(math.Ceil(most), n)))
}

// sectors returns the mean sectors of so many elements that a warp touches, and the passes
// over them: as many as each sector's busiest target has.
func (d *drawing) sectors(lanes, top, distinct, elements float64) (sectors, passes float64) {
	sectors = min(different(d.runs(lanes), d.grouped(elements)), distinct)
	passes = max(top, sectors, sectors*fullest(lanes/sectors, max(1, distinct/sectors)))
	if d.skew > 0 { // the frequent targets fill one sector
		passes = max(top, sectors, top+sectors-1)
	}
	return sectors, min(passes, lanes)
}

// longest is about the mean length of the longest of so many runs, whose lengths
// are geometric: 1 + (L - 1) · (ln runs + Euler's constant) for a mean of L.
func (d *drawing) longest(runs float64) float64 {
	const euler = 0.5772
	return 1 + (d.run-1)*(math.Log(max(runs, 1))+euler)
}

// fullest is about the mean of the fullest of so many bins into which balls fall at random.
// Up to a mean load of 4 it is the highest load that half a bin has in expectation
// (Poisson); beyond, the mean and sqrt(2·ln(bins)) standard deviations.
func fullest(balls, bins float64) float64 {
	const few, half = 4, 0.5
	mean := balls / bins
	if mean > few {
		return min(mean+math.Sqrt(2*mean*math.Log(bins)), balls)
	}
	load, have := 0.0, bins*math.Exp(-mean) // bins with that load
	for load < mean || have*mean/(load+1) >= half {
		load++
		have *= mean / load
	}
	return min(load, balls)
}

// band is a share of a stream's runs that falls evenly on so many targets, or
// groups of neighbouring targets.
type band struct{ share, targets float64 }

// split returns the bands of the targets: the hot one, and the others. The ranks of a skewed
// component are split where their number doubles, and from finely on where it is fourfold.
func (d *drawing) split() []band {
	if d.skew == 0 {
		return []band{{d.hot, 1}, {1 - d.hot, d.targets}}
	}
	const finely = 64
	var bands []band
	sum := 0.0
	for first, next := 1.0, 0.0; first <= d.targets; first = next {
		if next = 2 * first; first >= finely {
			next = 4 * first
		}
		last := min(next-1, d.targets)
		b := band{d.weight(first, last), last - first + 1}
		bands, sum = append(bands, b), sum+b.share
	}
	for i := range bands {
		bands[i].share *= (1 - d.hot) / sum
	}
	return bands
}

// weight is about the sum of i^-skew over ranks, by the integral.
func (d *drawing) weight(first, last float64) float64 {
	low, high := first-0.5, last+0.5
	switch {
	case first == last:
		return math.Pow(first, -d.skew)
	case d.skew == 1:
		return math.Log(high / low)
	}
	return (math.Pow(high, 1-d.skew) - math.Pow(low, 1-d.skew)) / (1 - d.skew)
}

// grouped returns the bands of groups of so many neighbouring targets. Targets in use that are not
// skewed are spread evenly over all.
func (d *drawing) grouped(elements float64) []band {
	if d.skew == 0 {
		groups := max(1, min(d.targets, math.Round(d.bins/elements)))
		cold := (1 - d.hot) / groups
		return []band{{d.hot + cold, 1}, {(1 - d.hot) - cold, max(1, groups-1)}}
	}
	var bands []band
	whole := band{} // those that fill one group
	for _, b := range d.bands {
		if whole.targets+1 < elements {
			whole.share, whole.targets = whole.share+b.share, whole.targets+b.targets
			continue
		}
		bands = append(bands, band{b.share, max(1, b.targets/elements)})
	}
	return append(bands, band{whole.share, max(1, whole.targets/elements)})
}

// different is the mean number of distinct targets that m runs meet: the sum of U · (1 - (1
// - p/U)^m) over the bands, of share p on U targets each.
func different(runs float64, bands []band) float64 {
	sum := 0.0
	for _, b := range bands {
		sum -= b.targets * math.Expm1(runs*math.Log1p(-min(1, b.share/b.targets)))
	}
	return max(1, sum)
}

// same is the probability that two runs are of one target.
func same(bands []band) (sum float64) {
	for _, b := range bands {
		sum += b.share * b.share / b.targets
	}
	return sum
}
