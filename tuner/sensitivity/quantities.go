package sensitivity

import (
	"math"
	"math/bits"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/internal/splitmix"
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
	heldUpdates = "Varies the number of updates. The number of targets, each target's share of the updates, and " +
		"the conflicts within a warp and a block stay the same. In a shorter stream some targets no longer " +
		"occur; a longer one has no new ones."
	heldTargets = "Varies the number of targets. The updates and their order stay the same. With fewer targets, " +
		"neighbours merge, as in a histogram with wider bins. With more, each target is split evenly, and every " +
		"run of equal neighbours goes to a random part."
	heldContention = "Moves random updates to the most frequent target of the stream, or to uniform targets. " +
		"The number of updates, the number of targets and the other updates stay the same."
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
	list := append([]float64{0}, shares...)
	for _, share := range shares {
		list = append(list, -share)
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

// onTargets writes the updates of a stream of so many targets on another number of them.
func onTargets(into, indices []uint32, from, to uint64) []uint32 {
	into, ratio := into[:0], float64(to)/float64(from)
	r, random := 0.0, splitmix.New(to)
	for i, t := range indices {
		if to > from && (i == 0 || t != indices[i-1]) {
			r = random.Float64()
		}
		at := math.Floor((float64(t) + r) * ratio)
		into = append(into, uint32(min(at, float64(to-1))))
	}
	return into
}

// contended writes the updates of which a share goes to one target, or with a negative share to
// uniform ones of so many.
func contended(into, indices []uint32, hottest uint32, targets uint64, share float64) []uint32 {
	into = into[:0]
	random := splitmix.New(targets)
	for _, t := range indices {
		moved, any := random.Float64() < math.Abs(share), random.Below(targets)
		switch {
		case moved && share > 0:
			t = hottest
		case moved:
			t = uint32(any)
		}
		into = append(into, t)
	}
	return into
}

// bound brings counts that were scaled to what a stream of so many updates can have.
func bound(s *collision.Stats, grouped bool) {
	within := func(n *uint64, least, most uint64) { *n = max(least, min(*n, most)) }
	within(&s.Unique, 1, min(s.Bins, s.Updates))
	s.AllLevel = float64(s.Updates) / float64(s.Unique)
	within(&s.MaxFrequency, uint64(math.Ceil(s.AllLevel)), s.Updates-s.Unique+1)
	within(&s.MaxChunkFrequency8, s.MaxFrequency, s.Updates)
	within(&s.MaxChunkFrequency4, s.MaxChunkFrequency8, s.Updates)
	within(&s.Runs, s.Unique, s.Updates)
	switch {
	case grouped:
		s.Runs = s.Unique
	case s.Grouped() && s.Unique < s.Updates:
		s.Runs++
	}
	if s.HotKnown() {
		boundHot(s)
	}
}

// boundHot makes Cover and Misses agree with the counts.
func boundHot(s *collision.Stats) {
	least := float64(s.MaxFrequency) / float64(s.Updates)
	if s.Cover[0] = least; s.Unique == 1 {
		least = 1
	}
	for j := range s.Cover {
		s.Cover[j] = min(1, max(s.Cover[j], least))
		least = s.Cover[j]
	}
	warps := math.Ceil(float64(s.Updates) / float64(s.WarpSize))
	all := float64(s.Updates) / warps
	lanes, frequency := all, s.MaxFrequency
	for i := range s.Misses {
		m := &s.Misses[i]
		if m.LanesPerWarp == 0 {
			continue
		}
		covered := s.Cover[bits.Len(uint(collision.TableSlots(i)))-1]
		m.LanesPerWarp = min(max(m.LanesPerWarp, all*(1-covered)), lanes)
		m.DistinctPerWarp, m.HighestPerWarp = min(m.DistinctPerWarp, m.LanesPerWarp), min(m.HighestPerWarp, m.LanesPerWarp)
		m.SectorsPerWarp8 = min(m.SectorsPerWarp8, m.DistinctPerWarp)
		m.SectorsPerWarp4 = min(m.SectorsPerWarp4, m.SectorsPerWarp8)
		m.MaxFrequency = max(1, min(m.MaxFrequency, frequency))
		lanes, frequency = m.LanesPerWarp, m.MaxFrequency
	}
}

// ofLength returns the statistics of a stream that is longer or shorter and else the same.
func ofLength(s collision.Stats, frequencies []collision.Frequency, updates uint64) collision.Stats {
	share, grouped := float64(updates)/float64(s.Updates), s.Grouped()
	s.Unique = uint64(math.Round(occurring(&s, frequencies, share)))
	s.Updates = updates
	counts := []*uint64{&s.Runs, &s.MaxFrequency, &s.MaxChunkFrequency8, &s.MaxChunkFrequency4}
	for i := range s.Misses {
		counts = append(counts, &s.Misses[i].MaxFrequency)
	}
	for _, n := range counts {
		*n = uint64(math.Round(float64(*n) * share))
	}
	bound(&s, grouped)
	return s
}

// occurring returns how many targets are expected in a share of the stream. Where frequencies are
// not known, each target has their mean.
func occurring(s *collision.Stats, frequencies []collision.Frequency, share float64) (sum float64) {
	if share >= 1 {
		return float64(s.Unique)
	}
	chance := func(updates float64) float64 { return -math.Expm1(updates * math.Log1p(-share)) }
	if frequencies == nil {
		return float64(s.Unique) * chance(s.AllLevel)
	}
	for _, f := range frequencies {
		sum += float64(f.Targets) * chance(float64(f.Updates))
	}
	return sum
}
