package tuner

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
	numFeatures
)

// featureMask bounds the column of a flattened tree's node: vectors are as
// long as the next power of two, so that no access needs a check.
const featureMask = 31

// belowAll is the column, behind the features, of a value below every other.
const belowAll = featureMask

type vector [featureMask + 1]float64

// featureNames holds the names that model files and warnings use; log2 stands
// in front where a column is a logarithm.
var featureNames = [numFeatures]string{
	"log2_updates", "log2_bins", "warp_level", "block_level", "log2_all_level",
	"distinct_per_warp", "distinct_per_block", "clustered_fraction",
	"log2_hot_share", "log2_hot_chunk_share", "sectors_per_warp",
	"sector_passes_per_warp", "bank_degree", "bank_lanes", "element_bytes",
	"is_float", "operand_one", "returns",
}

// Features returns the names of a model's features in the order of its trees'
// columns. A name that begins with log2_ belongs to a logarithm to the base 2,
// interpolated linearly between powers of two.
func Features() []string { return append([]string(nil), featureNames[:]...) }

// fill computes the features of a stream and call. s must be valid.
func (x *vector) fill(s *collision.Stats, c device.Call) {
	perUpdate := 1 / real(s.Updates)
	chunk, sectors, passes := s.MaxChunkFrequency4, s.Sectors4, s.SectorPasses4
	if c.Type.Bytes() == 8 {
		chunk, sectors, passes = s.MaxChunkFrequency8, s.Sectors8, s.SectorPasses8
	}
	x[featureUpdates] = log2(real(s.Updates))
	x[featureBins] = log2(real(s.Bins))
	x[featureWarpLevel] = s.WarpLevel
	x[featureBlockLevel] = s.BlockLevel
	x[featureAllLevel] = log2(s.AllLevel)
	x[featureDistinct] = s.DistinctPerWarp
	x[featureBlockUnique] = s.DistinctPerBlock
	x[featureClustered] = s.ClusteredFraction
	x[featureHotShare] = log2(real(s.MaxFrequency) * perUpdate)
	x[featureHotChunk] = log2(real(chunk) * perUpdate)
	x[featureSectors] = sectors
	x[featurePasses] = passes
	x[featureBankDegree] = s.BankDegree
	x[featureBankLanes] = s.BankLanes
	x[featureBytes] = float64(c.Type.Bytes())
	x[featureFloat] = indicator(c.Type.Float())
	x[featureOne] = indicator(c.Operand == device.One)
	x[featureReturns] = indicator(c.Returns)
	x[belowAll] = math.Inf(-1)
}

// real converts a count below 2^63, more cheaply than from an unsigned number.
func real(n uint64) float64 { return float64(int64(n)) }

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// The most updates and the largest mean that statistics may hold.
const (
	maxUpdates = 1 << 62
	maxMean    = 1e19
)

// checkStats returns an error that wraps ErrStats for statistics of warps of
// another size than the device's, or of which a feature would not be a finite
// number.
func checkStats(s *collision.Stats, lanes int) error {
	switch {
	case s == nil:
		return fmt.Errorf("none given: %w", ErrStats)
	case s.WarpSize != lanes:
		return fmt.Errorf("they are of warps of %d and the device has warps of %d, analyse the stream with that size: %w",
			s.WarpSize, lanes, ErrStats)
	case s.Updates == 0 || s.Updates > maxUpdates || s.Unique == 0 || s.Unique > min(s.Bins, s.Updates) || s.Bins > 1<<32 || s.BlockSize < 1:
		return fmt.Errorf("%d updates of %d targets, %d of them different, in blocks of %d: %w",
			s.Updates, s.Bins, s.Unique, s.BlockSize, ErrStats)
	case min(s.MaxFrequency, s.MaxChunkFrequency4, s.MaxChunkFrequency8) == 0 ||
		max(s.MaxFrequency, s.MaxChunkFrequency4, s.MaxChunkFrequency8) > maxUpdates:
		return fmt.Errorf("max_frequency %d, max_chunk_frequency_4 %d, max_chunk_frequency_8 %d: want 1 to the number of updates: %w",
			s.MaxFrequency, s.MaxChunkFrequency4, s.MaxChunkFrequency8, ErrStats)
	case !(s.ClusteredFraction >= 0 && s.ClusteredFraction <= 1):
		return fmt.Errorf("clustered_fraction %v: want 0 to 1: %w", s.ClusteredFraction, ErrStats)
	}
	// No comparison holds for a NaN.
	positive := s.WarpLevel > 0 && s.BlockLevel > 0 && s.AllLevel > 0 &&
		s.DistinctPerWarp > 0 && s.DistinctPerBlock > 0 &&
		s.Sectors4 > 0 && s.Sectors8 > 0 && s.SectorPasses4 > 0 && s.SectorPasses8 > 0 &&
		s.BankDegree > 0 && s.BankLanes > 0
	sum := s.WarpLevel + s.BlockLevel + s.AllLevel + s.DistinctPerWarp + s.DistinctPerBlock +
		s.Sectors4 + s.Sectors8 + s.SectorPasses4 + s.SectorPasses8 + s.BankDegree + s.BankLanes
	if !positive || sum > maxMean {
		return fmt.Errorf("%w: means from warp_level %v, block_level %v, all_level %v on that are not finite numbers above 0 (their sum is %v)",
			ErrStats, s.WarpLevel, s.BlockLevel, s.AllLevel, sum)
	}
	return nil
}
