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
		more := make([]int64, max(1<<10, 1<<bits.Len32(n)))
		copy(more, *times)
		*times = more
	}
	return &(*times)[n]
}

// acquire tries for the lock bits of the lanes while the read is served and
// returns the lanes that got theirs: the lowest one of each lock that no other
// warp holds, [gomezluna13] section 2.
func (u *sharedUnit) acquire(g *laneGroups, lanes uint64, served int64) (won uint64) {
	seen := uint64(0)
	for rest := lanes; rest != 0; rest &= rest - 1 {
		lock := g.lock[bits.TrailingZeros64(rest)] & 63
		if seen>>lock&1 != 0 {
			continue
		}
		seen |= 1 << lock
		until := at(&u.locked, g.lockBit[lock])
		if *until > served {
			u.refused++
			continue
		}
		*until = taken
		won |= rest & -rest
	}
	return won
}

// unlock frees the locks of the lanes at the end of their hold.
func (u *sharedUnit) unlock(g *laneGroups, lanes uint64, end int64) {
	for rest := lanes; rest != 0; rest &= rest - 1 {
		lock := g.lock[bits.TrailingZeros64(rest)] & 63
		u.locked[g.lockBit[lock]] = end
	}
}

// compare returns the lanes that found the value that they had read at the time
// known; their swaps write the same value.
func (u *sharedUnit) compare(g *laneGroups, lanes uint64, known int64) (won uint64) {
	for rest := lanes; rest != 0; rest &= rest - 1 {
		word := g.word[bits.TrailingZeros64(rest)] & 63
		if *at(&u.swapped, g.address[word]) > known {
			u.refused++
			continue
		}
		won |= rest & -rest
	}
	return won
}

// compareAndSwap lets the lanes swap, the lowest first, and returns those that
// found the value that they had read at the time known. A swap in between
// makes the value stale, by another warp or by a lane before.
func (u *sharedUnit) compareAndSwap(g *laneGroups, lanes uint64, known, served int64) (won uint64) {
	seen := uint64(0)
	for rest := lanes; rest != 0; rest &= rest - 1 {
		word := g.word[bits.TrailingZeros64(rest)] & 63
		if seen>>word&1 != 0 {
			continue // the lane before has swapped, or found a stale value as well
		}
		seen |= 1 << word
		last := at(&u.swapped, g.address[word])
		if *last > known {
			u.refused++
			continue
		}
		*last = served
		won |= rest & -rest
	}
	return won
}
