package model

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
)

// A feature is a column of the trees. Quantities that span decades enter as logarithms to the
// base 2, see log2, and their names in model files and warnings begin with log2_.
type feature struct {
	name  string
	value func(*stats, call) float64
}

type (
	stats = collision.Stats
	call  = device.Call
)

// streamFeatures are the columns of a stream and call, in their order.
var streamFeatures = [...]feature{
	{"log2_updates", func(s *stats, _ call) float64 { return log2(float64(s.Updates)) }},
	{"log2_bins", func(s *stats, _ call) float64 { return log2(float64(s.Bins)) }},
	{"warp_level", func(s *stats, _ call) float64 { return s.WarpLevel }},
	{"block_level", func(s *stats, _ call) float64 { return s.BlockLevel }},
	{"log2_all_level", func(s *stats, _ call) float64 { return log2(s.AllLevel) }},
	{"distinct_per_warp", func(s *stats, _ call) float64 { return s.DistinctPerWarp }},
	{"distinct_per_block", func(s *stats, _ call) float64 { return s.DistinctPerBlock }},
	{"clustered_fraction", func(s *stats, _ call) float64 { return s.ClusteredFraction }},
	{"log2_hot_share", func(s *stats, _ call) float64 { return log2(perUpdate(s, s.MaxFrequency)) }},
	// of the updates, that of the most frequent 256-byte chunk
	{"log2_hot_chunk_share", func(s *stats, c call) float64 {
		return log2(perUpdate(s, bySize(c, s.MaxChunkFrequency4, s.MaxChunkFrequency8)))
	}},
	{"sectors_per_warp", func(s *stats, c call) float64 { return bySize(c, s.Sectors4, s.Sectors8) }},
	{"sector_passes_per_warp", func(s *stats, c call) float64 {
		return bySize(c, s.SectorPasses4, s.SectorPasses8)
	}},
	{"bank_degree", func(s *stats, _ call) float64 { return s.BankDegree }},
	{"bank_lanes", func(s *stats, _ call) float64 { return s.BankLanes }},
	{"element_bytes", func(_ *stats, c call) float64 { return float64(c.Type.Bytes()) }},
	{"is_float", func(_ *stats, c call) float64 { return indicator(c.Type.Float()) }},
	{"operand_one", func(_ *stats, c call) float64 { return indicator(c.Operand == device.One) }},
	{"returns", func(_ *stats, c call) float64 { return indicator(c.Returns) }},
	{"log2_hot_warps", func(s *stats, _ call) float64 { return log2(hotWarps(s)) }},
	{"log2_hot_segments", func(s *stats, _ call) float64 { return log2(hotSegments(s)) }},
	{"log2_hot_targets", func(s *stats, _ call) float64 {
		lanes := float64(s.Updates) / math.Ceil(float64(s.Positions())/float64(s.WarpSize))
		return log2(min(float64(s.Unique), s.HotTargets(lanes)))
	}},
	// the bytes of all targets, which shared memory or a cache holds or not
	{"log2_target_bytes", func(s *stats, c call) float64 {
		return log2(float64(s.Bins) * float64(c.Type.Bytes()))
	}},
}

// NumStreamFeatures is the number of columns of a stream and call. Two that differ from tree to
// tree stand behind them: the implementation's own closed form, and that per update.
const (
	NumStreamFeatures = len(streamFeatures)
	NumFeatures       = NumStreamFeatures + 2
)

// A Vector holds the features of a stream and call, and the closed form of one implementation.
type Vector [NumFeatures]float64

// FeatureNames holds the names of the trees' columns.
var FeatureNames = func() (names [NumFeatures]string) {
	for i, f := range streamFeatures {
		names[i] = f.name
	}
	copy(names[NumStreamFeatures:], []string{"log2_closed_us", "log2_closed_us_per_update"})
	return names
}()

// Fill computes the features of a stream and call. s must be valid.
func (x *Vector) Fill(s *collision.Stats, c device.Call) {
	for i := range streamFeatures {
		x[i] = streamFeatures[i].value(s, c)
	}
}

// Price fills in the columns of an implementation whose closed form takes so
// many microseconds. log2 grows with its argument and +Inf gives a finite value.
func (x *Vector) Price(closedUS, perUpdate float64) {
	x[NumStreamFeatures] = log2(closedUS)
	x[NumStreamFeatures+1] = log2(closedUS * perUpdate)
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

// Exp2 is the inverse of log2 up to rounding.
func Exp2(v float64) float64 {
	e := math.Floor(v)
	return math.Ldexp(1+(v-e), int(e))
}
