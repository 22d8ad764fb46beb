package main

import (
	"bytes"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/atomtune/atomtune/collision"
)

// statistic is one line of the table of analyze. Half is the half-width of its
// interval if it comes from a sample.
type statistic struct {
	name, value string
	half        float64
	meaning     string
}

// printStatistics prints all statistics of a stream, and how far each can be
// trusted if they come from a sample.
func printStatistics(w *bytes.Buffer, s *collision.Stats) {
	columns := []column{{title: "statistic"}, {title: "value", right: true}}
	if s.Sampled != nil {
		columns = append(columns, column{title: "±", right: true})
	}
	t := newTable(append(columns, column{title: "meaning"})...)
	for _, line := range statistics(s) {
		row := table.Row{line.name, line.value}
		if s.Sampled != nil {
			row = append(row, halfWidth(line.half))
		}
		t.AppendRow(append(row, line.meaning))
	}
	printTable(w, t)
	if p := s.Sampled; p != nil {
		fmt.Fprintf(w, "\nsample: %s of %s blocks, seed %d, intervals of %s %%; unique is within %s to %s, max_frequency at least %s\n",
			count(p.Blocks), count(p.TotalBlocks), p.Seed, number(100*p.Confidence),
			count(p.UniqueLow), count(p.UniqueHigh), count(p.MaxFrequencyLow))
	}
}

// halfWidth leaves out what has no interval.
func halfWidth(half float64) string {
	if half == 0 {
		return ""
	}
	return number(half)
}

func statistics(s *collision.Stats) []statistic {
	var h collision.HalfWidths
	if s.Sampled != nil {
		h = s.Sampled.HalfWidth
	}
	return []statistic{
		{"updates", count(s.Updates), 0, "length of the stream"},
		{"bins", count(s.Bins), 0, "targets"},
		{"unique", count(s.Unique), 0, "targets that occur"},
		{"warp_size", count(uint64(s.WarpSize)), 0, "threads of a warp"},
		{"block_size", count(uint64(s.BlockSize)), 0, "threads of a block"},
		{"warp_level", number(s.WarpLevel), h.WarpLevel, "intra-warp collision level, of 1"},
		{"block_level", number(s.BlockLevel), h.BlockLevel, "intra-block collision level, of 1"},
		{"all_level", number(s.AllLevel), 0, "updates per target that occurs"},
		{"distinct_per_warp", number(s.DistinctPerWarp), h.DistinctPerWarp, "different targets of a warp"},
		{"distinct_per_block", number(s.DistinctPerBlock), h.DistinctPerBlock, "different targets of a block"},
		{"clustered_fraction", number(s.ClusteredFraction), h.ClusteredFraction, "updates that repeat their predecessor in the warp, of 1"},
		{"runs", count(s.Runs), h.Runs, "stretches of equal targets"},
		{"max_frequency", count(s.MaxFrequency), h.MaxFrequency, "updates of the most frequent target"},
		{"max_chunk_frequency_4", count(s.MaxChunkFrequency4), h.MaxChunkFrequency4, "updates of the most frequent 256 bytes, 4-byte targets"},
		{"max_chunk_frequency_8", count(s.MaxChunkFrequency8), h.MaxChunkFrequency8, "updates of the most frequent 256 bytes, 8-byte targets"},
		{"hot_warps", number(s.HotWarps), h.HotWarps, "highest share of warps that hold one target, of 1"},
		{"hot_segments", number(s.HotSegments), h.HotSegments, "most segments of one target per warp"},
		{"sectors_per_warp_4", number(s.Sectors4), h.Sectors4, "32-byte sectors of a warp, 4-byte targets"},
		{"sectors_per_warp_8", number(s.Sectors8), h.Sectors8, "32-byte sectors of a warp, 8-byte targets"},
		{"sector_passes_per_warp_4", number(s.SectorPasses4), h.SectorPasses4, "passes over these sectors, 4-byte targets"},
		{"sector_passes_per_warp_8", number(s.SectorPasses8), h.SectorPasses8, "passes over these sectors, 8-byte targets"},
		{"bank_degree", number(s.BankDegree), h.BankDegree, "different targets in the fullest of 32 banks"},
		{"bank_lanes", number(s.BankLanes), h.BankLanes, "lanes in the fullest of 32 banks"},
	}
}
