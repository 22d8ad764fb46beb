package latency

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// gtx580 are the constants of [gomezluna13] section 2.1.
var gtx580 = Params{
	Structure: Structure{Mechanism: device.Lock, Lanes: 32, Banks: 32, Locks: 1024},
	Constants: Constants{Base: 108, Round: 120, Bank: 32, Write: 32},
}

func identity(change map[int]int32) []int32 {
	p := make([]int32, 32)
	for l := range p {
		p[l] = int32(l)
	}
	for l, a := range change {
		p[l] = a
	}
	return p
}

// TestPaper holds the algorithm to the penalties that [gomezluna13] section
// 2.1 states for its examples: t_position = 120, t_bank-long =
// t_position + t_bank = 152 and t_extra = t_bank = 32. t_bank-short is 2·t_bank
// = 64 by the paper's own rule, and typically 68 in its measurements.
func TestPaper(t *testing.T) {
	const long, extra, short = 152, 32, 64
	for _, c := range []struct {
		name    string
		pattern []int32
		penalty float64
	}{
		{"no conflict", identity(nil), 0},
		{"position, degree 2", identity(map[int]int32{1: 0}), 120},
		{"position, degree 4", identity(map[int]int32{1: 0, 2: 0, 3: 0}), 360},
		{"long bank conflict", identity(map[int]int32{1: 1024}), long},
		{"short bank conflict", identity(map[int]int32{1: 32}), short},
		{"two long", identity(map[int]int32{1: 1024, 2: 2048}), long + long + extra},
		{"two long and a short", identity(map[int]int32{1: 1024, 2: 2048, 3: 32}), long + long + extra +
			short},
		{"and a second pair", identity(map[int]int32{1: 1024, 2: 2048, 3: 32, 4: 1056}), long + long +
			extra + short + short + extra},
	} {
		got, err := Warp(c.pattern, gtx580)
		if err != nil {
			t.Fatal(err)
		}
		if got.Cycles != gtx580.Base+c.penalty {
			t.Errorf("%s: %v cycles, want %v", c.name, got.Cycles, gtx580.Base+c.penalty)
		}
	}
}

// randomParams draws parameters of any mechanism.
func randomParams(rng *rand.Rand) Params {
	mechanisms := []device.Mechanism{device.Lock, device.Spin, device.CAS, device.Native, device.Merge,
		device.Access}
	c := func() float64 { return float64(rng.IntN(200)) / 4 }
	p := Params{
		Structure: Structure{
			Mechanism: mechanisms[rng.IntN(len(mechanisms))], Lanes: []int{16, 32, 64}[rng.IntN(3)],
			Banks: 1 << (1 + rng.IntN(6)), Locks: 1 << rng.IntN(12), Wide: rng.IntN(3) == 0,
			Pairs: rng.IntN(2) == 0, StepIteration: rng.IntN(5), Apart: rng.IntN(3) == 0,
		},
		Constants: Constants{
			Base: c(), Round: c(), Bank: c(), Write: c(), Park: c(), Merge: c(), MergeSaved: c(), Split: c(),
			Ahead: c(), AheadAgain: c(), AheadLast: c(), Step: c(), Partial: c(),
			Hidden: c(), Half: c(), Paired: c(),
		},
	}
	if p.Mechanism == device.CAS {
		p.Locks = 0
	}
	return p
}

func randomPattern(rng *rand.Rand, lanes int) []int32 {
	p := make([]int32, lanes)
	words := 1 << rng.IntN(13)
	for l := range p {
		switch p[l] = int32(rng.IntN(words)); {
		case rng.IntN(8) == 0:
			p[l] = Inactive
		case l > 0 && rng.IntN(4) == 0:
			p[l] = p[l-1]
		}
	}
	return p
}

