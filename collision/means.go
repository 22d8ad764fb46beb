package collision

import (
	"cmp"
	"fmt"
	"math"
	"reflect"

	"github.com/atomtune/atomtune/collision/internal/kernel"
)

// This file holds what makes a mean. A new one has a field in Stats and in HalfWidths, and a row
// here, which says what it is the mean of, its bounds, and which way collisions move it. Its total
// is counted by internal/kernel.

// row is a mean: a total over the stream, divided by its warps, blocks or updates.
type row struct {
	per  unit
	span span
	// more is 1 for a mean that grows with collisions, -1 for one that falls, and 0 for neither.
	more  float64
	total func(*kernel.Sums, *Stats) float64 // what a stretch of the stream adds
	of    func(*Stats) *float64              // the field; that of HalfWidths has its name
}

var means = described([]row{
	{perWarp, level, 1, warpLevel, func(s *Stats) *float64 { return &s.WarpLevel }},
	{perBlock, level, 1, blockLevel, func(s *Stats) *float64 { return &s.BlockLevel }},
	{perWarp, count, -1, of(kernel.WarpDistinct), func(s *Stats) *float64 { return &s.DistinctPerWarp }},
	{perBlock, count, -1, of(kernel.BlockDistinct), func(s *Stats) *float64 { return &s.DistinctPerBlock }},
	{perUpdate, share, 1, of(kernel.Clustered), func(s *Stats) *float64 { return &s.ClusteredFraction }},
	{perWarp, count, -1, of(kernel.WarpSectors4), func(s *Stats) *float64 { return &s.SectorsPerWarp4 }},
	{perWarp, count, -1, of(kernel.WarpSectors8), func(s *Stats) *float64 { return &s.SectorsPerWarp8 }},
	{perWarp, count, 1, of(kernel.WarpPasses4), func(s *Stats) *float64 { return &s.SectorPassesPerWarp4 }},
	{perWarp, count, 1, of(kernel.WarpPasses8), func(s *Stats) *float64 { return &s.SectorPassesPerWarp8 }},
	{perWarp, count, 0, of(kernel.WarpBankDegree), func(s *Stats) *float64 { return &s.BankDegree }},
	{perWarp, count, 1, of(kernel.WarpBankLanes), func(s *Stats) *float64 { return &s.BankLanes }},
})

// mean is a row with its name in JSON and the place of its half-width.
type mean struct {
	row
	name string
	half int
}

func described(rows []row) (list []mean) {
	var zero Stats
	for _, d := range Statistics() {
		for _, r := range rows {
			if r.of(&zero) == d.Mean(&zero) {
				half, _ := reflect.TypeFor[HalfWidths]().FieldByName(d.path[0])
				list = append(list, mean{r, d.Name, half.Index[0]})
			}
		}
	}
	return list
}

// bounds returns the bounds of such warps and blocks, some of which padding may leave without an update.
func (m *mean) bounds(s *Stats) (least, most float64) {
	threads := [...]float64{perWarp: float64(s.WarpSize), perBlock: float64(s.BlockSize),
		perUpdate: 1}[m.per]
	least, most = m.span(threads)
	if s.Ignored > 0 && m.per != perUpdate {
		least *= min(1, float64(s.Updates)/(threads*m.per.number(s)))
	}
	return least, most
}

// span returns the bounds of a mean over units of so many threads.
type span func(threads float64) (least, most float64)

func count(threads float64) (least, most float64) { return 1, threads }
func level(threads float64) (least, most float64) { return 1 / threads, 1 }
func share(float64) (least, most float64)         { return 0, 1 }

type unit int

const (
	perWarp unit = iota
	perBlock
	perUpdate
)

func (u unit) number(s *Stats) float64 {
	switch n := s.Positions(); u {
	case perWarp:
		return float64((n + uint64(s.WarpSize) - 1) / uint64(s.WarpSize))
	case perBlock:
		return float64((n + uint64(s.BlockSize) - 1) / uint64(s.BlockSize))
	default:
		return float64(s.Updates)
	}
}

// MaxUpdates is the most updates that statistics may hold.
const MaxUpdates = 1 << 62

