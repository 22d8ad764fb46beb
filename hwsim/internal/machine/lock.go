package machine

import (
	"math"
	"math/bits"
)

// sharedUnit is what the warps of an SM share of its shared memory: the port,
// the lock bits beside the data, and what a compare-and-swap compares with.
type sharedUnit struct {
	port    server
	locked  []int64 // ticks: until when each lock bit is taken; as many as have been used
	swapped []int64 // ticks: when each word was last swapped; as many as have been used
	refused uint64  // locks found taken by another warp, and words found swapped by one
}

// taken stands for the end of a hold whose write is still to come.
const taken = math.MaxInt64

// at returns the place of a lock or word, for which it makes room.
func at(times *[]int64, n uint32) *int64 {
	if int(n) >= len(*times) {
		lengthen(times, n)
	}
	return &(*times)[n]
}

func lengthen(times *[]int64, n uint32) {
	more := make([]int64, max(1<<10, 1<<bits.Len32(n)))
	copy(more, *times)
	*times = more
}

// claim lets the lowest of the lanes on each lock, or else on each word, have it, unless it
// is marked later than at the time known, and marks what they get. A lock is marked until the
// end of its hold: those of other warps that come too early go without, [gomezluna13] section 2.
// A word is marked when it is swapped: a
// swap since the value was read, by another warp or by a lane before, makes it stale.
func (u *sharedUnit) claim(g *laneGroups, lanes uint64, locks bool,
	known, mark int64) (won uint64) {
	seen, marks := uint64(0), &u.swapped
	if locks {
		marks = &u.locked
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		n := g.word[bits.TrailingZeros64(rest)&63] & 63
		place := g.address[n]
		if locks {
			n = g.lock[n] & 63
			place = g.lockBit[n]
		}
		if seen>>n&1 != 0 {
			continue // the lane before has it, or found it taken as well
		}
		seen |= 1 << n
		last := at(marks, place)
		// Whether it is free is hard to predict, so that there is no branch.
		until, got := *last, uint64(0)
		if until <= known {
			until, got = mark, rest&-rest
		}
		*last = until
		won |= got
	}
	u.refused += uint64(bits.OnesCount64(seen) - bits.OnesCount64(won))
	return won
}

// unlock frees the locks of lanes that want words of their own, each at the end of the pass that
// writes its word: the first pass ends then, each further one of a bank a step later.
func (u *sharedUnit) unlock(g *laneGroups, lanes uint64, end, step int64) {
	for _, half := range [2]uint64{lanes &^ g.high, lanes & g.high} {
		var written [64]uint8 // words of each bank
		last := end
		for rest := half; rest != 0; rest &= rest - 1 {
			word := g.word[bits.TrailingZeros64(rest)&63] & 63
			bank := &written[g.bank[word]&63]
			free := end + int64(*bank)*step
			u.locked[g.lockBit[g.lock[word]&63]] = free
			*bank++
			last = max(last, free)
		}
		end = last
	}
}

// compare returns the lanes that found the value that they had read at the time
// known; their swaps write the same value.
func (u *sharedUnit) compare(g *laneGroups, lanes uint64, known int64) (won uint64) {
	for l := range lanesOf(lanes) {
		if *at(&u.swapped, g.address[g.word[l]&63]) > known {
			u.refused++
			continue
		}
		won |= 1 << l
	}
	return won
}
