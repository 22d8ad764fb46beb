package collision

import (
	"fmt"

	"github.com/atomtune/atomtune/internal/strictjson"
)

// Cover is the share of the updates on the 2^j most frequent targets, for each j.
type Cover [17]float64

// Tables is the number of the tables of hot targets that Misses is of.
const Tables = 6

// TableSlots returns how many slots the table of a number has: 16, 64 and so on to 16,384.
func TableSlots(table int) int { return 1 << (smallestBits + moreBits*table) }

// Miss says what a direct-mapped table of hot targets leaves over. Each of its S slots holds the
// most frequent of the targets that belong there, of equal ones the lowest; the slot of a target
// is
//
//	(target · 2654435761 mod 2^32) >> (32 - log2 S)
//
// An update misses where its slot holds another target. All but MaxFrequency are means over the warps
// of the stream, of the updates of a warp that miss.
type Miss = MissOf[uint64]

// Misses are those of tables of TableSlots slots.
type Misses = TablesOf[uint64]

// MissOf is a Miss, or the half-widths of one.
type MissOf[N uint64 | float64] struct {
	LanesPerWarp    float64 `json:"lanes_per_warp"`    // updates
	DistinctPerWarp float64 `json:"distinct_per_warp"` // different targets
	// HighestPerWarp is the highest frequency of one target in a warp; it is 0 in one where nothing misses.
	HighestPerWarp  float64 `json:"highest_per_warp"`
	SectorsPerWarp4 float64 `json:"sectors_per_warp_4"` // 32-byte sectors, 4-byte targets
	SectorsPerWarp8 float64 `json:"sectors_per_warp_8"` // 32-byte sectors, 8-byte targets
	// MaxFrequency is how many updates the most frequent target that misses has in the stream.
	MaxFrequency N `json:"max_frequency"`
}

// TablesOf has a MissOf for each table.
type TablesOf[N uint64 | float64] [Tables]MissOf[N]

// HotKnown reports whether Cover and Misses are known.
func (s *Stats) HotKnown() bool { return s.Cover[0] > 0 }

// UnmarshalJSON refuses arrays of another length, which encoding/json does not.
func (c *Cover) UnmarshalJSON(data []byte) error { return decodeArray(data, c[:]) }

// UnmarshalJSON refuses arrays of another length, and unknown keys.
func (m *TablesOf[N]) UnmarshalJSON(data []byte) error { return decodeArray(data, m[:]) }

func decodeArray[T any](data []byte, into []T) error {
	var all []T
	if err := strictjson.Decode(data, &all); err != nil {
		return err
	}
	if copy(into, all); len(all) != len(into) {
		return fmt.Errorf("an array of %d, want %d: %w", len(all), len(into), ErrStats)
	}
	return nil
}
