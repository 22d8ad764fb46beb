// Package collision measures how the updates of an index stream collide: within a warp, within a
// block, over all threads, per memory sector and per shared-memory bank.
//
// An index stream lists the targets of all updates in lane order: lane i of warp w performs
// update WarpSize·w + i. A block is BlockSize consecutive updates. The last warp and the last
// block may be partial; they count like every other one, with their own number of threads.
//
// # How to add a statistic
//
//  1. This package: its fields in Stats and HalfWidths (stats.go) and its row in means (means.go),
//     with its bounds and the way that collisions move it. In internal/kernel: the name of its total
//     (totals.go); what the targets of a warp show is counted in warps.go, what depends on the
//     order of lanes in laneOrder. What asks for the most
//     frequent targets uses those that frequent.go finds, as Cover and Misses do. Sampling, JSON,
//     analyze, Check and Shifted follow for every mean. What positions
//     without an update change is in padding.go. Its plain reference goes into reference_test.go.
//  2. tuner/model/features.go: its row in streamFeatures, where trees read it.
//  3. speedup: the closed form that uses it; tuner/prior.go: what is expected without a stream.
//  4. tuner/sensitivity/quantities.go, where it counts what grows with the stream.
//
// Statistics that were stored before hold 0, which means not known. "script/regenerate points" makes
// those of simulated points anew; those of the archives need a new measurement. With a new feature choices
// fall back to the closed forms until "script/regenerate models" has run.
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
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/collision/reuse"
)

// Stats are the collision statistics of one index stream. All means are arithmetic means over the
// warps (or blocks) of the stream, partial ones included with the same weight.
type Stats struct {
	Updates uint64 `json:"updates" meaning:"length of the stream"`
	// Ignored are the positions of the stream without an update, see Options.Padded: their lanes
	// count for the sizes of warps and blocks, and for nothing else.
	Ignored   uint64 `json:"ignored,omitempty"`
	Bins      uint64 `json:"bins" meaning:"targets"`
	Unique    uint64 `json:"unique" meaning:"targets that occur"`
	WarpSize  int    `json:"warp_size" meaning:"threads of a warp"`
	BlockSize int    `json:"block_size" meaning:"threads of a block"`

	// WarpLevel and BlockLevel are the intra-warp and intra-block collision levels of
	// [egielski14] section 3.3: the mean over warps (blocks) of the highest access frequency
	// of one target over the threads of the warp (block).
	WarpLevel  float64 `json:"warp_level" meaning:"intra-warp collision level, 0 to 1"`
	BlockLevel float64 `json:"block_level" meaning:"intra-block collision level, 0 to 1"`
	// AllLevel is the all-thread collision level of [egielski14] section 3.3, Updates / Unique.
	AllLevel float64 `json:"all_level" meaning:"updates per touched target"`

	DistinctPerWarp  float64 `json:"distinct_per_warp" meaning:"different targets of a warp"`
	DistinctPerBlock float64 `json:"distinct_per_block" meaning:"different targets of a block"`
	// ClusteredFraction leaves out a warp's first lane, which has no predecessor: a constant
	// stream of full warps gives 31/32.
	ClusteredFraction float64 `json:"clustered_fraction" meaning:"share of updates that repeat their predecessor in the warp"`
	// Runs is the number of maximal stretches of equal consecutive targets, warp borders ignored.
	Runs         uint64 `json:"runs" meaning:"runs of equal targets"`
	MaxFrequency uint64 `json:"max_frequency" meaning:"updates of the most frequent target"`
	// MaxChunkFrequency4 and MaxChunkFrequency8 are of aligned 256-byte chunks of the targets.
	MaxChunkFrequency4 uint64 `json:"max_chunk_frequency_4" meaning:"updates of the most frequent 256 bytes, 4-byte targets"`
	MaxChunkFrequency8 uint64 `json:"max_chunk_frequency_8" meaning:"updates of the most frequent 256 bytes, 8-byte targets"`

	// HotWarps is the highest share of warps that hold one and the same target. HotSegments is
	// the highest mean number per warp of segments of one and the same target, maximal runs of
	// equal neighbours within a warp, at least HotWarps. They are what is left of the hottest
	// target's updates once a warp has added up equal targets, and equal neighbours.
	//
	// Both are estimates also where all else is exact, unless the stream has no more than 1,024
	// blocks: see doc/results/sampling.md. Statistics made without these two fields have 0 in both.
	HotWarps    float64 `json:"hot_warps" meaning:"share of warps that contain the most widespread target"`
	HotSegments float64 `json:"hot_segments" meaning:"runs of the most segmented target per warp"`

	SectorsPerWarp4 float64 `json:"sectors_per_warp_4" meaning:"32-byte sectors of a warp, 4-byte targets"`
	SectorsPerWarp8 float64 `json:"sectors_per_warp_8" meaning:"32-byte sectors of a warp, 8-byte targets"`
	// SectorPassesPerWarp4 and SectorPassesPerWarp8 are the mean sums, over the sectors that a warp touches, of
	// the highest frequency of one target in the sector: the passes of an atomic unit that
	// serves different words of a sector together and equal ones one by one.
	SectorPassesPerWarp4 float64 `json:"sector_passes_per_warp_4" meaning:"passes over these sectors, 4-byte targets"`
	SectorPassesPerWarp8 float64 `json:"sector_passes_per_warp_8" meaning:"passes over these sectors, 8-byte targets"`

	// BankDegree is the bank conflict degree of a read, [gomezluna13] 2.1.2: the mean over warps
	// of the most different targets in one bank, target mod 32.
	BankDegree float64 `json:"bank_degree" meaning:"different targets in the fullest of 32 banks"`
	BankLanes  float64 `json:"bank_lanes" meaning:"lanes in the fullest of 32 banks"`

	// Cover is the share of the updates on the 2^j most frequent targets, j = 0 to 16. It is never 0
	// where it is known: all zeros say that Cover and Misses are not.
	Cover Cover `json:"cover,omitzero" meaning:"share of updates on the most frequent targets"`
	// Misses are what tables of the hottest targets leave over, see Miss. But for LanesPerWarp and MaxFrequency
	// they are estimates where HotWarps is.
	Misses Misses `json:"misses,omitzero" meaning:"what tables of hot targets leave over"`

	// Sampled is nil for exact statistics. Otherwise all but Updates are estimates; of a padded
	// stream Ignored and Updates are too where a Sampler reads a part alone.
	Sampled *Sampling `json:"sampled,omitempty"`
	// Rows says how targets are used again, as rows of elements: nil unless Options.Rows asks for it.
	Rows *reuse.Stats `json:"rows,omitempty"`
}

