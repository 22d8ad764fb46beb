package expectation

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/latency"
)

// enumerate is the mean of Warp over all patterns of the active lanes.
func enumerate(t *testing.T, p latency.Params, v latency.Votes, o Options) Expectation {
	t.Helper()
	active := o.Active
	if active == 0 {
		active = p.Lanes
	}
	pattern, placed := make([]int32, p.Lanes), make([]int32, p.Lanes)
	for l := active; l < p.Lanes; l++ {
		pattern[l] = latency.Inactive
	}
	var sum Expectation
	n := 0
	for {
		v.Place(placed, pattern, o.First)
		sum = plus(t, sum, placed, p)
		n++
		l := 0
		for ; l < active; l++ {
			if pattern[l]++; int(pattern[l]) < v.Words {
				break
			}
			pattern[l] = 0
		}
		if l == active {
			break
		}
	}
	for _, x := range fields(&sum) {
		*x /= float64(n)
	}
	return sum
}

// plus adds one pattern, read off the rounds of Warp.
func plus(t *testing.T, sum Expectation, pattern []int32, p latency.Params) Expectation {
	t.Helper()
	w, err := latency.Warp(pattern, p)
	if err != nil {
		t.Fatal(err)
	}
	var active []int
	for l, word := range pattern {
		if word != latency.Inactive {
			active = append(active, l)
		}
	}
	sum.Cycles += w.Cycles
	sum.Iterations += float64(len(w.Rounds))
	sum.BankDegree += float64(fullest(p.Banks, pattern, active, p.Mechanism == device.Native))
	for _, r := range w.Rounds {
		sum.ReadPasses += math.Max(0, float64(r.ReadPasses-1))
		sum.WritePasses += math.Max(0, float64(r.WritePasses-1))
	}
	return sum
}

// fullest is the lanes on the fullest bank, or the different words of it.
func fullest(banks int, pattern []int32, lanes []int, every bool) int {
	seen, load, worst := map[int32]bool{}, map[int32]int{}, 0
	for _, l := range lanes {
		if word := pattern[l]; every || !seen[word] {
			seen[word] = true
			load[word%int32(banks)]++
			worst = max(worst, load[word%int32(banks)])
		}
	}
	return worst
}

func fields(e *Expectation) []*float64 {
	return []*float64{&e.Cycles, &e.Iterations, &e.BankDegree, &e.ReadPasses, &e.WritePasses}
}

func checkFields(t *testing.T, got, want Expectation, tolerance float64) {
	t.Helper()
	for i, x := range fields(&got) {
		if want := *fields(&want)[i]; math.Abs(*x-want) > tolerance {
			t.Errorf("%s: %v, want %v", []string{"cycles", "turns", "bank degree", "read passes",
				"write passes"}[i], *x, want)
		}
	}
}

func loopConstants() latency.Constants {
	return latency.Constants{
		Base: 100, Round: 37, Bank: 5, Write: 3, Park: 11, Merge: 23, MergeSaved: 7, Split: 19, Ahead: 29,
		AheadAgain: 31,
		AheadLast:  41, Step: 13, Partial: 17, Hidden: 6,
	}
}

// TestExpectedEnumerated compares every exact mean over tiny vote spaces with
// the mean of Warp over all patterns.
func TestExpectedEnumerated(t *testing.T) {
	exact := map[device.Mechanism]int{}
	for _, s := range []latency.Structure{
		{Lanes: 4, Banks: 4}, {Lanes: 4, Banks: 4, Locks: 4}, {Lanes: 5, Banks: 2, Locks: 4, StepIteration: 3},
		{Lanes: 4, Banks: 3},
		{Lanes: 4, Banks: 2, Locks: 2, StepIteration: 2}, {Lanes: 6, Banks: 2, Locks: 2},
		{Lanes: 3, Banks: 2, Locks: 8},
		{Lanes: 5, Banks: 2, Apart: true}, {Lanes: 6, Banks: 2, Locks: 4, Apart: true},
	} {
		for _, m := range []device.Mechanism{device.Lock, device.Spin, device.CAS, device.Native,
			device.Merge, device.Access} {
			for words := 1; words <= 6; words++ {
				s.Mechanism = m
				p := latency.Params{Structure: s, Constants: loopConstants()}
				exact[m] += enumerateVotes(t, p, words)
			}
		}
	}
	t.Logf("exact: %v", exact)
	for m, n := range exact {
		if n < 100 {
			t.Errorf("%s: only %d exact means", m, n)
		}
	}
}

