package model

import (
	"fmt"
	"math"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
)

// A feature is a column of the tree. Quantities that span decades enter as logarithms to the
// base 2, see log2, and their names in model files and warnings begin with log2_.
type feature struct {
	name  string
	words string // see Words
	value func(*stats, call) float64
}

type (
	stats = collision.Stats
	call  = device.Call
)

// streamFeatures are the columns of a stream and call, in their order.
var streamFeatures = [...]feature{
	{"log2_updates", "updates", func(s *stats, _ call) float64 { return log2(float64(s.Updates)) }},
	{"log2_bins", "targets", func(s *stats, _ call) float64 { return log2(float64(s.Bins)) }},
	{"warp_level", "of a warp's lanes on its most frequent target",
		func(s *stats, _ call) float64 { return s.WarpLevel }},
	{"block_level", "of a block's threads on its most frequent target",
		func(s *stats, _ call) float64 { return s.BlockLevel }},
	{"log2_all_level", "updates per target that occurs",
		func(s *stats, _ call) float64 { return log2(s.AllLevel) }},
	{"distinct_per_warp", "different targets in a warp",
		func(s *stats, _ call) float64 { return s.DistinctPerWarp }},
	{"distinct_per_block", "different targets in a block",
		func(s *stats, _ call) float64 { return s.DistinctPerBlock }},
	{"clustered_fraction", "of the updates on the target of their neighbour",
		func(s *stats, _ call) float64 { return s.ClusteredFraction }},
	{"log2_hot_share", "of the updates on the most frequent target",
		func(s *stats, _ call) float64 { return log2(perUpdate(s, s.MaxFrequency)) }},
	// of the updates, that of the most frequent 256-byte chunk
	{"log2_hot_chunk_share", "of the updates on the busiest 256 bytes", func(s *stats, c call) float64 {
		return log2(perUpdate(s, bySize(c, s.MaxChunkFrequency4, s.MaxChunkFrequency8)))
	}},
	{"sectors_per_warp", "sectors of L2 in a warp",
		func(s *stats, c call) float64 { return bySize(c, s.SectorsPerWarp4, s.SectorsPerWarp8) }},
	{"sector_passes_per_warp", "passes over sectors of L2 in a warp", func(s *stats, c call) float64 {
		return bySize(c, s.SectorPassesPerWarp4, s.SectorPassesPerWarp8)
	}},
	{"bank_degree", "different targets of a warp in its fullest bank",
		func(s *stats, _ call) float64 { return s.BankDegree }},
	{"bank_lanes", "lanes of a warp in its fullest bank",
		func(s *stats, _ call) float64 { return s.BankLanes }},
	{"element_bytes", "bytes an element", func(_ *stats, c call) float64 { return float64(c.Type.Bytes()) }},
	{"is_float", "integers|floats", func(_ *stats, c call) float64 { return indicator(c.Type.Float()) }},
	{"operand_one", "loaded values|the constant 1",
		func(_ *stats, c call) float64 { return indicator(c.Operand == device.One) }},
	{"returns", "no old values|old values returned",
		func(_ *stats, c call) float64 { return indicator(c.Returns) }},
	{"log2_hot_warps", "of the warps holding one and the same target",
		func(s *stats, _ call) float64 { return log2(hotWarps(s)) }},
	{"log2_hot_segments", "stretches of one target in a warp",
		func(s *stats, _ call) float64 { return log2(hotSegments(s)) }},
	{"log2_hot_targets", "targets as frequent as the hottest", func(s *stats, _ call) float64 {
		lanes := float64(s.Updates) / math.Ceil(float64(s.Positions())/float64(s.WarpSize))
		return log2(min(float64(s.Unique), s.HotTargets(lanes)))
	}},
	// the bytes of all targets, which shared memory or a cache holds or not
	{"log2_target_bytes", "bytes of targets", func(s *stats, c call) float64 {
		return log2(float64(s.Bins) * float64(c.Type.Bytes()))
	}},
}

// NumFeatures is the number of columns.
const NumFeatures = len(streamFeatures)

// A Vector holds the features of a stream and call.
type Vector [NumFeatures]float64

// FeatureNames holds the names of the tree's columns.
var FeatureNames = func() (names [NumFeatures]string) {
	for i, f := range streamFeatures {
		names[i] = f.name
	}
	return names
}()

// Fill computes the features of a stream and call. s must be valid.
func (x *Vector) Fill(s *collision.Stats, c device.Call) {
	for i := range streamFeatures {
		x[i] = streamFeatures[i].value(s, c)
	}
}

func perUpdate(s *stats, n uint64) float64 { return float64(n) * (1 / float64(s.Updates)) }

// bySize returns the statistic for elements of the call's size.
func bySize[T any](c call, of4, of8 T) T {
	if c.Type.Bytes() == 8 {
		return of8
	}
	return of4
}

// hotWarps returns HotWarps. Where that is not known, the hottest target is taken to spread
// evenly over warps: as many warps as updates.
func hotWarps(s *stats) float64 {
	if s.HotWarps > 0 && s.HotSegments > 0 {
		return s.HotWarps
	}
	return min(1, perUpdate(s, s.MaxFrequency)*float64(s.WarpSize))
}

// hotSegments returns HotSegments, or a segment for each update of the hottest target that does
// not repeat its predecessor.
func hotSegments(s *stats) float64 {
	if s.HotWarps > 0 && s.HotSegments > 0 {
		return s.HotSegments
	}
	held := perUpdate(s, s.MaxFrequency) * float64(s.WarpSize)
	return max(hotWarps(s), held*(1-s.ClusteredFraction))
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// CheckStats returns an error that wraps ErrStats for statistics of another warp size than
// the device's, or that no stream has.
func CheckStats(s *collision.Stats, lanes int) error {
	switch {
	case s == nil:
		return fmt.Errorf("none given: %w", ErrStats)
	case s.WarpSize != lanes:
		return fmt.Errorf("they are of warps of %d and the device has warps of %d, "+
			"analyse the stream with that size: %w", s.WarpSize, lanes, ErrStats)
	}
	return s.Check()
}

// log2 returns the logarithm to the base 2 of a positive, finite number, interpolated
// linearly between powers of two: for x = m·2^e with 1 <= m < 2
//
//	log2(x) = e + m - 1,
//
// at most 0.087 below the true one, and the same on every platform.
func log2(x float64) float64 {
	const mantissa, bias = 52, 1023
	return float64(int64(math.Float64bits(x))-bias<<mantissa) * (1.0 / (1 << mantissa))
}

// Plain returns the name of a feature and values of it without the logarithm.
func Plain(name string, value, other float64) (string, float64, float64) {
	if plain, ok := strings.CutPrefix(name, "log2_"); ok {
		return plain, exp2(value), exp2(other)
	}
	return name, value, other
}

// Words says what a feature is, with or without log2_ in its name: words that stand behind a number, "1,024
// updates"; of one that is 0 or 1, what either is, with nothing between.
func Words(name string) (words, one string) {
	for _, f := range streamFeatures {
		if f.name == name || f.name == "log2_"+name {
			words, one, _ = strings.Cut(f.words, "|")
		}
	}
	return words, one
}

// exp2 is the inverse of log2 up to rounding.
func exp2(v float64) float64 {
	e := math.Floor(v)
	return math.Ldexp(1+(v-e), int(e))
}