// Positions is the length of the stream with its padding.
func (s *Stats) Positions() uint64 { return s.Updates + s.Ignored }

// Grouped reports whether every target occurs in one contiguous stretch.
func (s *Stats) Grouped() bool { return s.Unique > 0 && s.Runs == s.Unique }

// HalfWidths are half-widths of confidence intervals, each in the unit of the statistic of its
// name. Those of the highest frequencies, HotWarps and HotSegments hold for the target or chunk
// that was chosen, not for the maximum, and are 0 where the sample says nothing about it.
type HalfWidths struct {
	WarpLevel            float64 `json:"warp_level"`
	BlockLevel           float64 `json:"block_level"`
	DistinctPerWarp      float64 `json:"distinct_per_warp"`
	DistinctPerBlock     float64 `json:"distinct_per_block"`
	ClusteredFraction    float64 `json:"clustered_fraction"`
	Runs                 float64 `json:"runs"`
	MaxFrequency         float64 `json:"max_frequency,omitempty"`
	MaxChunkFrequency4   float64 `json:"max_chunk_frequency_4,omitempty"`
	MaxChunkFrequency8   float64 `json:"max_chunk_frequency_8,omitempty"`
	HotWarps             float64 `json:"hot_warps,omitempty"`
	HotSegments          float64 `json:"hot_segments,omitempty"`
	SectorsPerWarp4      float64 `json:"sectors_per_warp_4"`
	SectorsPerWarp8      float64 `json:"sectors_per_warp_8"`
	SectorPassesPerWarp4 float64 `json:"sector_passes_per_warp_4"`
	SectorPassesPerWarp8 float64 `json:"sector_passes_per_warp_8"`
	BankDegree           float64 `json:"bank_degree"`
	BankLanes            float64 `json:"bank_lanes"`
	Cover                Cover   `json:"cover,omitzero"`
	// Misses hold for the tables that were chosen, and MaxFrequency for the target that was.
	Misses TablesOf[float64] `json:"misses,omitzero"`
}

// Statistic describes one number of Stats.
type Statistic struct {
	Name    string // in JSON; that of an element of an array is cover.3, misses.0.lanes_per_warp
	Meaning string // in a few words, with the unit; of an element that of its array
	Element bool   // of an array
	path    []string
}

// Statistics describes all numbers of Stats but Ignored and those of Rows and Sampled, in their order.
func Statistics() []Statistic {
	var all []Statistic
	for f := range reflect.TypeFor[Stats]().Fields() {
		if f.Name != "Sampled" && f.Name != "Ignored" && f.Name != "Rows" {
			field := Statistic{Name: jsonName(f), Meaning: f.Tag.Get("meaning"), path: []string{f.Name}}
			all = append(all, field.numbers(f.Type)...)
		}
	}
	return all
}

func (d Statistic) numbers(t reflect.Type) (all []Statistic) {
	part := func(name, step string, t reflect.Type) {
		p := Statistic{d.Name + "." + name, d.Meaning, true, append(slices.Clone(d.path), step)}
		all = append(all, p.numbers(t)...)
	}
	switch t.Kind() {
	case reflect.Array:
		for i := range t.Len() {
			part(strconv.Itoa(i), strconv.Itoa(i), t.Elem())
		}
	case reflect.Struct:
		for f := range t.Fields() {
			part(jsonName(f), f.Name, f.Type)
		}
	default:
		return []Statistic{d}
	}
	return all
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// in returns the number in a struct that has fields of Stats; it is invalid if there is none.
func (d Statistic) in(v reflect.Value) reflect.Value {
	for _, step := range d.path {
		if v.Kind() == reflect.Array {
			i, _ := strconv.Atoi(step)
			v = v.Index(i)
		} else if v = v.FieldByName(step); !v.IsValid() {
			return v
		}
	}
	return v
}

// Value returns the statistic, and the half-width of its interval, which is 0 where it has none.
func (d Statistic) Value(s *Stats) (value, half float64) {
	if s.Sampled != nil {
		if h := d.in(reflect.ValueOf(s.Sampled.HalfWidth)); h.IsValid() {
			half = h.Float()
		}
	}
	v := d.in(reflect.ValueOf(s).Elem())
	return v.Convert(reflect.TypeFor[float64]()).Float(), half
}

// Mean returns the field of a statistic that is not a whole number, else nil.
func (d Statistic) Mean(s *Stats) *float64 {
	mean, _ := d.in(reflect.ValueOf(s).Elem()).Addr().Interface().(*float64)
	return mean
}