// enumerateVotes checks the means over all votes of so many words, and returns
// how many were exact.
func enumerateVotes(t *testing.T, p latency.Params, words int) (exact int) {
	t.Helper()
	if math.Pow(float64(words), float64(p.Lanes)) > 1300 {
		return 0
	}
	for _, v := range []latency.Votes{
		{Words: words, Replicas: 1, Threads: 8}, {Words: words, Replicas: 2, Threads: 8},
		{Words: words, Replicas: 2, Threads: 8, Map: impl.Block},
		{Words: words, Replicas: 8, Threads: 8},
		{Words: words, Replicas: 3, Pad: 1, Threads: 8}, {Words: words, Replicas: 4, Pad: 2, Threads: 8,
			Map: impl.Block},
		{Words: words, Replicas: 8, Pad: 2, Threads: 8},
	} {
		for _, o := range []Options{{Samples: 10}, {First: 3, Active: p.Lanes - 1, Samples: 10}} {
			got, err := Of(p, v, o)
			if err != nil {
				t.Fatal(err)
			}
			iterations := got.Method == "sampled, turns exact"
			if !got.Exact && !iterations {
				continue
			}
			want := enumerate(t, p, v, o)
			if iterations {
				got = Expectation{Means: latency.Means{Iterations: got.Iterations}}
				want = Expectation{Means: latency.Means{Iterations: want.Iterations}}
			} else {
				exact++
			}
			t.Run(fmt.Sprintf("%+v,%+v,first=%d", p.Structure, v, o.First),
				func(t *testing.T) { checkFields(t, got, want, 1e-9) })
		}
	}
	return exact
}

// gtx580 are the parameters of [gomezluna13].
var gtx580 = latency.Params{
	Structure: latency.Structure{Mechanism: device.Lock, Lanes: 32, Banks: 32, Locks: 1024},
	Constants: latency.Constants{Base: 108, Round: 120, Bank: 32, Write: 32},
}

// native is a unit like the H200's for integers.
var native = latency.Params{
	Structure: latency.Structure{Mechanism: device.Native, Lanes: 32, Banks: 32},
	Constants: latency.Constants{Base: 37, Round: 2},
}

// spin and cas are loops like the H200's for floating point.
var (
	spin = latency.Params{
		Structure: latency.Structure{Mechanism: device.Spin, Lanes: 32, Banks: 32, Locks: 32},
		Constants: latency.Constants{Base: 105, Round: 94, Bank: 2, Park: 3, Merge: 38, MergeSaved: 13},
	}
	cas = latency.Params{
		Structure: latency.Structure{Mechanism: device.CAS, Lanes: 32, Banks: 32, StepIteration: 3},
		Constants: latency.Constants{Base: 158, Round: 138, Bank: 2, Write: 4, Step: 5, Partial: 21,
			Hidden: 26},
	}
	apartCAS = latency.Params{
		Structure: latency.Structure{Mechanism: device.CAS, Lanes: 32, Banks: 32, Apart: true},
		Constants: latency.Constants{Base: 150, Round: 130, Bank: 2, Write: 4, Split: 40, Ahead: 30,
			AheadAgain: 20, AheadLast: 10},
	}
	load = latency.Params{
		Structure: latency.Structure{Mechanism: device.Access, Lanes: 32, Banks: 32},
		Constants: latency.Constants{Base: 34, Bank: 2},
	}
)

// TestExpectedSampled compares exact means with those of samples, ten times as many of two
// operations with ATOMTUNE_FULL=1.
func TestExpectedSampled(t *testing.T) {
	checked := 0
	for name, p := range map[string]latency.Params{"gtx580": gtx580, "native": native, "spin": spin,
		"cas": cas, "apart": apartCAS, "load": load} {
		samples := 10_000
		if full := golden.Full(); full && (name == "gtx580" || name == "native") {
			samples = 100_000
		}
		for words := 32; words <= 4096; words *= 4 {
			v := latency.Votes{Words: words, Replicas: 1, Threads: 32}
			exact, err := Of(p, v, Options{})
			if err != nil {
				t.Fatal(err)
			}
			drawn, err := operation{p}.sampled(v, Options{Active: 32, Samples: samples, Seed: uint64(words)},
				mean{})
			if err != nil {
				t.Fatal(err)
			}
			if !exact.Exact || exact.StandardError != 0 || drawn.Exact || drawn.Method != "sampled" {
				t.Errorf("%s, %d words: %+v, %+v", name, words, exact, drawn)
			}
			if math.Abs(exact.Cycles-drawn.Cycles) > 4*drawn.StandardError+1e-9 {
				t.Errorf("%s, %d words: %v cycles, sampled %v ± %v", name, words, exact.Cycles, drawn.Cycles,
					drawn.StandardError)
			}
			checkFields(t, exact, drawn, 0.05*exact.Cycles)
			checked++
		}
	}
	if checked != 24 {
		t.Errorf("checked %d", checked)
	}
}

