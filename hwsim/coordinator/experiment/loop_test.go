package experiment

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/coordinator"
)

// TestPatternProduct: in a product of matrices, element (i, j) loads X[i][t] and
// Y[t][j] in turn t.
func TestPatternProduct(t *testing.T) {
	for _, n := range []int{8, 64, 256} {
		for _, first := range []int{0, 64 * (n*n/64 - 1)} {
			x := Pattern{First: first / n * n, Turn: 1, Width: n, Down: n}
			y := Pattern{First: n*n + first%n, Turn: n, Width: n, Across: 1}
			for _, iteration := range []int{0, 1, n - 1} {
				got := [2][]int{make([]int, 64), make([]int, 64)}
				x.fill(iteration, got[0])
				y.fill(iteration, got[1])
				for lane := range 64 {
					i, j := (first+lane)/n, (first+lane)%n
					if got[0][lane] != i*n+iteration || got[1][lane] != n*n+iteration*n+j {
						t.Fatalf("n = %d, element (%d, %d), turn %d: words %d and %d", n, i, j, iteration, got[0][lane],
							got[1][lane])
					}
				}
			}
		}
	}
}

// TestLinesOf compares with a count in maps.
func TestLinesOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	p := &paths{Queues: &coordinator.Queues{SegmentWords: 16}}
	for range 300 {
		words := make([]int, 64)
		reach := 1 << rng.IntN(12)
		for i := range words {
			words[i] = rng.IntN(reach)
		}
		lanes, most, times := map[int]int{}, map[int]int{}, map[int]int{}
		for _, w := range words {
			lanes[w/16]++
			times[w]++
			most[w/16] = max(most[w/16], times[w])
		}
		got := p.linesOf(words)
		if len(got) != len(lanes) {
			t.Fatalf("%d lines, want %d", len(got), len(lanes))
		}
		for _, l := range got {
			if l.lanes != lanes[l.number] || l.highest != most[l.number] {
				t.Errorf("line %d: %d lanes and %d on one word, want %d and %d", l.number, l.lanes, l.highest,
					lanes[l.number], most[l.number])
			}
		}
	}
}

// looping are the cycles of a wavefront that loads by that loop, beside one
// atomic addition.
func looping(t *testing.T, d *device.Profile, how coordinator.Atomics, r coordinator.Regime,
	l Loop) float64 {
	t.Helper()
	k := AtomicOnly(1, 1, 64)
	k.Groups[0][0][0].Before.Further = l
	result, err := coordinator.Run(k, coordinator.Options{Device: d, Regime: r, Atomics: how})
	if err != nil {
		t.Fatal(err)
	}
	return result.Cycles
}

// TestLoopLines: on the CompletePath, lanes on one word follow each other, and so
// do loads of one line; words of a line, and lines, do not wait for each other.
func TestLoopLines(t *testing.T) {
	d := builtin(t)
	load := func(iterations, iteration, across int) float64 {
		a := Pattern{Turn: iteration, Width: 64, Across: across}
		return looping(t, d, coordinator.System, Paths{},
			Loop{Iterations: iterations, Patterns: []Pattern{a}, Unrolled: iterations})
	}
	word := 64 * d.Paths.CopySame.Value
	one := load(1, 0, 0)
	slack := word / 8 // moving words, issue
	for name, c := range map[string]struct{ got, want float64 }{
		"twice the same word":     {load(2, 0, 0), one + word},
		"two words of a line":     {load(2, 1, 0), one + word},
		"two lines":               {load(2, 16, 0), one},
		"each lane its own word":  {load(1, 0, 1), one - word},
		"lines of eight channels": {load(8, 64, 0), one},
	} {
		if math.Abs(c.got-c.want) > slack {
			t.Errorf("%s: %v cycles, want about %v", name, c.got, c.want)
		}
	}
	pairs := func(iterations, iteration int) float64 { // two lanes on each word
		a := Pattern{Turn: iteration, Width: 2, Down: 1}
		return looping(t, d, coordinator.System, Paths{},
			Loop{Iterations: iterations, Patterns: []Pattern{a}, Unrolled: iterations})
	}
	if got := pairs(1, 0); math.Abs(got-(one-word)) > slack {
		t.Errorf("two lanes on each word: %v cycles, want about %v", got, one-word)
	}
	// Lanes that want one word are moved one by one: 256 bytes through a channel.
	each := 256 * d.Core.Clock.Value * 1e6 * d.Global.Slices.Value / d.Memory.AtomicRate.Value
	if got := pairs(16, 8*64) - pairs(16, 64); math.Abs(got-14*each) > each {
		t.Errorf("16 loads from one channel take %v cycles more than two from each, want about %v", got,
			14*each)
	}
}

