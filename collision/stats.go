// Package collision measures how the updates of an index stream collide: within a warp, within a
// block, over all threads, per memory sector and per shared-memory bank.
//
// An index stream lists the targets of all updates in lane order: lane i of warp w performs
// update WarpSize·w + i. A block is BlockSize consecutive updates. The last warp and the last
// block may be partial; they count like every other one, with their own number of threads.
//
// References:
//
//	[egielski14]  I. Egielski, J. Huang, E. Z. Zhang. Massive Atomics for
//	              Massive Parallelism on GPUs. ISMM 2014.
//	[gomezluna13] J. Gómez-Luna, J. M. González-Linares, J. I. Benavides,
//	              N. Guil. Performance Modeling of Atomic Additions on GPU
//	              Scratchpad Memory. IEEE TPDS 24(11), 2013.
package collision

import (
	"reflect"
	"slices"
)

// Stats are the collision statistics of one index stream. All means are arithmetic means over the
// warps (or blocks) of the stream, partial ones included with the same weight.
type Stats struct {
	Updates   uint64 `json:"updates" meaning:"length of the stream"`
	Bins      uint64 `json:"bins" meaning:"targets"`
	Unique    uint64 `json:"unique" meaning:"targets that occur"`
	WarpSize  int    `json:"warp_size" meaning:"threads of a warp"`
	BlockSize int    `json:"block_size" meaning:"threads of a block"`

	// WarpLevel and BlockLevel are the intra-warp and intra-block collision
	// levels of [egielski14] section 3.3: the mean over warps (blocks) of the
	// highest access frequency of one target in the warp (block) over the
	// number of threads of that warp (block). Both lie in (0, 1].
	WarpLevel  float64 `json:"warp_level" meaning:"intra-warp collision level, of 1"`
	BlockLevel float64 `json:"block_level" meaning:"intra-block collision level, of 1"`
	// AllLevel is the all-thread collision level of [egielski14] section 3.3:
	// the mean access frequency over unique targets, Updates / Unique.
	AllLevel float64 `json:"all_level" meaning:"updates per target that occurs"`

	// DistinctPerWarp and DistinctPerBlock are the mean numbers of different
	// targets in a warp and in a block.
	DistinctPerWarp  float64 `json:"distinct_per_warp" meaning:"different targets of a warp"`
	DistinctPerBlock float64 `json:"distinct_per_block" meaning:"different targets of a block"`
	// ClusteredFraction is the number of updates whose predecessor in the
	// same warp has the same target, over Updates. A warp's first lane has no
	// predecessor, so a constant stream of full warps gives 31/32.
	ClusteredFraction float64 `json:"clustered_fraction" meaning:"updates that repeat their predecessor in the warp, of 1"`
	// Runs is the number of maximal stretches of equal consecutive targets
	// over the whole stream, warp borders ignored. The stream is grouped
	// (each target in one stretch) exactly if Runs == Unique.
	Runs uint64 `json:"runs" meaning:"stretches of equal targets"`
	// MaxFrequency is the number of updates of the most frequent target.
	MaxFrequency uint64 `json:"max_frequency" meaning:"updates of the most frequent target"`
	// MaxChunkFrequency4 and MaxChunkFrequency8 are the numbers of updates of the most frequent
	// aligned 256-byte chunk of the target array, for elements of 4 and of 8 bytes.
	MaxChunkFrequency4 uint64 `json:"max_chunk_frequency_4" meaning:"updates of the most frequent 256 bytes, 4-byte targets"`
	MaxChunkFrequency8 uint64 `json:"max_chunk_frequency_8" meaning:"updates of the most frequent 256 bytes, 8-byte targets"`

	// HotWarps is the highest share of warps that hold one and the same target, in (0, 1].
	// HotSegments is the highest mean number per warp of segments of one and the same target,
	// maximal runs of equal neighbours within a warp, at least HotWarps. They are what is left of
	// the hottest target's updates once a warp has added up equal targets, and equal neighbours.
	//
	// Both are estimates also where all else is exact, unless the stream has no more than 1,024
	// blocks: doc/sampling.md says how they are made and how far they err. A target that is hot in
	// few blocks can be missed. Statistics made without these two fields have 0 in both.
	HotWarps    float64 `json:"hot_warps" meaning:"highest share of warps that hold one target, of 1"`
	HotSegments float64 `json:"hot_segments" meaning:"most segments of one target per warp"`

	// Sectors4 and Sectors8 are the mean numbers of aligned 32-byte sectors
	// that a warp touches, for elements of 4 and of 8 bytes.
	Sectors4 float64 `json:"sectors_per_warp_4" meaning:"32-byte sectors of a warp, 4-byte targets"`
	Sectors8 float64 `json:"sectors_per_warp_8" meaning:"32-byte sectors of a warp, 8-byte targets"`
	// SectorPasses4 and SectorPasses8 are the means over warps of the sum,
	// over the sectors that the warp touches, of the highest frequency of one
	// target in that sector: the passes an atomic unit needs that serves
	// different words of a sector together and equal ones one by one.
	SectorPasses4 float64 `json:"sector_passes_per_warp_4" meaning:"passes over these sectors, 4-byte targets"`
	SectorPasses8 float64 `json:"sector_passes_per_warp_8" meaning:"passes over these sectors, 8-byte targets"`

	// BankDegree is the mean over warps of the largest number of different
	// targets in one of 32 shared-memory banks (bank = target mod 32, words
	// of 4 bytes): the bank conflict degree of a read, [gomezluna13] 2.1.2.
	BankDegree float64 `json:"bank_degree" meaning:"different targets in the fullest of 32 banks"`
	// BankLanes is the mean over warps of the largest number of lanes in one
	// bank, equal targets counted.
	BankLanes float64 `json:"bank_lanes" meaning:"lanes in the fullest of 32 banks"`

	// Sampled is nil for exact statistics. Otherwise every statistic but
	// Updates is an estimate, and Sampled says how good.
	Sampled *Sampling `json:"sampled,omitempty"`
}

