// Package reuse measures how the rows of an index stream are used again: how often each, how soon,
// and what a cache of so many rows would miss. It is for row scatters, where each index stands for
// several consecutive targets: package collision counts them and has the statistics of single targets.
//
// References:
//
//	[waldspurger15] C. A. Waldspurger, N. Park, A. Garthwaite, I. Ahmad. Efficient MRC Construction
//	                with SHARDS. USENIX FAST 2015.
package reuse

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Inactive stands for a position of the stream without an update.
const Inactive = math.MaxUint32

// Sizes are how many powers of two, from 1 on, of rows are told apart; Distances those of the
// distance between two updates; Groups those of neighbouring rows.
const (
	Sizes     = 33
	Distances = 6
	Groups    = 8
)

// BySize holds a quantity for each number of rows 2^j.
type BySize [Sizes]float64

// At returns the quantity of any number of rows, between two powers of two in proportion to the
// logarithm.
func (b *BySize) At(rows float64) float64 {
	at := min(Sizes-1, max(0, math.Log2(max(1, rows))))
	i := int(at)
	if i+1 == Sizes {
		return b[i]
	}
	return b[i] + (b[i+1]-b[i])*(at-float64(i))
}

// ByDistance holds a quantity for each distance 2^j of two updates of the stream.
type ByDistance [Distances]float64

// ByGroup holds a number for each size 2^j of aligned groups of neighbouring rows.
type ByGroup [Groups]uint64

// Stats say how rows are used again. All but Misses and FarMisses is exact.
type Stats struct {
	Positions    uint64 `json:"positions"` // length of the stream, padding included
	Updates      uint64 `json:"updates"`
	Rows         uint64 `json:"rows"`          // that there are
	Unique       uint64 `json:"unique"`        // rows that occur
	MaxFrequency uint64 `json:"max_frequency"` // updates of the most frequent row
	// Cover is the share of the updates on the 2^j most frequent rows, 1 from all rows on.
	Cover BySize `json:"cover"`
	// Busiest are the updates of the busiest aligned 2^j neighbouring rows.
	Busiest ByGroup `json:"busiest"`
	// Repeats is the share of the updates whose row is that of the update 2^j before; HotRepeats is
	// that share of the updates of the most frequent row.
	Repeats    ByDistance `json:"repeats"`
	HotRepeats ByDistance `json:"hot_repeats"`
	// Misses is the share of the updates that find their row neither in a cache of the 2^j rows that
	// were used last, in the order of the stream, where none is there at the start. FarMisses is that
	// where Stretches stretches of the stream, of equal lengths, take turns, Together updates each, as
	// the warps of a grid do that have a stretch each.
	Misses    BySize `json:"misses"`
	FarMisses BySize `json:"far_misses"`
	// Tables are what tables of hot rows leave over, of 2, 4, ... slots.
	Tables [Tables]Table `json:"tables"`
}

// Stretches and Together are the order of FarMisses: about as many warps as a large GPU holds, and
// what one of them loads at once.
const (
	Stretches = 4096
	Together  = 16
)

// Counts are the updates of each row of a stream.
type Counts interface {
	Of(row uint32) uint64
	// Walk visits each row that occurs in ascending order.
	Walk(visit func(row uint32, n uint64))
}

// Measure measures a stream of fewer than 2^32 indices of rows below that number, of which these are the
// counts.
func Measure(indices []uint32, rows uint64, counts Counts) *Stats {
	s := &Stats{Positions: uint64(len(indices)), Rows: rows}
	hottest := s.frequencies(counts)
	if s.Updates == 0 {
		return s
	}
	s.repeats(indices, hottest)
	s.tables(indices, counts)
	curve := newCurve(s.Updates, s.Unique)
	for _, row := range indices {
		curve.take(row)
	}
	s.Misses = curve.misses()
	curve = newCurve(s.Updates, s.Unique)
	inSteps(len(indices), func(at, end int) {
		for _, row := range indices[at:end] {
			curve.take(row)
		}
	})
	s.FarMisses = curve.misses()
	return s
}

// inSteps calls take for parts of n updates in the order of FarMisses.
func inSteps(n int, take func(at, end int)) {
	length := (n + Stretches - 1) / Stretches
	for from := 0; from < length; from += Together {
		for first := 0; first+from < n; first += length {
			take(first+from, min(first+from+Together, first+length, n))
		}
	}
}

// frequencies fills in what follows from frequencies, and returns the most frequent row, of equal ones that
// with the lowest number.
func (s *Stats) frequencies(counts Counts) (hottest uint32) {
	all := make([]uint32, 0, 1<<10)
	counts.Walk(func(row uint32, n uint64) {
		all = append(all, uint32(n))
		if n > s.MaxFrequency || n == s.MaxFrequency && row < hottest {
			hottest, s.MaxFrequency = row, n
		}
	})
	slices.SortFunc(all, func(a, b uint32) int { return cmp.Compare(b, a) })
	s.Unique = uint64(len(all))
	var sums [Sizes]uint64
	for rank, n := range all {
		s.Updates += uint64(n)
		if next := rank + 1; next&(next-1) == 0 {
			sums[bits.TrailingZeros(uint(next))] = s.Updates
		}
	}
	for j := range s.Cover {
		if s.Updates > 0 && uint64(1)<<j < s.Unique {
			s.Cover[j] = float64(sums[j]) / float64(s.Updates)
		} else {
			s.Cover[j] = 1
		}
	}
	return hottest
}

func (s *Stats) repeats(indices []uint32, hottest uint32) {
	for j := range Distances {
		distance := 1 << j
		var all, hot uint64
		for at := distance; at < len(indices); at++ {
			if row := indices[at]; row == indices[at-distance] && row != Inactive {
				all++
				if row == hottest {
					hot++
				}
			}
		}
		s.Repeats[j] = float64(all) / float64(s.Updates)
		s.HotRepeats[j] = float64(hot) / float64(s.MaxFrequency)
	}
}