// TestLoopUnrolled: as many iterations as are unrolled share one way to memory.
func TestLoopUnrolled(t *testing.T) {
	d := builtin(t)
	a := Pattern{Turn: 64, Width: 64, Across: 1}
	way := d.Global.LoadLatency.Value + d.Global.MissLatency.Value
	last := math.Inf(1)
	// a clause holds 16
	for _, c := range []struct{ unrolled, ways int }{{0, 32}, {1, 32}, {4, 8}, {16, 2}, {32, 2}} {
		got := looping(t, d, coordinator.Leave, Paths{}, Loop{Iterations: 32, Patterns: []Pattern{a},
			Unrolled: c.unrolled})
		got -= looping(t, d, coordinator.Leave, Paths{}, Loop{})
		if got > last || math.Abs(got/way-float64(c.ways)) > 0.2*float64(c.ways)+0.5 {
			t.Errorf("%d turns unrolled: %v ways to memory, want %d", c.unrolled, got/way, c.ways)
		}
		last = got
	}
}

// TestLoopCached: the second load of a line comes from the cache, if there was
// room for it.
func TestLoopCached(t *testing.T) {
	d := *builtin(t)
	again := Loop{Iterations: 8, Patterns: []Pattern{{Width: 64}, {First: 1 << 12, Width: 64}}}
	straight := looping(t, &d, coordinator.Leave, Paths{}, again)
	cached := looping(t, &d, coordinator.Leave, Paths{Cached: true}, again)
	if saved := straight - cached; math.Abs(saved-7*d.Global.MissLatency.Value) > 8*10 {
		t.Errorf("%v cycles saved by 7 turns, the way to DRAM takes %v", saved,
			d.Global.MissLatency.Value)
	}
	d.Memory.L2Bytes.Value = d.Paths.Segment.Value // one line: the other goes to DRAM each time
	if got := looping(t, &d, coordinator.Leave, Paths{Cached: true},
		again); math.Abs(got-straight) > 8*10 {
		t.Errorf("%v cycles with room for one line, %v without a cache", got, straight)
	}
	slow := looping(t, &d, coordinator.System, Paths{Cached: true}, again)
	if slow != looping(t, &d, coordinator.System,
		Paths{}, again) {
		t.Errorf("the CompletePath is cached: %v cycles", slow)
	}
}

func TestBadLoops(t *testing.T) {
	good := []Pattern{{Width: 64}}
	for _, l := range []Loop{{Iterations: -1, Patterns: good}, {Iterations: mostAccesses, Patterns: append(good, good...)},
		{Iterations: 1, Patterns: good, Unrolled: -1}, {Iterations: 1, Patterns: []Pattern{{}}},
		{Iterations: 1, Patterns: []Pattern{{First: -1, Width: 1}}},
		{Iterations: 1 << 10, Patterns: []Pattern{{Turn: mostWords / 2, Width: 1}}}} {
		k := AtomicOnly(1, 1, 64)
		k.Groups[0][0][0].After.Further = l
		_, err := coordinator.Run(k, coordinator.Options{Device: builtin(t), Regime: Paths{}})
		if !errors.Is(err, coordinator.ErrKernel) {
			t.Errorf("%+v: error %v", l, err)
		}
	}
}