// Grouped reports whether every target occurs in one contiguous stretch.
func (s *Stats) Grouped() bool { return s.Unique > 0 && s.Runs == s.Unique }

// HalfWidths are half-widths of confidence intervals, each in the unit of the
// statistic of its name. Those of the highest frequencies, HotWarps and
// HotSegments hold for the target or chunk that was chosen, not for the maximum,
// and are 0, and left out of JSON, where the sample says nothing about it.
type HalfWidths struct {
	WarpLevel          float64 `json:"warp_level"`
	BlockLevel         float64 `json:"block_level"`
	DistinctPerWarp    float64 `json:"distinct_per_warp"`
	DistinctPerBlock   float64 `json:"distinct_per_block"`
	ClusteredFraction  float64 `json:"clustered_fraction"`
	Runs               float64 `json:"runs"`
	MaxFrequency       float64 `json:"max_frequency,omitempty"`
	MaxChunkFrequency4 float64 `json:"max_chunk_frequency_4,omitempty"`
	MaxChunkFrequency8 float64 `json:"max_chunk_frequency_8,omitempty"`
	HotWarps           float64 `json:"hot_warps,omitempty"`
	HotSegments        float64 `json:"hot_segments,omitempty"`
	Sectors4           float64 `json:"sectors_per_warp_4"`
	Sectors8           float64 `json:"sectors_per_warp_8"`
	SectorPasses4      float64 `json:"sector_passes_per_warp_4"`
	SectorPasses8      float64 `json:"sector_passes_per_warp_8"`
	BankDegree         float64 `json:"bank_degree"`
	BankLanes          float64 `json:"bank_lanes"`
}

// Statistic describes one field of Stats. To add a statistic takes a field of Stats
// and of HalfWidths with the same name, and how it is estimated: a mean has a row in means,
// one of warps a line in measureWarp besides. All of that stands in this file.
type Statistic struct {
	Name    string // in JSON
	Meaning string // in a few words, with the unit
	field   string
}

// Statistics describes all fields of Stats but Sampled, in their order.
func Statistics() []Statistic {
	var all []Statistic
	for f := range reflect.TypeFor[Stats]().Fields() {
		if f.Name != "Sampled" {
			all = append(all, Statistic{f.Tag.Get("json"), f.Tag.Get("meaning"), f.Name})
		}
	}
	return all
}

// Value returns the statistic, and the half-width of its interval, which is 0 where it has none.
func (d Statistic) Value(s *Stats) (value, half float64) {
	if s.Sampled != nil {
		if h := reflect.ValueOf(s.Sampled.HalfWidth).FieldByName(d.field); h.IsValid() {
			half = h.Float()
		}
	}
	v := reflect.ValueOf(s).Elem().FieldByName(d.field)
	return v.Convert(reflect.TypeFor[float64]()).Float(), half
}

// Mean returns the field of a statistic that is no whole number, else nil.
func (d Statistic) Mean(s *Stats) *float64 {
	mean, _ := reflect.ValueOf(s).Elem().FieldByName(d.field).Addr().Interface().(*float64)
	return mean
}

// mean is a statistic that is a total over the stream, divided by its warps, blocks or updates.
type mean struct {
	per   unit
	total func(*sums, *Stats) float64 // what a stretch of the stream adds
	field func(*Stats, *HalfWidths) (value, half *float64)
}

// unit is what a mean is taken over.
type unit int

const (
	perWarp unit = iota
	perBlock
	perUpdate
)

// units is the number of warps, blocks or updates of a stream, partial ones included.
func (u unit) units(s *Stats) float64 {
	switch n := s.Updates; u {
	case perWarp:
		return float64((n + uint64(s.WarpSize) - 1) / uint64(s.WarpSize))
	case perBlock:
		return float64((n + uint64(s.BlockSize) - 1) / uint64(s.BlockSize))
	default:
		return float64(n)
	}
}

