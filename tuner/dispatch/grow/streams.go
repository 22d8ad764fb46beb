package grow

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// DefaultSweep is the sweep of the embedded trees.
func DefaultSweep() model.Sweep {
	return model.Sweep{Points: 15840, Seed: 1, MinUpdates: 1 << 12, MaxUpdates: 1 << 22,
		MaxBins: 1 << 25, Line: 8}
}

// A long stream is a short one several times over, since thousands of streams of up to 2^26 updates
// would take too long. Repeats are powers of two up to mostRepeats, as far as mostUpdates reaches.
const (
	mostUpdates = 1 << 26
	mostRepeats = 1 << 6
	blockSize   = 256 // of the statistics: repetitions begin with a block
)

// The kinds of streams that programs have all the time. Each comes with each number of updates and targets
// of plainSizes.
var plainKinds = []source{
	{"uniform", []synth.Spec{{Family: "uniform"}}, plainWeight},
	{"sorted", []synth.Spec{{Family: "sorted"}}, plainWeight},
	{"constant", []synth.Spec{{Family: "constant"}}, plainWeight},
	{"hotspot", []synth.Spec{{Family: "hotspot", Params: map[string]float64{"h": 1, "p": 0.5, "shuffle": 1}}}, plainWeight},
	{"phases", []synth.Spec{{Family: "constant"}, {Family: "uniform"}}, plainWeight},
}

// plainWeight is how much a plain stream counts beside another: there are few, and everybody has them.
const plainWeight = 4

// plainSizes are powers of four in the range of a sweep, and one above its updates: a long stream has more targets
// than a short one repeated.
func plainSizes(s model.Sweep) (updates, bins []uint64) {
	s = s.Normal()
	for n := max(2*blockSize, s.MinUpdates); n <= 4*s.MaxUpdates; n *= 4 {
		updates = append(updates, n)
	}
	for k := uint64(1); k <= s.MaxBins; k *= 4 {
		bins = append(bins, k)
	}
	return updates, bins
}

// plain returns one of the plain streams of a sweep.
func plain(s model.Sweep, number int) (source, error) {
	updates, bins := plainSizes(s)
	if all := len(updates) * len(bins) * len(plainKinds); number >= all {
		return source{}, fmt.Errorf("point %d of %d", s.Points+number, s.Points+all)
	}
	kind := plainKinds[number%len(plainKinds)]
	place := number / len(plainKinds)
	kind.parts = slices.Clone(kind.parts)
	for i := range kind.parts {
		part := &kind.parts[i]
		part.N, part.Seed = int(updates[place/len(bins)])/len(kind.parts), uint64(number+i)
		part.K = uint32(bins[place%len(bins)])
	}
	return kind, nil
}

// A source is what a stream is generated from: one part after the other, of as many targets.
type source struct {
	family string
	parts  []synth.Spec
	weight int // rows of a stream count so often
}

// A Stream is one training point: what the device sees of it and what is true of it. It does not
// depend on the device.
type Stream struct {
	Point   int             `json:"point"` // of the sweep
	Stats   collision.Stats `json:"stats"`
	Joined  bool            `json:"joined"`  // it begins and ends with one target
	Samples []Sample        `json:"samples"` // of the stream once, twice, four times, and so on
	// Moving has the sums over stretches of how often each has its most frequent chunk of 4-byte and of 8-byte
	// targets: updates that are under way together meet there, even if others have that place later. 0 where the
	// stream is one stretch.
	Moving [2]uint64 `json:"moving"`

	family string
	weight int
}

// Sample holds the features that do not depend on the call, sectors for both element sizes.
type Sample struct {
	Features        dispatch.Features `json:"features"` // of 4-byte elements
	SectorsPerWarp8 uint32            `json:"sectors_8"`
	Found           []float64         `json:"found"` // shares of the updates that tables of tableSlots have
}

// Of returns the features of a call.
func (s *Sample) Of(c device.Call, bins uint64) dispatch.Features {
	f := s.Features
	known := dispatch.Known(c, uint64(f[dispatch.Updates]), bins)
	copy(f[:dispatch.NumKnown], known[:])
	if c.Type.Bytes() == 8 {
		f[dispatch.Sectors] = s.SectorsPerWarp8
	}
	return f
}

// Points is the number of streams that Collect makes: those of the sweep and the plain ones.
func Points(s model.Sweep) int {
	updates, bins := plainSizes(s)
	return s.Points + len(updates)*len(bins)*len(plainKinds)
}

// sourceOf returns what the stream of a number is generated from. Points of a parameter sweep are evenly
// spaced.
func sourceOf(s model.Sweep, number int) (source, error) {
	if number >= s.Points {
		return plain(s, number-s.Points)
	}
	first, end := s.PointsOf(s.LineOf(number))
	at := float64(number-first) / float64(max(1, end-first-1))
	p, err := training.PointOf(s, training.Row{Point: number, At: at})
	p.Stream.N = max(blockSize, p.Stream.N-p.Stream.N%blockSize)
	return source{p.Stream.Family, []synth.Spec{p.Stream}, 1}, err
}

