// Package reuse measures how the rows of an index stream are used again: how often each, how soon,
// and what a cache of so many rows would miss. It is for updates of rows, where each index stands for
// several consecutive targets; package collision has the statistics of single targets.
//
// References:
//
//	[waldspurger15] C. A. Waldspurger, N. Park, A. Garthwaite, I. Ahmad. Efficient MRC Construction
//	                with SHARDS. USENIX FAST 2015.
package reuse

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/atomtune/atomtune/internal/portable"
)

// ErrStream is wrapped by the errors of a stream that is none.
var ErrStream = errors.New("no stream of rows")

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
	at := min(Sizes-1, max(0, portable.Log2(max(1, rows))))
	i := int(at)
	if i+1 == Sizes {
		return b[i]
	}
	return b[i] + float64((b[i+1]-b[i])*(at-float64(i)))
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

// Analyze measures a stream of fewer than 2^32 indices of rows below that number. Errors wrap ErrStream.
func Analyze(indices []uint32, rows uint64) (*Stats, error) {
	if err := check(uint64(len(indices)), rows); err != nil {
		return nil, err
	}
	s := &Stats{Positions: uint64(len(indices)), Rows: rows}
	counts, err := count(indices, rows)
	if err != nil {
		return nil, err
	}
	hottest, _ := s.frequencies(counts)
	if s.Updates == 0 {
		return s, nil
	}
	s.repeats(indices, hottest)
	s.tables(indices, counts)
	curve := newCurve(s.Updates, s.Unique)
	for _, row := range indices {
		curve.take(row)
	}
	s.Misses = curve.misses()
	curve = newCurve(s.Updates, s.Unique)
	inTurns(len(indices), func(at, end int) {
		for _, row := range indices[at:end] {
			curve.take(row)
		}
	})
	s.FarMisses = curve.misses()
	return s, nil
}

// check refuses what numbers and counts of 32 bits do not hold.
func check(updates, rows uint64) error {
	switch {
	case rows == 0 || rows > Inactive:
		return fmt.Errorf("%w: %d rows, want 1 to %d", ErrStream, rows, uint32(Inactive))
	case updates > math.MaxUint32:
		return fmt.Errorf("%w: %d updates, want at most %d", ErrStream, updates, uint32(math.MaxUint32))
	}
	return nil
}

// inTurns calls take for parts of n updates in the order of FarMisses.
func inTurns(n int, take func(at, end int)) {
	length := (n + Stretches - 1) / Stretches
	for from := 0; from < length; from += Together {
		for first := 0; first+from < n; first += length {
			take(first+from, min(first+from+Together, first+length, n))
		}
	}
}

// tally counts rows: in an array where there are few, else in a map.
type tally struct {
	few  []uint32
	many map[uint32]uint32
}

// MostDense bounds the array.
const MostDense = 1 << 27

// of is how many updates a row has.
func (t *tally) of(row uint32) uint32 {
	if t.few != nil {
		return t.few[row]
	}
	return t.many[row]
}

// walk calls visit for each row that occurs.
func (t *tally) walk(visit func(row, n uint32)) {
	for row, n := range t.few {
		if n > 0 {
			visit(uint32(row), n)
		}
	}
	for row, n := range t.many {
		visit(row, n)
	}
}

func count(indices []uint32, rows uint64) (*tally, error) {
	t := &tally{}
	if rows <= MostDense {
		t.few = make([]uint32, rows)
	} else {
		t.many = map[uint32]uint32{}
	}
	for at, row := range indices {
		switch {
		case row == Inactive:
		case uint64(row) >= rows:
			return nil, fmt.Errorf("%w: index %d of update %d, there are %d rows", ErrStream, row, at, rows)
		case t.few != nil:
			t.few[row]++
		default:
			t.many[row]++
		}
	}
	return t, nil
}

// frequencies fills in what frequencies tell, and returns the most frequent row, of equal ones that
// with the lowest number.
func (s *Stats) frequencies(t *tally) (hottest uint32, most uint32) {
	all := make([]uint32, 0, 1<<10)
	offer := func(row, n uint32) {
		all = append(all, n)
		if n > most || n == most && row < hottest {
			hottest, most = row, n
		}
	}
	t.walk(offer)
	slices.SortFunc(all, func(a, b uint32) int { return cmp.Compare(b, a) })
	s.Unique, s.MaxFrequency = uint64(len(all)), uint64(most)
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
	return hottest, most
}

// repeats compares each update with those before it.
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