var means = []mean{
	{perWarp, warpLevel,
		func(s *Stats, h *HalfWidths) (_, _ *float64) { return &s.WarpLevel, &h.WarpLevel }},
	{perBlock, blockLevel,
		func(s *Stats, h *HalfWidths) (_, _ *float64) { return &s.BlockLevel, &h.BlockLevel }},
	{perWarp, warpTotal(warpDistinct),
		func(s *Stats, h *HalfWidths) (_, _ *float64) { return &s.DistinctPerWarp, &h.DistinctPerWarp }},
	{perBlock, blockDistinct,
		func(s *Stats, h *HalfWidths) (_, _ *float64) { return &s.DistinctPerBlock, &h.DistinctPerBlock }},
	{perUpdate, clustered,
		func(s *Stats, h *HalfWidths) (_, _ *float64) { return &s.ClusteredFraction, &h.ClusteredFraction }},
	{perWarp, warpTotal(warpSectors4),
		func(s *Stats, h *HalfWidths) (_, _ *float64) { return &s.Sectors4, &h.Sectors4 }},
	{perWarp, warpTotal(warpSectors8),
		func(s *Stats, h *HalfWidths) (_, _ *float64) { return &s.Sectors8, &h.Sectors8 }},
	{perWarp, warpTotal(warpPasses4),
		func(s *Stats, h *HalfWidths) (_, _ *float64) { return &s.SectorPasses4, &h.SectorPasses4 }},
	{perWarp, warpTotal(warpPasses8),
		func(s *Stats, h *HalfWidths) (_, _ *float64) { return &s.SectorPasses8, &h.SectorPasses8 }},
	{perWarp, warpTotal(warpBankDegree),
		func(s *Stats, h *HalfWidths) (_, _ *float64) { return &s.BankDegree, &h.BankDegree }},
	{perWarp, warpTotal(warpBankLanes),
		func(s *Stats, h *HalfWidths) (_, _ *float64) { return &s.BankLanes, &h.BankLanes }},
}

func warpLevel(b *sums, s *Stats) float64 {
	return b.lastWarp.factors(b.warp[warpHighest], uint64(s.WarpSize))
}

func blockLevel(b *sums, s *Stats) float64 {
	return b.lastBlock.factors(b.blockHighest, uint64(s.BlockSize))
}

func blockDistinct(b *sums, _ *Stats) float64 { return float64(b.blockDistinct) }
func clustered(b *sums, _ *Stats) float64     { return float64(b.clustered) }

func warpTotal(statistic int) func(*sums, *Stats) float64 {
	return func(b *sums, _ *Stats) float64 { return float64(b.warp[statistic]) }
}

// warpSums are whole-number statistics of warps, added up over warps. The sum of the highest
// frequencies leaves partial warps out, whose share of threads has another denominator.
type warpSums [warpStatistics]uint64

// The statistics of one warp. A new one stands last; the vector kernel knows those before,
// in this order.
const (
	warpHighest = iota // the highest frequency of one target
	warpDistinct
	warpSectors4
	warpSectors8
	warpPasses4
	warpPasses8
	warpBankDegree
	warpBankLanes
	warpStatistics // how many there are
)

// vectorStatistics is how many of them the vector kernel counts.
const vectorStatistics = warpBankLanes + 1

// measureWarp returns the statistics of one warp, whose targets are sorted.
func measureWarp(sorted []uint32) (s warpSums) {
	s[warpHighest], s[warpDistinct] = highestFrequency(sorted)
	s[warpSectors4], s[warpPasses4] = sectorPasses(sorted, sectorBits4)
	s[warpSectors8], s[warpPasses8] = sectorPasses(sorted, sectorBits8)
	s[warpBankDegree], s[warpBankLanes] = bankConflicts(sorted)
	return s
}

// banks is the number of shared-memory banks, each one 4-byte word wide.
const banks = 32

// sectorBits4 and sectorBits8 are the logarithms of the number of targets in a
// 32-byte sector, for elements of 4 and of 8 bytes.
const (
	sectorBits4 = 3
	sectorBits8 = 2
)

// addPortable adds what the vector kernel leaves out of sorted warps.
func (s *warpSums) addPortable(sorted []uint32, warpSize int) {
	if warpStatistics == vectorStatistics {
		return
	}
	for warp := range slices.Chunk(sorted, warpSize) {
		w := measureWarp(warp)
		for i := vectorStatistics; i < warpStatistics; i++ {
			s[i] += w[i]
		}
	}
}

// sectorPasses returns the number of sectors of 2^bits targets that a warp
// touches and the sum over them of the highest frequency of one target.
func sectorPasses(sorted []uint32, bits uint) (sectors, passes uint64) {
	var count, highest uint64
	for i, key := range sorted {
		if i == 0 || key != sorted[i-1] {
			count = 0
		}
		if i == 0 || key>>bits != sorted[i-1]>>bits {
			sectors++
			passes += highest
			highest = 0
		}
		count++
		highest = max(highest, count)
	}
	return sectors, passes + highest
}

// bankConflicts returns the largest number of different targets, and the
// largest number of lanes, in one bank.
func bankConflicts(sorted []uint32) (degree, most uint64) {
	var words, lanes [banks]uint64
	for i, key := range sorted {
		bank := key % banks
		lanes[bank]++
		if i == 0 || key != sorted[i-1] {
			words[bank]++
		}
	}
	for b := range lanes {
		degree = max(degree, words[b])
		most = max(most, lanes[b])
	}
	return degree, most
}