// TestWarp compares, over random patterns and parameters of every mechanism, Warp and Model with the plain
// reference.
func TestWarp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	checked := map[device.Mechanism]int{}
	for range 4000 {
		p := randomParams(rng)
		m, err := NewModel(p)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			pattern := randomPattern(rng, p.Lanes)
			got, err := Warp(pattern, p)
			if err != nil {
				t.Fatal(err)
			}
			fast, err := m.Cycles(pattern)
			if err != nil || math.Abs(fast-got.Cycles) > 1e-9 {
				t.Fatalf("%+v\n%v: Model gives %v (%v), Warp %v", p, pattern, fast, err, got.Cycles)
			}
			if plain := plainWarp(pattern, p); !reflect.DeepEqual(plain, got) {
				if diff := cmp.Diff(plain, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
					t.Fatalf("%+v\n%v: -plain +Warp\n%s", p, pattern, diff)
				}
			}
			checked[p.Mechanism]++
		}
	}
	if len(checked) != 6 {
		t.Errorf("checked %v", checked)
	}
}

func TestBadPatterns(t *testing.T) {
	if _, err := Warp(identity(map[int]int32{1: -2}), gtx580); !errors.Is(err, ErrPattern) {
		t.Errorf("address -2: %v", err)
	}
	if _, err := Warp([]int32{0}, gtx580); !errors.Is(err, ErrPattern) {
		t.Errorf("one lane: %v", err)
	}
	if _, err := Warp(identity(nil), Params{}); !errors.Is(err, ErrParams) {
		t.Errorf("no banks: %v", err)
	}
	none := make([]int32, 32)
	for l := range none {
		none[l] = Inactive
	}
	if got, err := Warp(none, gtx580); err != nil || got.Cycles != 0 {
		t.Errorf("no active lane: %v, %v", got, err)
	}
}

// TestLimits: each number of parameters and of layouts is taken up to the ends of its range, and no further.
func TestLimits(t *testing.T) {
	const most, words = 1 << 20, 1 << 30
	params := func(set func(p *Params)) error {
		p := gtx580
		set(&p)
		return p.Validate()
	}
	votes := func(set func(v *Votes)) error {
		v := Votes{Words: 1, Replicas: 1, Threads: 1}
		set(&v)
		return v.Validate()
	}
	for name, c := range map[string]struct {
		of          func(to int) error
		least, most int
	}{
		"lanes":   {func(to int) error { return params(func(p *Params) { p.Lanes = to }) }, 1, MaxLanes},
		"banks":   {func(to int) error { return params(func(p *Params) { p.Banks = to }) }, 1, most},
		"locks":   {func(to int) error { return params(func(p *Params) { p.Locks = to }) }, 0, most},
		"words":   {func(to int) error { return votes(func(v *Votes) { v.Words = to }) }, 1, words},
		"copies":  {func(to int) error { return votes(func(v *Votes) { v.Replicas = to }) }, 1, most},
		"threads": {func(to int) error { return votes(func(v *Votes) { v.Threads = to }) }, 1, most},
		"pad":     {func(to int) error { return votes(func(v *Votes) { v.Pad = to }) }, 0, words},
		"words of all copies": {func(to int) error { return votes(func(v *Votes) { v.Replicas, v.Words = most, to }) }, 1,
			words / most},
		"pads of all copies": {func(to int) error {
			return votes(func(v *Votes) { v.Replicas, v.Words, v.Pad = most, words/most-1, to })
		}, 0, 1},
	} {
		for to, taken := range map[int]bool{c.least: true, c.least - 1: false, c.most: true, c.most + 1: false} {
			if err := c.of(to); (err == nil) != taken || err != nil && !errors.Is(err, ErrParams) {
				t.Errorf("%s %d: %v, want it taken: %t", name, to, err, taken)
			}
		}
	}
	if votes(func(v *Votes) { v.Map = impl.Block + 1 }) == nil || params(func(p *Params) { p.StepIteration = -1 }) == nil {
		t.Error("a mapping that there is not, or a step in turn -1, is taken")
	}
}
