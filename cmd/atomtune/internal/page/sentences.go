package page

import "github.com/atomtune/atomtune/collision"

// sentences say what statistics mean, more fully than the few words that analyze has for them.
var sentences = map[string]string{
	"updates":    "How many updates the stream has.",
	"bins":       "How many targets there are.",
	"unique":     "How many targets get an update at all.",
	"warp_size":  "How many threads a warp has.",
	"block_size": "How many threads a block has here.",
	"warp_level": "The share of a warp's lanes on its most frequent target, on average: 1 where all " +
		"lanes meet.",
	"block_level":        "The same of the threads of a block.",
	"all_level":          "How many updates a target that occurs gets on average.",
	"distinct_per_warp":  "How many different targets a warp has on average.",
	"distinct_per_block": "How many different targets a block has on average.",
	"clustered_fraction": "The share of the updates whose left neighbour in the warp has the same target.",
	"runs":               "How many stretches of equal neighbours there are.",
	"max_frequency":      "How many updates the most frequent target gets.",
	"max_chunk_frequency_4": "How many updates the busiest 256 bytes of targets get, of 4 bytes each: " +
		"they share a slice of L2.",
	"max_chunk_frequency_8": "The same of targets of 8 bytes.",
	"hot_warps": "The highest share of the warps that hold one and the same target: what is left of it " +
		"once a warp has added equal targets up.",
	"hot_segments": "How many stretches of one target a warp has on average, of the target that has most.",
	"sectors_per_warp_4": "How many 32-byte sectors of L2 a warp touches on average, of targets of 4 " +
		"bytes.",
	"sectors_per_warp_8": "The same of targets of 8 bytes.",
	"sector_passes_per_warp_4": "How many passes the atomic units need for these sectors: equal targets " +
		"take one each.",
	"sector_passes_per_warp_8": "The same of targets of 8 bytes.",
	"bank_degree": "How many different targets a warp has in the fullest of the 32 banks of shared " +
		"memory.",
	"bank_lanes": "How many lanes of a warp meet in the fullest bank.",
}

// sentence says what a statistic means.
func sentence(s collision.Statistic) string {
	if text := sentences[s.Name]; text != "" {
		return text
	}
	return capital(s.Meaning) + "."
}
