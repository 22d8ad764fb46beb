package latency

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// gtx580 are the constants of [gomezluna13] section 2.1.
var gtx580 = Params{Base: 108, Position: 120, Bank: 32, Banks: 32, Locks: 1024}

// TestPaper holds the algorithm to the penalties that [gomezluna13] section
// 2.1 states for its examples: t_position = 120, t_bank-long =
// t_position + t_bank = 152 and t_extra = t_bank = 32. t_bank-short is 2·t_bank
// = 64 by the paper's own rule, and typically 68 in its measurements.
func TestPaper(t *testing.T) {
	identity := func(change map[int]int) []int {
		p := make([]int, 32)
		for l := range p {
			p[l] = l
		}
		for l, a := range change {
			p[l] = a
		}
		return p
	}
	const long, extra, short = 152, 32, 64
	for _, c := range []struct {
		name    string
		pattern []int
		penalty float64
	}{
		{"no conflict", identity(nil), 0},
		{"position, degree 2", identity(map[int]int{1: 0}), 120},
		{"position, degree 4", identity(map[int]int{1: 0, 2: 0, 3: 0}), 360},
		{"long bank conflict", identity(map[int]int{1: 1024}), long},
		{"short bank conflict", identity(map[int]int{1: 32}), short},
		{"two long", identity(map[int]int{1: 1024, 2: 2048}), long + long + extra},
		{"two long and a short", identity(map[int]int{1: 1024, 2: 2048, 3: 32}), long + long + extra + short},
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

// TestRounds checks, over random patterns, what must hold for any pattern:
// every active lane leaves exactly once, the turns are as many as the largest
// number of lanes on one lock, and their cycles sum to the total.
func TestRounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		p := gtx580
		p.Banks, p.Locks = 1<<rng.IntN(7), 1<<rng.IntN(11)
		pattern := make([]int, 32)
		onLock := map[int]int{}
		turns, active := 0, 0
		for l := range pattern {
			pattern[l] = rng.IntN(4097) - 1
			if pattern[l] >= 0 {
				active++
				onLock[pattern[l]%p.Locks]++
				turns = max(turns, onLock[pattern[l]%p.Locks])
			}
		}
		got, err := Warp(pattern, p)
		if err != nil {
			t.Fatal(err)
		}
		left, sum := map[int]bool{}, 0.0
		for _, r := range got.Rounds {
			sum += r.Cycles
			for _, lane := range r.Winners {
				if left[lane] || pattern[lane] == Inactive {
					t.Fatalf("lane %d leaves twice or is inactive", lane)
				}
				left[lane] = true
			}
		}
		if len(got.Rounds) != turns || len(left) != active || math.Abs(sum-got.Cycles) > 1e-9 {
			t.Fatalf("%v: %d turns, want %d; %d lanes left, want %d", pattern, len(got.Rounds), turns, len(left), active)
		}
	}
}

func TestBadPatterns(t *testing.T) {
	if _, err := Warp([]int{0, -2}, gtx580); !errors.Is(err, ErrPattern) {
		t.Errorf("address -2: %v", err)
	}
	if _, err := Warp([]int{0}, Params{}); !errors.Is(err, ErrPattern) {
		t.Errorf("no banks: %v", err)
	}
	if got, err := Warp([]int{Inactive, Inactive}, gtx580); err != nil || got.Cycles != 0 {
		t.Errorf("no active lane: %v, %v", got, err)
	}
}
