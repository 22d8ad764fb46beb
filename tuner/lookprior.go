package tuner

import (
	"math"

	"github.com/atomtune/atomtune/collision"
)

// kind is a kind of stream: runs of one target each, drawn one by one, a share
// of them the one hot target and the others any of the spread.
type kind struct {
	hot    float64 // share of the updates on the hot target
	run    float64 // mean updates of a run
	spread float64 // ln of the targets in use over ln of all
	// skew is the exponent of Zipf's law for what is not hot: the target of rank
	// i, which stands in place i, has a probability proportional to i^-skew.
	skew float64
}

// kinds are what a stream is taken to be, each as likely as the next, as long
// as nobody has looked at it: nearly all combinations of no, a lukewarm and a
// hot target with short and long runs over all targets and over few, two skewed
// streams whose frequent targets are neighbours, and a stream with one target.
var kinds = [...]kind{
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

// drawing is a kind over one number of targets.
type drawing struct {
	kind
	targets float64 // in use
	bins    float64
	bands   []band // of the targets
}

// stats writes the statistics that a stream of the kind has in expectation.
// They are estimates in closed form: exact for means of different targets, and
// of the size of the truth for means of highest frequencies.
func (k kind) stats(updates, bins uint64, warp, block int, s *collision.Stats) {
	d := drawing{kind: k, bins: real(bins), targets: max(1, math.Round(math.Pow(real(bins), k.spread)))}
	d.bands = d.split()
	n := real(updates)
	w, b := min(float64(warp), n), min(float64(block), n)
	*s = collision.Stats{Updates: updates, Bins: bins, WarpSize: warp, BlockSize: block}
	all := max(1, n/d.run)
	s.Unique = uint64(max(1, min(math.Round(different(all, d.bands)), d.bins, n)))
	s.AllLevel = n / real(s.Unique)
	s.DistinctPerWarp, s.WarpLevel = d.group(w)
	s.DistinctPerBlock, s.BlockLevel = d.group(b)
	repeats := 1 - 1/d.run + same(d.bands)/d.run
	s.ClusteredFraction = min(1, (w-1)/w*repeats)
	s.Runs = uint64(max(real(s.Unique), math.Round(n*(1-repeats)), 1))
	s.MaxFrequency = d.highest(n, d.bands, s.AllLevel)
	s.MaxChunkFrequency8 = d.highest(n, d.grouped(chunkElements/2), real(s.MaxFrequency))
	s.MaxChunkFrequency4 = d.highest(n, d.grouped(chunkElements), real(s.MaxChunkFrequency8))
	top := s.WarpLevel * w
	s.Sectors4, s.SectorPasses4 = d.sectors(w, top, s.DistinctPerWarp, sectorElements)
	s.Sectors8, s.SectorPasses8 = d.sectors(w, top, s.DistinctPerWarp, sectorElements/2)
	banks := min(bankCount, d.bins)
	s.BankDegree = max(1, min(fullest(s.DistinctPerWarp, banks), s.DistinctPerWarp, d.bins/bankCount))
	s.BankLanes = min(max(top, w/d.runs(w)*fullest(d.runs(w), banks), 1), w)
	share := min(1, real(s.MaxFrequency)/n)
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

// inGroups is the number of groups of so many neighbours that hold the targets
// in use, which are spread evenly over all.
func (d *drawing) inGroups(elements float64) float64 {
	return max(1, min(d.targets, math.Round(d.bins/elements)))
}

// highest is the frequency of the busiest target or group of bands, at least so
// high.
func (d *drawing) highest(n float64, bands []band, least float64) uint64 {
	most := max(least, min(d.longest(n/d.run), n))
	for _, b := range bands {
		most = max(most, d.run*fullest(n/d.run*b.share, b.targets))
	}
	return uint64(max(1, min(math.Ceil(most), n)))
}

// sectors returns the mean sectors of so many elements that a warp touches, and
// the passes over them: a sector takes its updates in as many as its busiest
// target has.
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

// fullest is about the mean of the fullest of so many bins into which so many
// balls fall at random. Up to a mean load of 4 it is the highest load that half
// a bin has in expectation, the loads being nearly Poisson; beyond, the mean and
// sqrt(2·ln(bins)) of its standard deviations.
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