// slack is the part by which means may exceed their bounds: by rounding, of stored numbers too.
const slack = 1e-6

// Check returns an error that wraps ErrStats and names the field where no stream has the
// statistics. HotWarps and HotSegments may both be 0, not known, and so may Cover and Misses.
func (s *Stats) Check() error {
	if s.Updates == 0 || s.Updates > MaxUpdates || s.Ignored > MaxUpdates || s.Unique == 0 || s.Bins > maxBins ||
		s.Unique > min(s.Bins, s.Updates) || s.WarpSize < 1 || s.BlockSize < 1 {
		return fmt.Errorf("%d updates of %d targets, %d of them different, in warps of %d and "+
			"blocks of %d: %w", s.Updates, s.Bins, s.Unique, s.WarpSize, s.BlockSize, ErrStats)
	}
	updates := float64(s.Updates)
	for _, l := range []limit{{"max_frequency", float64(s.MaxFrequency), 1, updates},
		{"max_chunk_frequency_4", float64(s.MaxChunkFrequency4), 1, updates},
		{"max_chunk_frequency_8", float64(s.MaxChunkFrequency8), 1, updates}} {
		if err := l.check(0, 0); err != nil {
			return err
		}
	}
	within := func(l limit) error { return l.check(l.least*slack, l.most*slack) }
	if err := within(limit{"all_level", s.AllLevel, 1, updates}); err != nil {
		return err
	}
	if s.HotWarps != 0 || s.HotSegments != 0 {
		const least = math.SmallestNonzeroFloat64
		if err := cmp.Or(within(limit{"hot_warps", s.HotWarps, least, 1}),
			within(limit{"hot_segments", s.HotSegments, least, mostSegments(s.WarpSize)})); err != nil {
			return err
		}
	}
	for i := range means {
		least, most := means[i].bounds(s)
		if err := within(limit{means[i].name, *means[i].of(s), least, most}); err != nil {
			return err
		}
	}
	return s.checkHot()
}

// limit is a field with what it is between.
type limit struct {
	name               string
	value, least, most float64
}

// check returns an error where the value lies beyond a limit by more than so much.
func (l limit) check(below, above float64) error {
	if l.value >= l.least-below && l.value <= l.most+above {
		return nil
	}
	return fmt.Errorf("%s %v: want %v to %v: %w", l.name, l.value, l.least, l.most, ErrStats)
}

// Shifted moves a sample's statistics by so many of their half-widths, all together towards more
// collisions, or fewer for a negative number, and within their bounds.
func (s *Stats) Shifted(by float64) Stats {
	to, h := *s, &s.Sampled.HalfWidth
	widths := reflect.ValueOf(h).Elem()
	for _, m := range means {
		if m.more != 0 {
			*m.of(&to) += m.more * by * widths.Field(m.half).Float()
		}
	}
	shift := func(n *uint64, half float64, least uint64) {
		*n = max(moved(*n, by*half), least)
	}
	shift(&to.MaxFrequency, h.MaxFrequency, s.Sampled.MaxFrequencyLow)
	shift(&to.MaxChunkFrequency8, h.MaxChunkFrequency8, s.Sampled.MaxChunkFrequency8Low)
	shift(&to.MaxChunkFrequency4, h.MaxChunkFrequency4, s.Sampled.MaxChunkFrequency4Low)
	to.HotWarps += by * h.HotWarps
	to.HotSegments += by * h.HotSegments
	to.shiftHot(by)
	to.Bound()
	return to
}

func moved(n uint64, by float64) uint64 {
	return uint64(min(max(0, math.Round(float64(n)+by)), MaxUpdates))
}

func of(statistic int) func(*kernel.Sums, *Stats) float64 {
	return func(b *kernel.Sums, _ *Stats) float64 { return float64(b.Totals[statistic]) }
}

func warpLevel(b *kernel.Sums, s *Stats) float64 {
	return b.LastWarp.Factors(b.Totals[kernel.WarpHighest], s.WarpSize)
}

func blockLevel(b *kernel.Sums, s *Stats) float64 {
	return b.LastBlock.Factors(b.Totals[kernel.BlockHighest], s.BlockSize)
}
