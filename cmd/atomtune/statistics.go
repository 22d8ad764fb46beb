package main

import (
	"bytes"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/internal/command/report"
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
	columns := []report.Column{report.Left("statistic"), report.Right("value")}
	if s.Sampled != nil {
		columns = append(columns, report.Right("±"))
	}
	t := report.NewTable(append(columns, report.Left("meaning"))...)
	for _, line := range statistics(s) {
		row := table.Row{line.name, line.value}
		if s.Sampled != nil {
			row = append(row, halfWidth(line.half))
		}
		t.AppendRow(append(row, line.meaning))
	}
	report.PrintTable(w, t)
	if p := s.Sampled; p != nil {
		fmt.Fprintf(w, "\nsample: %s of %s blocks, seed %d, intervals of %s %%; unique is within %s to %s, max_frequency at least %s\n",
			report.Count(p.Blocks), report.Count(p.TotalBlocks), p.Seed, report.Number(100*p.Confidence),
			report.Count(p.UniqueLow), report.Count(p.UniqueHigh), report.Count(p.MaxFrequencyLow))
	}
}

// halfWidth leaves out what has no interval.
func halfWidth(half float64) string {
	if half == 0 {
		return ""
	}
	return report.Number(half)
}

func statistics(s *collision.Stats) []statistic {
	var h collision.HalfWidths
	if s.Sampled != nil {
		h = s.Sampled.HalfWidth
	}
	return []statistic{
		{"updates", report.Count(s.Updates), 0, "length of the stream"},
		{"bins", report.Count(s.Bins), 0, "targets"},
		{"unique", report.Count(s.Unique), 0, "targets that occur"},
		{"warp_size", report.Count(uint64(s.WarpSize)), 0, "threads of a warp"},
		{"block_size", report.Count(uint64(s.BlockSize)), 0, "threads of a block"},
		{"warp_level", report.Number(s.WarpLevel), h.WarpLevel, "intra-warp collision level, of 1"},
		{"block_level", report.Number(s.BlockLevel), h.BlockLevel, "intra-block collision level, of 1"},
		{"all_level", report.Number(s.AllLevel), 0, "updates per target that occurs"},
		{"distinct_per_warp", report.Number(s.DistinctPerWarp), h.DistinctPerWarp, "different targets of a warp"},
		{"distinct_per_block", report.Number(s.DistinctPerBlock), h.DistinctPerBlock, "different targets of a block"},
		{"clustered_fraction", report.Number(s.ClusteredFraction), h.ClusteredFraction, "updates that repeat their predecessor in the warp, of 1"},
		{"runs", report.Count(s.Runs), h.Runs, "stretches of equal targets"},
		{"max_frequency", report.Count(s.MaxFrequency), h.MaxFrequency, "updates of the most frequent target"},
		{"max_chunk_frequency_4", report.Count(s.MaxChunkFrequency4), h.MaxChunkFrequency4, "updates of the most frequent 256 bytes, 4-byte targets"},
		{"max_chunk_frequency_8", report.Count(s.MaxChunkFrequency8), h.MaxChunkFrequency8, "updates of the most frequent 256 bytes, 8-byte targets"},
		{"hot_warps", report.Number(s.HotWarps), h.HotWarps, "highest share of warps that hold one target, of 1"},
		{"hot_segments", report.Number(s.HotSegments), h.HotSegments, "most segments of one target per warp"},
		{"sectors_per_warp_4", report.Number(s.Sectors4), h.Sectors4, "32-byte sectors of a warp, 4-byte targets"},
		{"sectors_per_warp_8", report.Number(s.Sectors8), h.Sectors8, "32-byte sectors of a warp, 8-byte targets"},
		{"sector_passes_per_warp_4", report.Number(s.SectorPasses4), h.SectorPasses4, "passes over these sectors, 4-byte targets"},
		{"sector_passes_per_warp_8", report.Number(s.SectorPasses8), h.SectorPasses8, "passes over these sectors, 8-byte targets"},
		{"bank_degree", report.Number(s.BankDegree), h.BankDegree, "different targets in the fullest of 32 banks"},
		{"bank_lanes", report.Number(s.BankLanes), h.BankLanes, "lanes in the fullest of 32 banks"},
	}
}