// TestExpectedPartly checks that the part of a mean that is known makes the
// rest no worse: over many seeds the estimates scatter about their mean as
// their standard errors say.
func TestExpectedPartly(t *testing.T) {
	v := latency.Votes{Words: 128, Replicas: 8, Threads: 256}
	truth, err := Of(gtx580, v, Options{Samples: 50_000, Seed: 99})
	if err != nil {
		t.Fatal(err)
	}
	if truth.Exact || truth.Method != "sampled, turns exact" {
		t.Fatalf("%+v", truth)
	}
	sum := 0.0
	const seeds = 100
	for seed := range uint64(seeds) {
		got, err := Of(gtx580, v, Options{Samples: 250, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		z := (got.Cycles - truth.Cycles) / got.StandardError
		sum += z * z
	}
	// χ² with 100 degrees of freedom: mean 100, standard deviation 14.
	if sum < 58 || sum > 142 {
		t.Errorf("χ² = %v over %d estimates", sum, seeds)
	}
}

func TestExpectedErrors(t *testing.T) {
	v := latency.Votes{Words: 8, Replicas: 1, Threads: 32}
	for name, c := range map[string]struct {
		p latency.Params
		v latency.Votes
		o Options
	}{
		"no params": {v: v}, "no words": {p: gtx580}, "first": {gtx580, v, Options{First: 32}},
		"active": {gtx580, v, Options{Active: 33}}, "samples": {gtx580, v, Options{Samples: -1}},
	} {
		if _, err := Of(c.p, c.v, c.o); !errors.Is(err, latency.ErrParams) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestExpectedExtremes: many words meet rarely, and words of two banks have no exact mean.
func TestExpectedExtremes(t *testing.T) {
	many, err := Of(cas, latency.Votes{Words: 1 << 30, Replicas: 1, Threads: 32}, Options{})
	if err != nil || !many.Exact || math.Abs(many.Iterations-1) > 1e-6 || many.BankDegree < 2 ||
		many.BankDegree > 5 {
		t.Errorf("2^30 words: %+v, %v", many, err)
	}
	wide := spin
	wide.Wide = true
	eight, err := Of(wide, latency.Votes{Words: 64, Replicas: 1, Threads: 32}, Options{Samples: 1000})
	if err != nil || eight.Exact || eight.Samples != 1000 || eight.Method != "sampled" ||
		eight.StandardError <= 0 {
		t.Errorf("words of 8 bytes: %+v, %v", eight, err)
	}
}

// TestGridPower compares powers with repeated products.
func TestGridPower(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for n := range 20 {
		s := inX(nil, 7)
		g := make(grid, 7)
		for m := range s {
			s[m][0] = rng.Float64()
			g[m] = make([]float64, 1+rng.IntN(m+1))
			for j := range g[m] {
				g[m][j] = rng.Float64()
			}
		}
		product, table := inX([]float64{1}, 7), g.power(0)
		for range n {
			product, table = product.times(s), table.times(g)
		}
		power, gridPower := s.power(n), g.power(n)
		for m := range product {
			if math.Abs(power[m][0]/product[m][0]-1) > 1e-12 && product[m][0] != 0 {
				t.Errorf("power %d, x^%d: %v, want %v", n, m, power[m], product[m])
			}
			if len(gridPower[m]) != len(table[m]) && n > 0 {
				t.Errorf("power %d, x^%d: %d terms, want %d", n, m, len(gridPower[m]), len(table[m]))
			}
			if got, want := gridPower.upTo(6)[m][0], table.upTo(6)[m][0]; math.Abs(got-want) > 1e-12*want {
				t.Errorf("power %d, x^%d: %v, want %v", n, m, got, want)
			}
		}
	}
}

// TestOptimizeMeans compares the candidates' means with those of Of.
func TestOptimizeMeans(t *testing.T) {
	got, err := spin.Optimize(latency.OptimizeOptions{
		Words: 96, Threads: 256, SharedWords: 4000, Replicas: []int{5, 16}, Pads: []int{0, 3},
		Samples: 8192, Seed: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range got.Ranking {
		want := Expectation{}
		const warps = 256 / 32
		for first := 0; first < 256; first += 32 {
			e, err := Of(spin, c.Votes, Options{First: first, Samples: 2000, Seed: uint64(first)})
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range fields(&want) {
				*x += *fields(&e)[i] / warps
			}
		}
		if math.Abs(c.Cycles-want.Cycles) > 3 || math.Abs(c.Iterations-want.Iterations) > 0.04 ||
			math.Abs(c.ReadPasses-want.ReadPasses) > 0.1 {
			t.Errorf("%+v: want %+v", c, want)
		}
		if c.SharedWords != c.Total() {
			t.Errorf("%+v: takes %d words", c, c.Total())
		}
	}
	if len(got.Ranking) != 1+2*4 {
		t.Errorf("%d candidates", len(got.Ranking))
	}
}
