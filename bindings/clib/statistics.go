package main

// #include "api.h"
import "C"

import (
	"fmt"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/tuner"
)

// give fills in statistics of C.
func give(to *C.struct_atomtune_statistics, s *collision.Stats) {
	to.updates, to.bins, to.unique = C.uint64_t(s.Updates), C.uint64_t(s.Bins), C.uint64_t(s.Unique)
	to.warp_size, to.block_size = C.uint64_t(s.WarpSize), C.uint64_t(s.BlockSize)
	to.warp_level, to.block_level = C.double(s.WarpLevel), C.double(s.BlockLevel)
	to.all_level, to.clustered_fraction = C.double(s.AllLevel), C.double(s.ClusteredFraction)
	to.distinct_per_warp = C.double(s.DistinctPerWarp)
	to.distinct_per_block = C.double(s.DistinctPerBlock)
	to.runs, to.max_frequency = C.uint64_t(s.Runs), C.uint64_t(s.MaxFrequency)
	to.max_chunk_frequency_4 = C.uint64_t(s.MaxChunkFrequency4)
	to.max_chunk_frequency_8 = C.uint64_t(s.MaxChunkFrequency8)
	to.hot_warps, to.hot_segments = C.double(s.HotWarps), C.double(s.HotSegments)
	to.sectors_per_warp_4, to.sectors_per_warp_8 = C.double(s.SectorsPerWarp4), C.double(s.SectorsPerWarp8)
	to.sector_passes_per_warp_4 = C.double(s.SectorPassesPerWarp4)
	to.sector_passes_per_warp_8 = C.double(s.SectorPassesPerWarp8)
	to.bank_degree, to.bank_lanes = C.double(s.BankDegree), C.double(s.BankLanes)
	for i, share := range s.Cover {
		to.cover[i] = C.double(share)
	}
	for i, m := range s.Misses {
		to.misses[i] = C.struct_atomtune_misses{
			lanes_per_warp: C.double(m.LanesPerWarp), distinct_per_warp: C.double(m.DistinctPerWarp),
			highest_per_warp: C.double(m.HighestPerWarp), sectors_per_warp_4: C.double(m.SectorsPerWarp4),
			sectors_per_warp_8: C.double(m.SectorsPerWarp8), max_frequency: C.uint64_t(m.MaxFrequency)}
	}
}

// take reads statistics of C.
func take(s *C.struct_atomtune_statistics) (collision.Stats, error) {
	const most = 1 << 16 // threads of a block, beyond any device
	if s.warp_size > most || s.block_size > most {
		return collision.Stats{}, fmt.Errorf("warps of %d, blocks of %d: %w", s.warp_size, s.block_size,
			tuner.ErrStats)
	}
	to := collision.Stats{
		Updates: uint64(s.updates), Bins: uint64(s.bins), Unique: uint64(s.unique),
		WarpSize: int(s.warp_size), BlockSize: int(s.block_size),
		WarpLevel: float64(s.warp_level), BlockLevel: float64(s.block_level),
		AllLevel: float64(s.all_level), DistinctPerWarp: float64(s.distinct_per_warp),
		DistinctPerBlock: float64(s.distinct_per_block), Runs: uint64(s.runs),
		ClusteredFraction: float64(s.clustered_fraction), MaxFrequency: uint64(s.max_frequency),
		MaxChunkFrequency4: uint64(s.max_chunk_frequency_4),
		MaxChunkFrequency8: uint64(s.max_chunk_frequency_8),
		HotWarps:           float64(s.hot_warps), HotSegments: float64(s.hot_segments),
		SectorsPerWarp4: float64(s.sectors_per_warp_4), SectorsPerWarp8: float64(s.sectors_per_warp_8),
		SectorPassesPerWarp4: float64(s.sector_passes_per_warp_4),
		SectorPassesPerWarp8: float64(s.sector_passes_per_warp_8),
		BankDegree:           float64(s.bank_degree), BankLanes: float64(s.bank_lanes),
	}
	for i, share := range s.cover {
		to.Cover[i] = float64(share)
	}
	for i, m := range s.misses {
		to.Misses[i] = collision.Miss{LanesPerWarp: float64(m.lanes_per_warp),
			DistinctPerWarp: float64(m.distinct_per_warp), HighestPerWarp: float64(m.highest_per_warp),
			SectorsPerWarp4: float64(m.sectors_per_warp_4), SectorsPerWarp8: float64(m.sectors_per_warp_8),
			MaxFrequency: uint64(m.max_frequency)}
	}
	return to, nil
}