func (s *source) updates() (n int) {
	for _, part := range s.parts {
		n += part.N
	}
	return n
}

func (s *source) generate() (index []uint32, err error) {
	for _, part := range s.parts {
		more, err := synth.Generate(part)
		if err != nil {
			return nil, err
		}
		index = append(index, more...)
	}
	return index, nil
}

// lengths is the number of lengths that a stream of n updates is given.
func lengths(n int) int { return bits.Len(uint(min(mostRepeats, max(1, mostUpdates/n)))) }

// Collect makes the streams of a sweep, by number, on so many goroutines, 0 meaning GOMAXPROCS. The checkpoint at
// path keeps finished ones; without a path nothing does. The first error ends it: the context's, or
// one that wraps ErrStreams or model.ErrSweep. told is called as by training.Gather.
func Collect(ctx context.Context, sweep model.Sweep, path string, workers int, told func(done int)) ([]Stream, error) {
	if err := sweep.Validate(); err != nil {
		return nil, err
	}
	head := header{journalFormat, checkpointVersion, sweep.Normal()}
	list, err := training.Gather(ctx, &checkpoints, path, head, workers, func(had []Stream) (_ []Stream,
		todo []training.Work[Stream], _ error) {
		done := make([]bool, Points(sweep))
		for _, s := range had {
			done[s.Point] = true
		}
		for number, there := range done {
			if !there {
				todo = append(todo, func() ([]Stream, error) { return makeStream(sweep, number) })
			}
		}
		return nil, todo, nil
	}, told)
	slices.SortFunc(list, func(a, b Stream) int { return cmp.Compare(a.Point, b.Point) })
	return list, err
}

// makeStream generates a stream and measures it. The error names it.
func makeStream(sweep model.Sweep, number int) (list []Stream, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("point %d: %w", number, err)
		}
	}()
	from, err := sourceOf(sweep, number)
	if err != nil {
		return nil, err
	}
	bins := uint64(from.parts[0].K)
	index, err := from.generate()
	if err != nil {
		return nil, err
	}
	stats, err := collision.Analyze(index, collision.Options{WarpSize: dispatch.WarpLanes,
		BlockSize: blockSize, Bins: bins, Workers: 1})
	if err != nil {
		return nil, err
	}
	n := uint64(len(index))
	s := Stream{Point: number, Stats: training.Rounded(stats), Joined: index[0] == index[n-1],
		family: from.family, weight: from.weight}
	if n > stretch {
		for i, group := range []uint32{chunkBytes / 4, chunkBytes / 8} {
			s.Moving[i] = moving(index, bins, group)
		}
	}
	for k := range lengths(len(index)) {
		at := func(i uint64) uint32 { return index[i%n] }
		sample := func(t device.Type) dispatch.Features {
			return dispatch.SampleFrom(n<<k, at, device.Call{Type: t}, bins)
		}
		one := Sample{Features: sample(device.U32), SectorsPerWarp8: sample(device.U64)[dispatch.Sectors]}
		for _, slots := range tableSlots {
			one.Found = append(one.Found, found(dispatch.Tags(n<<k, at, slots), index))
		}
		s.Samples = append(s.Samples, one)
	}
	return []Stream{s}, nil
}

// A stretch is about what a launch of one block of 1,024 threads on each of 132 multiprocessors has under way.
const (
	stretch    = 1 << 19
	chunkBytes = 256
)

// moving is the sum over stretches of how often a stretch has its most frequent group of so many targets.
func moving(index []uint32, bins uint64, group uint32) (sum uint64) {
	times := make([]uint32, bins/uint64(group)+1)
	for part := range slices.Chunk(index, stretch) {
		most := uint32(0)
		for _, target := range part {
			at := target / group
			times[at]++
			most = max(most, times[at])
		}
		for _, target := range part {
			times[target/group] = 0
		}
		sum += uint64(most)
	}
	return sum
}

// found is the share of the updates that a table has, to four digits.
func found(tags []uint32, index []uint32) float64 {
	hits := 0
	for _, target := range index {
		if tags[impl.Slot(target, len(tags))] == target {
			hits++
		}
	}
	return math.Round(1e4*float64(hits)/float64(len(index))) / 1e4
}

// repeated returns the statistics of a stream of whole blocks that stands so many times behind itself: exact but for
// the most frequent chunk, which is what updates meet that are under way together.
func (stream *Stream) repeated(times uint64) collision.Stats {
	s := stream.Stats
	s.MaxChunkFrequency4 = max(s.MaxChunkFrequency4, stream.Moving[0])
	s.MaxChunkFrequency8 = max(s.MaxChunkFrequency8, stream.Moving[1])
	s.Updates *= times
	s.AllLevel *= float64(times)
	s.Runs *= times
	if stream.Joined {
		s.Runs -= times - 1
	}
	s.MaxFrequency *= times
	s.MaxChunkFrequency4 *= times
	s.MaxChunkFrequency8 *= times
	for i := range s.Misses {
		s.Misses[i].MaxFrequency *= times
	}
	return s
}
