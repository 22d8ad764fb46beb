package model

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
)

// The features of a tree, in the order of its columns. Quantities that span
// decades enter as logarithms to the base 2, see log2.
const (
	featureUpdates     = iota // log2 of the updates
	featureBins               // log2 of the targets
	featureWarpLevel          // intra-warp collision level
	featureBlockLevel         // intra-block collision level
	featureAllLevel           // log2 of the all-thread collision level
	featureDistinct           // mean different targets of a warp
	featureBlockUnique        // mean different targets of a block
	featureClustered          // fraction of updates like their predecessor in the warp
	featureHotShare           // log2 of the most frequent target's share of the updates
	featureHotChunk           // log2 of the most frequent 256-byte chunk's share
	featureSectors            // mean 32-byte sectors of a warp, for the element size
	featurePasses             // mean sector passes of a warp, for the element size
	featureBankDegree         // mean different targets in the fullest bank
	featureBankLanes          // mean lanes in the fullest bank
	featureBytes              // bytes of an element
	featureFloat              // 1 for floating-point elements, else 0
	featureOne                // 1 where each update adds the constant 1, else 0
	featureReturns            // 1 where the old values are needed, else 0
	featureHotWarps           // log2 of the highest share of warps that hold one target
	featureHotSegments        // log2 of the most stretches of one target per warp
	// log2 of how many targets are as hot as the hottest: see collision.Stats.HotTargets
	featureHotTargets
	// log2 of the bytes of all targets, which shared memory or a cache holds or not
	featureTargetBytes
	NumStreamFeatures
)

// The columns that differ from tree to tree stand behind those of the stream.
const (
	featureClosed       = NumStreamFeatures + iota // log2 of the implementation's own closed form, us
	featureClosedUpdate                            // log2 of that per update
	NumFeatures
)

// A Vector holds the features of a stream and call, and the closed form of one
// implementation.
type Vector [NumFeatures]float64

// FeatureNames holds the names that model files and warnings use, in the order of the trees'
// columns. log2_ marks a logarithm to the base 2, interpolated linearly between powers of
// two. The last two columns belong to the tree's own implementation.
var FeatureNames = [NumFeatures]string{
	"log2_updates", "log2_bins", "warp_level", "block_level", "log2_all_level",
	"distinct_per_warp", "distinct_per_block", "clustered_fraction",
	"log2_hot_share", "log2_hot_chunk_share", "sectors_per_warp",
	"sector_passes_per_warp", "bank_degree", "bank_lanes", "element_bytes",
	"is_float", "operand_one", "returns",
	"log2_hot_warps", "log2_hot_segments", "log2_hot_targets", "log2_target_bytes",
	"log2_closed_us", "log2_closed_us_per_update",
}

// Fill computes the features of a stream and call. s must be valid.
func (x *Vector) Fill(s *collision.Stats, c device.Call) {
	perUpdate := 1 / float64(s.Updates)
	chunk, sectors, passes := s.MaxChunkFrequency4, s.Sectors4, s.SectorPasses4
	if c.Type.Bytes() == 8 {
		chunk, sectors, passes = s.MaxChunkFrequency8, s.Sectors8, s.SectorPasses8
	}
	x[featureUpdates] = log2(float64(s.Updates))
	x[featureBins] = log2(float64(s.Bins))
	x[featureWarpLevel] = s.WarpLevel
	x[featureBlockLevel] = s.BlockLevel
	x[featureAllLevel] = log2(s.AllLevel)
	x[featureDistinct] = s.DistinctPerWarp
	x[featureBlockUnique] = s.DistinctPerBlock
	x[featureClustered] = s.ClusteredFraction
	x[featureHotShare] = log2(float64(s.MaxFrequency) * perUpdate)
	x[featureHotChunk] = log2(float64(chunk) * perUpdate)
	x[featureSectors] = sectors
	x[featurePasses] = passes
	x[featureBankDegree] = s.BankDegree
	x[featureBankLanes] = s.BankLanes
	x[featureBytes] = float64(c.Type.Bytes())
	x[featureFloat] = indicator(c.Type.Float())
	x[featureOne] = indicator(c.Operand == device.One)
	x[featureReturns] = indicator(c.Returns)
	hotWarps, hotSegments := hot(s, perUpdate)
	x[featureHotWarps] = log2(hotWarps)
	x[featureHotSegments] = log2(hotSegments)
	lanes := float64(s.Updates) / math.Ceil(float64(s.Updates)/float64(s.WarpSize))
	x[featureHotTargets] = log2(min(float64(s.Unique), s.HotTargets(lanes)))
	x[featureTargetBytes] = log2(float64(s.Bins) * float64(c.Type.Bytes()))
}

