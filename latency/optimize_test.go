package latency

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// shared48K is the shared memory of an SM of the GeForce GTX 580, in words.
const shared48K = 48 << 10 / 4

// paper are the options of [gomezluna13] section 3: no padding, or by one word.
func paper(words, threads int, sorted bool) OptimizeOptions {
	return OptimizeOptions{
		Words: words, Threads: threads, SharedWords: shared48K, Pads: []int{0, 1}, Sorted: sorted,
		Samples: 2048, Seed: 7,
	}
}

func optimize(t *testing.T, p Params, o OptimizeOptions) Optimum {
	t.Helper()
	got, err := p.Optimize(o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (o Optimum) candidate(t *testing.T, replicas, pad int, m impl.Mapping) Candidate {
	t.Helper()
	i := slices.IndexFunc(o.Ranking, func(c Candidate) bool {
		return c.Replicas == replicas &&
			c.Pad == pad && c.Map == m
	})
	if i < 0 {
		t.Fatalf("no candidate with %d copies, pad %d, map %d", replicas, pad, m)
	}
	return o.Ranking[i]
}

// TestOptimizeRandom holds what [gomezluna13] finds with random data: the best
// number of copies is the one that fills 1,024 words (section 3; 8, 4 and 2 for
// 128, 256 and 512 words, section 4.1.1), neither more copies nor padding pay.
func TestOptimizeRandom(t *testing.T) {
	for _, threads := range []int{32, 1024} {
		for words := 32; words <= 4096; words *= 2 {
			want := Votes{Words: words, Replicas: max(1, 1024/words), Threads: threads}
			got := optimize(t, gtx580, paper(words, threads, false))
			if got.Best != want {
				t.Errorf("%d threads, %d words: best is %+v, want %+v", threads, words, got.Best, want)
			}
			for _, c := range got.Ranking {
				if c.SharedWords > 1024 && c.Cycles < 0.99*got.Cycles {
					t.Errorf("%d threads, %d words: %v cycles, beyond 1,024 words %+v", threads, words, got.Cycles,
						c)
				}
			}
			if want.Replicas == 1 {
				continue
			}
			if padded := got.candidate(t, want.Replicas, 1,
				impl.Cyclic); padded.Cycles < 0.98*got.Cycles {
				t.Errorf("%d threads, %d words: padding takes %v cycles down to %v", threads, words, got.Cycles,
					padded.Cycles)
			}
		}
	}
}

// TestOptimizeSorted holds what [gomezluna13] section 3 finds with sorted data:
// cyclic mapping gains much under 1,024 words, padding by one word gains more,
// and block mapping gains nothing where a warp shares a copy.
func TestOptimizeSorted(t *testing.T) {
	for words, gain := range map[int]float64{32: 0.30, 64: 0.10, 128: 0.02, 256: 0.005} {
		got := optimize(t, gtx580, paper(words, 1024, true))
		one := got.candidate(t, 1, 0, impl.Cyclic)
		bare := got.candidate(t, 1024/words, 0, impl.Cyclic)
		padded := got.candidate(t, 1024/words, 1, impl.Cyclic)
		if bare.Cycles > 0.8*one.Cycles {
			t.Errorf("%d words: %d copies take %v cycles, one %v", words, bare.Replicas, bare.Cycles,
				one.Cycles)
		}
		if padded.Cycles > (1-gain)*bare.Cycles {
			t.Errorf("%d words: padding takes %v cycles to %v", words, bare.Cycles, padded.Cycles)
		}
		if got.Best.Pad != 1 || got.Best.Map != impl.Cyclic {
			t.Errorf("%d words: best is %+v", words, got.Best)
		}
		for r := 2; r <= 32; r *= 2 {
			if c := got.candidate(t, r, 1, impl.Block); math.Abs(c.Cycles-one.Cycles) > 1e-6 {
				t.Errorf("%d words: %d copies, block, take %v cycles, one %v", words, r, c.Cycles, one.Cycles)
			}
		}
	}
}

// TestOptimizeBlock holds that block mapping never beats cyclic below as many
// copies as warps ([gomezluna13] section 5) in vote spaces under 1,024 words.
// From there on no mapping gains; the model has block ahead by what a bank pass
// takes that position conflicts do not, 1 % of the latency.
func TestOptimizeBlock(t *testing.T) {
	compared := 0
	for _, sorted := range []bool{false, true} {
		for words := 32; words <= 4096; words *= 2 {
			o := paper(words, 1024, sorted)
			o.Replicas, o.Pads, o.Samples = []int{2, 4, 8, 16}, []int{0}, 1024
			got := optimize(t, gtx580, o)
			for r := 2; r < 32 && r*words <= shared48K; r *= 2 {
				cyclic, block := got.candidate(t, r, 0, impl.Cyclic), got.candidate(t, r, 0, impl.Block)
				ahead := 1 - block.Cycles/cyclic.Cycles
				if ahead > 0.012 || words < 1024 && ahead > 0 {
					t.Errorf("sorted %v, %d words, %d copies: block %v cycles, cyclic %v", sorted, words, r,
						block.Cycles, cyclic.Cycles)
				}
				compared++
			}
		}
	}
	if compared < 40 {
		t.Errorf("compared %d", compared)
	}
}

// TestOptimizeDefaults checks what is tried where nothing is asked for.
func TestOptimizeDefaults(t *testing.T) {
	got := optimize(t, gtx580, OptimizeOptions{Words: 100, Threads: 64, SharedWords: 2000,
		Samples: 64})
	copies, pads := map[int]bool{}, map[int]bool{}
	for _, c := range got.Ranking {
		copies[c.Replicas], pads[c.Pad] = true, true
		if c.Total() > 2000 || c.Replicas == 1 && c.Pad > 0 {
			t.Errorf("tried %+v", c.Votes)
		}
	}
	if want := map[int]bool{1: true, 2: true, 4: true, 8: true, 16: true,
		20: true}; !reflect.DeepEqual(copies, want) {
		t.Errorf("copies %v, want %v", copies, want)
	}
	if want := map[int]bool{0: true, 1: true, 2: true, 3: true, 4: true,
		31: true}; !reflect.DeepEqual(pads, want) {
		t.Errorf("pads %v, want %v", pads, want)
	}
}

// fewWords are warps of blocks of two warps and a half that want four words.
func fewWords(warps int) [][]int32 {
	rng := rand.New(rand.NewPCG(3, 4))
	var patterns [][]int32
	for i := range warps {
		pattern := make([]int32, 32)
		for l := range pattern {
			if pattern[l] = int32(rng.IntN(4)); i%3 == 2 && l >= 16 {
				pattern[l] = Inactive
			}
		}
		patterns = append(patterns, pattern)
	}
	return patterns
}

// TestOptimizePatterns gives the warps themselves: the answer is that of the
// same warps drawn, and they stay as they are.
func TestOptimizePatterns(t *testing.T) {
	const threads = 80
	patterns := fewWords(300)
	before := make([][]int32, len(patterns))
	for i, p := range patterns {
		before[i] = slices.Clone(p)
	}
	o := OptimizeOptions{Words: 64, Threads: threads, SharedWords: 1024, Patterns: patterns,
		Pads: []int{0, 1}}
	got := optimize(t, gtx580, o)
	if !reflect.DeepEqual(patterns, before) {
		t.Error("the patterns have changed")
	}
	if again := optimize(t, gtx580, o); !reflect.DeepEqual(got, again) {
		t.Errorf("%+v, then %+v", got, again)
	}
	if got.Samples != 300 || got.Best.Replicas < 8 || got.Best.Map != impl.Cyclic {
		t.Errorf("%d samples, best %+v", got.Samples, got.Best)
	}
	sum := 0.0
	placed := make([]int32, 32)
	for i, p := range patterns {
		got.Best.Place(placed, p, i%3*32)
		w, err := Warp(placed, gtx580)
		if err != nil {
			t.Fatal(err)
		}
		sum += w.Cycles
	}
	if math.Abs(sum/300-got.Cycles) > 1e-9 {
		t.Errorf("%v cycles, by Warp %v", got.Cycles, sum/300)
	}
}

// TestOptimizeTies checks that what gains nothing is not chosen: on a native
// unit copies of many words lie in the same banks.
func TestOptimizeTies(t *testing.T) {
	if got := optimize(t, native, paper(128, 256, false)); got.Best.Replicas != 1 {
		t.Errorf("best is %+v", got.Best)
	}
	o := paper(128, 1024, true)
	if got := optimize(t, native, o); got.Best.Replicas == 1 ||
		got.Cycles < 0.97*got.candidate(t, 1, 0, impl.Cyclic).Cycles {
		t.Errorf("best is %+v", got.Best)
	}
	o.Worth = 0.03
	if got := optimize(t, native, o); got.Best.Replicas != 1 {
		t.Errorf("best is %+v for less than 3 %%", got.Best)
	}
}

// TestOptimizeReason: the reason gives the numbers of the ranking, and of a layout that fits once the room.
func TestOptimizeReason(t *testing.T) {
	got := optimize(t, gtx580, paper(128, 1024, false))
	one, best := got.candidate(t, 1, 0, impl.Cyclic), got.candidate(t, 8, 0, impl.Cyclic)
	for _, c := range []Candidate{one, best} {
		for _, want := range []string{fmt.Sprintf("%.1f", c.Cycles), fmt.Sprintf("%.2f", c.Iterations),
			fmt.Sprintf("%.2f", c.ReadPasses+c.WritePasses)} {
			if !strings.Contains(got.Reason, want) {
				t.Errorf("%q is not in: %s", want, got.Reason)
			}
		}
	}
	if full := optimize(t, gtx580, paper(shared48K, 32, false)); !strings.Contains(full.Reason, "12288") {
		t.Error(full.Reason)
	}
}

func TestOptimizeErrors(t *testing.T) {
	good := OptimizeOptions{Words: 8, Threads: 32, SharedWords: 64, Samples: 32}
	optimize(t, gtx580, good)
	for name, c := range map[string]struct {
		change func(*OptimizeOptions)
		err    error
	}{
		"words":    {func(o *OptimizeOptions) { o.Words = 0 }, ErrParams},
		"threads":  {func(o *OptimizeOptions) { o.Threads = 1 << 20 }, ErrParams},
		"capacity": {func(o *OptimizeOptions) { o.SharedWords = 7 }, ErrParams},
		"copies":   {func(o *OptimizeOptions) { o.Replicas = []int{0} }, ErrParams},
		"pads":     {func(o *OptimizeOptions) { o.Pads = []int{-1} }, ErrParams},
		"samples":  {func(o *OptimizeOptions) { o.Samples = -1 }, ErrParams},
		"worth":    {func(o *OptimizeOptions) { o.Worth = math.NaN() }, ErrParams},
		"no warps": {func(o *OptimizeOptions) { o.Patterns = [][]int32{} }, ErrPattern},
		"lanes":    {func(o *OptimizeOptions) { o.Patterns = [][]int32{{1}} }, ErrPattern},
		"word":     {func(o *OptimizeOptions) { o.Patterns = [][]int32{identity(nil)} }, ErrPattern},
	} {
		o := good
		c.change(&o)
		if _, err := gtx580.Optimize(o); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good.Patterns = [][]int32{slices.Repeat([]int32{7}, 32), slices.Repeat([]int32{3, 9}, 16)}
	if _, err := gtx580.Optimize(good); !errors.Is(err, ErrPattern) || !strings.Contains(err.Error(), "pattern 1") {
		t.Errorf("a word too far: %v", err)
	}
}

// native is a unit like the H200's for integers.
var native = Params{
	Structure: Structure{Mechanism: device.Native, Lanes: 32, Banks: 32},
	Constants: Constants{Base: 37, Round: 2},
}

// TestOptimizeBatches: warps that all take the same leave no doubt about the difference of two
// layouts, however they fall into batches, some of which hold more blocks than others.
func TestOptimizeBatches(t *testing.T) {
	patterns := slices.Repeat([][]int32{fewWords(1)[0]}, mostBatches+mostBatches/2)
	got := optimize(t, gtx580, OptimizeOptions{Words: 64, Threads: 32, SharedWords: 512,
		Patterns: patterns})
	different := 0
	for _, c := range got.Ranking {
		if c.BehindError > 1e-9 {
			t.Errorf("%+v: %v cycles behind with an error of %v", c.Votes, c.Behind, c.BehindError)
		}
		if c.Behind > 1 {
			different++
		}
	}
	if different == 0 {
		t.Errorf("all %d layouts take the same", len(got.Ranking))
	}
}
