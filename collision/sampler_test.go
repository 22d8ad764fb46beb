package collision

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func sampler(t testing.TB, opt Options) *Sampler {
	t.Helper()
	p, err := NewSampler(opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSampleOfEverything: a sample that holds every block is exact, that of an accumulator and that of a
// sampler, whatever was measured before, and the stream stays as it is.
func TestSampleOfEverything(t *testing.T) {
	p := sampler(t, Options{})
	for dist := range streams {
		for _, n := range []int{1, 255, 256, 30 * 256, 30*256 + 45} {
			keys := draw(dist, 5, n, 5000)
			kept := slices.Clone(keys)
			exact, want := analyze(t, keys, Options{Bins: 5000}), analyze(t, keys, Options{Sample: 64, Bins: 5000})
			got, err := p.Measure(keys, 5000, 64)
			if err != nil || !slices.Equal(keys, kept) {
				t.Fatalf("the stream is as it was: %t, %v", slices.Equal(keys, kept), err)
			}
			if diff := cmp.Diff(want, got, near, cmpopts.IgnoreFields(Sampling{}, "HalfWidth")); diff != "" {
				t.Errorf("dist=%s n=%d:\n%s", streams[dist].name, n, diff)
			}
			if diff := cmp.Diff(exact, want, near, cmpopts.IgnoreFields(Stats{}, "Sampled")); diff != "" {
				t.Errorf("dist=%s n=%d:\n%s", streams[dist].name, n, diff)
			}
			blocks := uint64(n) / 256
			sampled := &Sampling{
				Blocks: blocks, TotalBlocks: blocks, Warps: (uint64(n) + 31) / 32, Updates: exact.Updates,
				Confidence: 0.95, UniqueLow: exact.Unique, UniqueHigh: exact.Unique,
				MaxFrequencyLow: exact.MaxFrequency, MaxChunkFrequency4Low: exact.MaxChunkFrequency4,
				MaxChunkFrequency8Low: exact.MaxChunkFrequency8,
			}
			if diff := cmp.Diff(sampled, want.Sampled); blocks > 1 && diff != "" {
				t.Errorf("dist=%s n=%d:\n%s", streams[dist].name, n, diff)
			}
		}
	}
}

// TestSamplerAsAccumulator: the statistics are those that an accumulator makes
// of a sample with the same blocks, whatever the sizes and the processor.
func TestSamplerAsAccumulator(t *testing.T) {
	for _, opt := range []Options{{Seed: 3}, {WarpSize: 64, BlockSize: 256},
		{WarpSize: 5, BlockSize: 20}, {BlockSize: 1024}} {
		p := sampler(t, opt)
		for dist := range streams {
			for _, blocks := range []int{4, 17, 64} {
				keys := draw(dist, 7, 300*256+77, 1<<(4*blocks%23))
				got, err := p.Measure(keys, 1<<24, blocks)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(accumulated(t, p, keys), got, near); diff != "" {
					t.Errorf("dist=%s blocks=%d %+v (-accumulator +sampler):\n%s",
						streams[dist].name, blocks, opt, diff)
				}
			}
		}
	}
}

// accumulated hands the blocks that the sampler has drawn to an accumulator.
func accumulated(t *testing.T, p *Sampler, keys []uint32) Stats {
	t.Helper()
	a, err := NewAccumulator(p.opt)
	if err != nil {
		t.Fatal(err)
	}
	size := p.opt.BlockSize
	block := func(number, begin, end int) keptBlock {
		b := keptBlock{number: uint64(number), keys: keys[begin:end], before: -1}
		if begin > 0 {
			b.before = int64(keys[begin-1])
		}
		return b
	}
	for i, number := range p.blocks {
		b := block(int(number), int(number)*size, int(number+1)*size)
		b.priority = uint64(i)
		a.sample.kept = append(a.sample.kept, b)
	}
	total := len(keys) / size
	last := block(total, total*size, len(keys))
	a.sample.before, a.pending = last.before, last.keys
	a.sample.next, a.updates = uint64(total), uint64(len(keys))
	s, err := a.Stats()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSamplerDraws: the blocks are different, those of a smaller sample are
// among those of a larger one, another seed draws others, and every block is
// drawn about as often as every other.
func TestSamplerDraws(t *testing.T) {
	const total, draws = 40, 2000
	times := make([]int, total)
	for seed := range uint64(draws) {
		p := sampler(t, Options{Seed: seed})
		numbers := func(blocks int) []uint64 {
			p.opt.Sample = blocks
			p.draw(total)
			return slices.Clone(p.blocks)
		}
		small, large := numbers(4), numbers(16)
		if !slices.Equal(small, large[:4]) {
			t.Fatalf("seed %d: %v is not the beginning of %v", seed, small, large)
		}
		slices.Sort(large)
		if len(slices.Compact(large)) != 16 {
			t.Fatalf("seed %d: a block twice", seed)
		}
		for _, number := range large {
			times[number]++
		}
	}
	// 800 times each in the mean, with a standard deviation of 22.
	for number, n := range times {
		if n < 700 || n > 900 {
			t.Errorf("block %d is drawn %d times of %d", number, n, draws)
		}
	}
}

// elsewhere is a stream that counts what is read of it, and is broken at one update.
type elsewhere struct {
	Indices
	read, broken int
}

func (e *elsewhere) Read(into []uint32, at int) error {
	if e.broken >= at && e.broken < at+len(into) {
		return ErrIndex
	}
	e.read += len(into)
	return e.Indices.Read(into, at)
}

// TestMeasureStream: of a stream only the sampled blocks are read, with the update before each.
func TestMeasureStream(t *testing.T) {
	keys := draw(0, 11, 300*256+77, 4096)
	for _, blocks := range []int{4, 64, 300} {
		e := &elsewhere{Indices: keys, broken: -1}
		got, err := sampler(t, Options{}).MeasureStream(e, 4096, blocks)
		if err != nil {
			t.Fatal(err)
		}
		want, err := sampler(t, Options{}).Measure(keys, 4096, blocks)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%d blocks: %v\n%s", blocks, err, diff)
		}
		if most := 257*blocks + 78; e.read > most || e.read < 256*blocks {
			t.Errorf("%d blocks: %d updates were read, want at most %d", blocks, e.read, most)
		}
	}
	for _, broken := range []int{0, 256*300 - 1, 256 * 300, 256*300 + 76} {
		e := &elsewhere{Indices: keys, broken: broken}
		if _, err := sampler(t, Options{}).MeasureStream(e, 4096, 300); !errors.Is(err, ErrIndex) {
			t.Errorf("update %d cannot be read: %v", broken, err)
		}
	}
}