// Price fills in the columns of an implementation whose closed form takes so
// many microseconds. log2 grows with its argument and +Inf gives a finite value.
func (x *Vector) Price(closedUS, perUpdate float64) {
	x[featureClosed] = log2(closedUS)
	x[featureClosedUpdate] = log2(closedUS * perUpdate)
}

// hot returns HotWarps and HotSegments. Where they are not known, the hottest target is
// taken to spread evenly over warps: as many warps as updates, and a segment for each update
// that does not repeat its predecessor.
func hot(s *collision.Stats, perUpdate float64) (warps, segments float64) {
	if s.HotWarps > 0 && s.HotSegments > 0 {
		return s.HotWarps, s.HotSegments
	}
	held := float64(s.MaxFrequency) * perUpdate * float64(s.WarpSize)
	warps = min(1, held)
	return warps, max(warps, held*(1-s.ClusteredFraction))
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// The most updates, the largest mean and the highest collision level of a warp or
// block that statistics may hold: 1, and what rounding adds to means and estimates.
const (
	MaxUpdates = 1 << 62
	maxMean    = 1e19
	mostLevel  = 1 + 1e-9
)

// checkHot reports whether HotWarps and HotSegments can be used; both are 0
// where they are not known.
func checkHot(s *collision.Stats) bool {
	if s.HotWarps == 0 && s.HotSegments == 0 {
		return true
	}
	return s.HotWarps > 0 && s.HotWarps <= 1 && s.HotSegments > 0 && !math.IsInf(s.HotSegments, 0)
}

// CheckStats returns an error that wraps ErrStats for statistics of another warp size than
// the device's, or of which a feature would not be finite.
func CheckStats(s *collision.Stats, lanes int) error {
	switch {
	case s == nil:
		return fmt.Errorf("none given: %w", ErrStats)
	case s.WarpSize != lanes:
		return fmt.Errorf("they are of warps of %d and the device has warps of %d, "+
			"analyse the stream with that size: %w",
			s.WarpSize, lanes, ErrStats)
	case s.Updates == 0 || s.Updates > MaxUpdates || s.Unique == 0 ||
		s.Unique > min(s.Bins, s.Updates) || s.Bins > 1<<32 || s.BlockSize < 1:
		return fmt.Errorf("%d updates of %d targets, %d of them different, in blocks of %d: %w",
			s.Updates, s.Bins, s.Unique, s.BlockSize, ErrStats)
	case min(s.MaxFrequency, s.MaxChunkFrequency4, s.MaxChunkFrequency8) == 0 ||
		max(s.MaxFrequency, s.MaxChunkFrequency4, s.MaxChunkFrequency8) > s.Updates:
		return fmt.Errorf("max_frequency %d, max_chunk_frequency_4 %d, max_chunk_frequency_8 %d: "+
			"want 1 to the %d updates: %w",
			s.MaxFrequency, s.MaxChunkFrequency4, s.MaxChunkFrequency8, s.Updates, ErrStats)
	case !(s.ClusteredFraction >= 0 && s.ClusteredFraction <= 1):
		return fmt.Errorf("clustered_fraction %v: want 0 to 1: %w", s.ClusteredFraction, ErrStats)
	case !checkHot(s):
		return fmt.Errorf("hot_warps %v, hot_segments %v: want shares above 0, the first at "+
			"most 1, or 0 in both where they are not known: %w",
			s.HotWarps, s.HotSegments, ErrStats)
	}
	if s.WarpLevel > mostLevel || s.BlockLevel > mostLevel {
		return fmt.Errorf("warp_level %v, block_level %v: want above 0 to 1: %w",
			s.WarpLevel, s.BlockLevel, ErrStats)
	}
	sum := 0.0
	for _, m := range [...]struct {
		name  string
		value float64
	}{
		{"warp_level", s.WarpLevel}, {"block_level", s.BlockLevel}, {"all_level", s.AllLevel},
		{"distinct_per_warp", s.DistinctPerWarp}, {"distinct_per_block", s.DistinctPerBlock},
		{"sectors_per_warp_4", s.Sectors4}, {"sectors_per_warp_8", s.Sectors8},
		{"sector_passes_per_warp_4", s.SectorPasses4},
		{"sector_passes_per_warp_8", s.SectorPasses8},
		{"bank_degree", s.BankDegree}, {"bank_lanes", s.BankLanes},
	} {
		if !(m.value > 0 && m.value <= maxMean) {
			return fmt.Errorf("%s %v: want a number above 0, at most %v: %w",
				m.name, m.value, maxMean, ErrStats)
		}
		sum += m.value
	}
	if sum > maxMean {
		return fmt.Errorf("the sum of the means from warp_level to bank_lanes is above %v: %w",
			maxMean, ErrStats)
	}
	return nil
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
