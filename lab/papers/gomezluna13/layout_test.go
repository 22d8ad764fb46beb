package gomezluna13

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/latency"
	"github.com/atomtune/atomtune/variant"
)

// TestOffsets compares the layouts with those of package latency, wherever the
// copies divide the warp, and both equations with copies counted out by hand.
func TestOffsets(t *testing.T) {
	checked := 0
	for _, words := range voteSpaces {
		for _, l := range layoutsOf(words) {
			if lanes%l.copies != 0 {
				continue
			}
			v := latency.Votes{Words: words, Replicas: l.copies, Pad: l.pad, Map: l.mapping, Threads: lanes}
			for thread, at := range l.offsets() {
				if want := v.Offset(thread); int(at) != want {
					t.Fatalf("%+v: thread %d begins at %d, want %d", l, thread, at, want)
				}
				checked++
			}
			if l.total() != v.Total() || !l.fits() {
				t.Errorf("%+v takes %d words, want %d", l, l.total(), v.Total())
			}
		}
	}
	if checked < 100*lanes {
		t.Errorf("%d offsets", checked)
	}
	// Of 12 copies each is for ⌊32/12⌋ = 2 lanes in turn, from the first again
	// after the last.
	twelve := layout{words: 1, copies: 12, mapping: variant.Block}.offsets()
	if got := []int32{twelve[0], twelve[1], twelve[2], twelve[23], twelve[24],
		twelve[31]}; !slices.Equal(got, []int32{0, 0, 1, 11, 0, 3}) {
		t.Errorf("lanes 0, 1, 2, 23, 24, 31 use the copies %v", got)
	}
}

func TestFactors(t *testing.T) {
	for words, want := range map[int][]int{
		32: {1, 2, 4, 8, 16, 32}, 256: {1, 2, 4, 8, 16, 32}, 512: {1, 2, 4, 8, 16, 24},
		1024: {1, 2, 4, 8, 12}, 2048: {1, 2, 4, 6}, 4096: {1, 2, 3},
	} {
		if got := factors(mostCopies(words)); !slices.Equal(got, want) {
			t.Errorf("%d words: %v, want %v", words, got, want)
		}
	}
}

// TestDegrees compares the counts with maps.
func TestDegrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var d degrees
	const rounds = 3000
	shared := 0
	for range rounds {
		pattern := make([]int32, lanes)
		reach := 1 << (1 + rng.IntN(13))
		onWord, onLock, onBank := map[int32]int{}, map[int32]int{}, map[int32]map[int32]bool{}
		position, lock, bank := 0, 0, 0
		for l := range pattern {
			w := int32(rng.IntN(min(reach, sharedWords)))
			pattern[l] = w
			onWord[w]++
			onLock[w%1024]++
			if onBank[w%32] == nil {
				onBank[w%32] = map[int32]bool{}
			}
			onBank[w%32][w] = true
			position, lock, bank = max(position, onWord[w]), max(lock, onLock[w%1024]),
				max(bank, len(onBank[w%32]))
		}
		if p, q, b := d.of(pattern); p != position || q != lock || b != bank {
			t.Fatalf("%v: %d, %d, %d, want %d, %d, %d", pattern, p, q, b, position, lock, bank)
		}
		if lock > position {
			shared++
		}
	}
	if shared < 100 {
		t.Errorf("%d of %d patterns with aliased words", shared, rounds)
	}
}

func TestNeighbours(t *testing.T) {
	var n neighbours
	wanted := []int32{7, 7, 7, 7, 7, 8}
	n.add(wanted, []int32{7, 7, 7 + 1024, 7 + 1024 + 64, 7 + 1024 + 65, 8})
	if want := (neighbours{pairs: 4, onWord: 1, onLock: 1, onBank: 1}); n != want {
		t.Errorf("%+v, want %+v", n, want)
	}
}

// TestWarpCopies: block mapping of 1,024 threads leaves a warp on one copy up
// to as many copies as warps.
func TestWarpCopies(t *testing.T) {
	for copies, want := range map[int]int{1: 1, 2: 1, 32: 1, 64: 2, 1024: 32} {
		if got := warpCopies(copies); got != want {
			t.Errorf("%d copies: a warp uses %d, want %d", copies, got, want)
		}
	}
}
