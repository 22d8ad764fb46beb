// Package collision measures how the updates of an index stream collide:
// within a warp, within a block, over all threads, per memory sector and per
// shared-memory bank.
//
// An index stream lists the targets of all updates in lane order: lane i of
// warp w performs update WarpSize·w + i. A block is BlockSize consecutive
// updates. The last warp and the last block may be partial; they count like
// every other one, with their own number of threads.
//
// References:
//
//	[egielski14]  I. Egielski, J. Huang, E. Z. Zhang. Massive Atomics for
//	              Massive Parallelism on GPUs. ISMM 2014.
//	[gomezluna13] J. Gómez-Luna, J. M. González-Linares, J. I. Benavides,
//	              N. Guil. Performance Modeling of Atomic Additions on GPU
//	              Scratchpad Memory. IEEE TPDS 24(11), 2013.
package collision

// Stats are the collision statistics of one index stream. All means are
// arithmetic means over the warps (or blocks) of the stream, partial ones
// included with the same weight.
type Stats struct {
	Updates   uint64 `json:"updates"`    // length of the stream
	Bins      uint64 `json:"bins"`       // K: number of targets
	Unique    uint64 `json:"unique"`     // targets that occur at least once
	WarpSize  int    `json:"warp_size"`  // threads per warp
	BlockSize int    `json:"block_size"` // threads per block

	// WarpLevel and BlockLevel are the intra-warp and intra-block collision
	// levels of [egielski14] section 3.3: the mean over warps (blocks) of the
	// highest access frequency of one target in the warp (block) over the
	// number of threads of that warp (block). Both lie in (0, 1].
	WarpLevel  float64 `json:"warp_level"`
	BlockLevel float64 `json:"block_level"`
	// AllLevel is the all-thread collision level of [egielski14] section 3.3:
	// the mean access frequency over unique targets, Updates / Unique.
	AllLevel float64 `json:"all_level"`

	// DistinctPerWarp and DistinctPerBlock are the mean numbers of different
	// targets in a warp and in a block.
	DistinctPerWarp  float64 `json:"distinct_per_warp"`
	DistinctPerBlock float64 `json:"distinct_per_block"`
	// ClusteredFraction is the number of updates whose predecessor in the
	// same warp has the same target, over Updates. A warp's first lane has no
	// predecessor, so a constant stream of full warps gives 31/32.
	ClusteredFraction float64 `json:"clustered_fraction"`
	// Runs is the number of maximal stretches of equal consecutive targets
	// over the whole stream, warp borders ignored. The stream is grouped
	// (each target in one stretch) exactly if Runs == Unique.
	Runs uint64 `json:"runs"`
	// MaxFrequency is the number of updates of the most frequent target.
	MaxFrequency uint64 `json:"max_frequency"`
	// MaxChunkFrequency4 and MaxChunkFrequency8 are the numbers of updates
	// of the most frequent aligned 256-byte chunk of the target array, for
	// elements of 4 and of 8 bytes.
	MaxChunkFrequency4 uint64 `json:"max_chunk_frequency_4"`
	MaxChunkFrequency8 uint64 `json:"max_chunk_frequency_8"`

	// HotWarps is the highest share of warps that hold one and the same target,
	// in (0, 1]. HotSegments is the highest mean number per warp of segments of
	// one and the same target, maximal runs of equal neighbours within a warp,
	// at least HotWarps. They are what is left of the hottest target's updates
	// once a warp has added up equal targets, and equal neighbours.
	//
	// Both are estimates also where all else is exact, unless the stream has no
	// more than 1,024 blocks (or 1,048,576 updates in 16 blocks or more, where
	// blocks are longer). Of so many blocks, drawn at random with Options.Seed, a
	// quarter chooses the targets with the most warps and with the most segments;
	// the most frequent target of the stream joins them. What each has in the
	// stream is known for the quarter and estimated from the rest of the sample
	// by regression on its updates, whose total is known; the highest estimate
	// counts. With m blocks in the rest, s the standard deviation between blocks
	// of the target's warps (segments) and r its correlation with the target's
	// updates, the standard error is at most
	//
	//	(blocks / warps) · s · √(1 - r²) / √m
	//
	// and, where the warps that hold the target are spread over the stream like
	// draws of a lottery, a relative error of √((1 - HotWarps) / (HotWarps · w)),
	// with w the warps of these m blocks. A target that is hot in few blocks can
	// be missed; of targets that are all rare, any may be chosen. MaxFrequency
	// bounds both: HotWarps lies within MaxFrequency / warps and that over
	// WarpSize. Statistics made without these two fields have 0 in both.
	HotWarps    float64 `json:"hot_warps"`
	HotSegments float64 `json:"hot_segments"`

	// Sectors4 and Sectors8 are the mean numbers of aligned 32-byte sectors
	// that a warp touches, for elements of 4 and of 8 bytes.
	Sectors4 float64 `json:"sectors_per_warp_4"`
	Sectors8 float64 `json:"sectors_per_warp_8"`
	// SectorPasses4 and SectorPasses8 are the means over warps of the sum,
	// over the sectors that the warp touches, of the highest frequency of one
	// target in that sector: the passes an atomic unit needs that serves
	// different words of a sector together and equal ones one by one.
	SectorPasses4 float64 `json:"sector_passes_per_warp_4"`
	SectorPasses8 float64 `json:"sector_passes_per_warp_8"`

	// BankDegree is the mean over warps of the largest number of different
	// targets in one of 32 shared-memory banks (bank = target mod 32, words
	// of 4 bytes): the bank conflict degree of a read, [gomezluna13] 2.1.2.
	BankDegree float64 `json:"bank_degree"`
	// BankLanes is the mean over warps of the largest number of lanes in one
	// bank, equal targets counted.
	BankLanes float64 `json:"bank_lanes"`

	// Sampled is nil for exact statistics. Otherwise every statistic but
	// Updates is an estimate, and Sampled says how good.
	Sampled *Sampling `json:"sampled,omitempty"`
}

// Grouped reports whether every target occurs in one contiguous stretch.
func (s *Stats) Grouped() bool { return s.Unique > 0 && s.Runs == s.Unique }
