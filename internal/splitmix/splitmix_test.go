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
