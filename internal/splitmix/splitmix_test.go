package splitmix

import "testing"

// TestKnown compares with the first numbers of the reference implementation
// (S. Vigna, https://prng.di.unimi.it/splitmix64.c) for the seed 1234567.
func TestKnown(t *testing.T) {
	r := New(1234567)
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423} {
		if got := r.Uint64(); got != want {
			t.Errorf("number %d: %d, want %d", i, got, want)
		}
	}
}

// TestBelowIsEven: below 3/4 of 2^64 numbers that are a multiple of three come as often as the
// others. Scaling alone gives them half of the draws.
func TestBelowIsEven(t *testing.T) {
	const draws = 30_000
	r, multiples := New(5), 0
	for range draws {
		if r.Below(3<<62)%3 == 0 {
			multiples++
		}
	}
	if share := float64(multiples) / draws; share < 0.32 || share > 0.35 {
		t.Errorf("%.3f of the draws are multiples of three", share)
	}
}
