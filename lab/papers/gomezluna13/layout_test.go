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
