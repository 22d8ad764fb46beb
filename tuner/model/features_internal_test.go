package model

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
)

// TestCheckStats: statistics that no stream has are refused, by the name of the
// field.
func TestCheckStats(t *testing.T) {
	good := ReferenceStreams[0]
	good.WarpSize, good.Updates, good.MaxChunkFrequency4, good.MaxChunkFrequency8 = 32, 10_000, 10_000, 10_000
	if err := CheckStats(&good, 32); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(s *collision.Stats){
		"max_frequency 10001":         func(s *collision.Stats) { s.MaxFrequency = 10_001 },
		"max_frequency 0":             func(s *collision.Stats) { s.MaxFrequency = 0 },
		"max_chunk_frequency_4 10001": func(s *collision.Stats) { s.MaxChunkFrequency4 = 10_001 },
		"max_chunk_frequency_8 10001": func(s *collision.Stats) { s.MaxChunkFrequency8 = 10_001 },
		"warp_level 1.01":             func(s *collision.Stats) { s.WarpLevel = 1.01 },
		"warp_level NaN":              func(s *collision.Stats) { s.WarpLevel = math.NaN() },
		"block_level 2":               func(s *collision.Stats) { s.BlockLevel = 2 },
		"block_level 0":               func(s *collision.Stats) { s.BlockLevel = 0 },
		"all_level +Inf":              func(s *collision.Stats) { s.AllLevel = math.Inf(1) },
		"distinct_per_warp -1":        func(s *collision.Stats) { s.DistinctPerWarp = -1 },
		"sectors_per_warp_8 1e+20":    func(s *collision.Stats) { s.Sectors8 = 1e20 },
		"bank_lanes NaN":              func(s *collision.Stats) { s.BankLanes = math.NaN() },
		"clustered_fraction 1.5":      func(s *collision.Stats) { s.ClusteredFraction = 1.5 },
		"hot_warps 1.5":               func(s *collision.Stats) { s.HotWarps = 1.5 },
		"the sum of the means":        func(s *collision.Stats) { s.BankLanes, s.BankDegree = 9e18, 9e18 },
	} {
		s := good
		change(&s)
		if err := CheckStats(&s, 32); !errors.Is(err, ErrStats) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
