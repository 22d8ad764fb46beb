package boundary

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision"
)

// quantity is one that moves, with the streams that it makes.
type quantity struct {
	name    Quantity
	held    string
	here    float64   // of the stream
	grid    []float64 // ascending, with here
	stats   func(value float64) (collision.Stats, error)
	between func(a, b float64) (middle float64, apart bool)
}

// The ends of the sweeps, which reach further where the stream does.
const (
	fewestUpdates = 1 << 10
	mostUpdates   = 1 << 25
	mostTargets   = 1 << 24
)

// shares are those of contention, on both sides of 0.
var shares = []float64{0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 1}

const (
	heldUpdates = "The number of updates moves. The number of targets, each target's share of the " +
		"updates, and what happens within a warp and a block stay. Of a shorter stream some targets no " +
		"longer occur, a longer one has no new ones."
	heldTargets = "The number of targets moves. The updates and their order stay. With fewer targets, " +
		"neighbours merge, as in a histogram with wider bins. With more, each target is split " +
		"evenly, and every run of equal neighbours goes to one of its parts by chance."
	heldContention = "Updates, drawn by chance, move to the most frequent target of the stream, or to " +
		"uniform ones. The number of updates, the number of targets and the other updates stay."
)

// maker makes the statistics of streams around one.
type maker struct {
	stream Stream
	keys   []uint32 // of the excerpt
	buffer []uint32 // of a stream that is made
}

func newMaker(s Stream) *maker { return &maker{stream: s, keys: s.Excerpt.Keys()} }

// measured returns the statistics of a stream that was made of the excerpt.
func (m *maker) measured(keys []uint32, bins uint64) (collision.Stats, error) {
	like := m.stream.Stats
	s, err := m.stream.Excerpt.analyze(keys, bins, like)
	if err != nil {
		return s, err
	}
	grouped := like.Grouped() && s.Grouped()
	if s.Sampled = like.Sampled; !m.stream.Excerpt.Whole() {
		bound(&s, grouped)
	}
	return s, nil
}

func (m *maker) quantities() []quantity {
	s := m.stream.Stats
	hottest := m.stream.Excerpt.hottest()
	list := []float64{0}
	for _, share := range shares {
		list = append(list, share, -share)
	}
	slices.Sort(list)
	return []quantity{
		{Updates, heldUpdates, float64(s.Updates), powers(fewestUpdates, mostUpdates, 2, s.Updates),
			func(n float64) (collision.Stats, error) {
				return ofLength(*s, m.stream.Frequencies, uint64(n)), nil
			}, middleOfCounts},
		{Targets, heldTargets, float64(s.Bins), powers(1, mostTargets, 4, s.Bins),
			func(k float64) (collision.Stats, error) {
				m.buffer = onTargets(m.buffer, m.keys, s.Bins, uint64(k))
				return m.measured(m.buffer, uint64(k))
			}, middleOfCounts},
		{Contention, heldContention, 0, list,
			func(share float64) (collision.Stats, error) {
				m.buffer = contended(m.buffer, m.keys, hottest, s.Bins, share)
				return m.measured(m.buffer, s.Bins)
			}, middleOfShares},
	}
}

// powers lists the powers of a number times the least between that and the most, with one number and
// what is needed to reach it.
func powers(least, most, of, with uint64) []float64 {
	list := []float64{float64(with)}
	for p := least; p <= max(most, with); p *= of {
		if p != with {
			list = append(list, float64(p))
		}
	}
	slices.Sort(list)
	return list
}

// near is the ratio of neighbours among which no break-even point is sought.
const near = 1.05

func middleOfCounts(a, b float64) (middle float64, apart bool) {
	low, high := min(a, b), max(a, b)
	middle = math.Round(math.Sqrt(low * high))
	return middle, high/low > near && middle > low && middle < high
}

func middleOfShares(a, b float64) (middle float64, apart bool) {
	middle = (a + b) / 2
	return middle, math.Abs(a-b) > max((near-1)*math.Abs(middle), shares[0]/2)
}
