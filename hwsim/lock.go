package hwsim

import (
	"math"
	"math/bits"
)

// sharedUnit is what the warps of an SM share of its shared memory: the port,
// the lock bits beside the data and what a compare-and-swap compares with.
type sharedUnit struct {
	port    server
	locked  *[rememberedWords]int64 // ticks: until when each lock bit is taken; made when first used
	swapped *[rememberedWords]swap  // the last swap of each word; made when first used
	refused uint64                  // locks that were found taken by, and swaps that failed because of, another warp
}

// swap is the last change of a word by a compare-and-swap.
type swap struct {
	address uint32
	at      int64 // ticks
}

// Words and locks that lie rememberedWords apart share a place. For locks that
// is a coarseness of devices with more lock bits than that; a word pushes
// another one's last swap out, which the next swap of that word then misses.
const rememberedWords = 1 << 12

// taken is the time at which a lock is free whose write has not begun.
const taken = math.MaxInt64

// acquire tries for the lock bits of the lanes while the read is served and
// returns the lanes that got theirs: the lowest one of each lock that no other
// warp holds, [gomezluna13] section 2.
func (u *sharedUnit) acquire(g *laneGroups, lanes uint64, served int64) (won uint64) {
	if u.locked == nil {
		u.locked = new([rememberedWords]int64)
	}
	seen := uint64(0)
	for rest := lanes; rest != 0; rest &= rest - 1 {
		lock := g.lock[bits.TrailingZeros64(rest)] & 63
		if seen>>lock&1 != 0 {
			continue
		}
		seen |= 1 << lock
		until := &u.locked[g.lockBit[lock]%rememberedWords]
		if *until > served {
			u.refused++
			continue
		}
		*until = taken
		won |= rest & -rest
	}
	return won
}

// unlock frees the locks of the lanes at that time.
func (u *sharedUnit) unlock(g *laneGroups, lanes uint64, at int64) {
	for rest := lanes; rest != 0; rest &= rest - 1 {
		lock := g.lock[bits.TrailingZeros64(rest)] & 63
		u.locked[g.lockBit[lock]%rememberedWords] = at
	}
}

// compareAndSwap lets the lanes swap, the lowest first, and returns those that
// found the value that they had read at the time known. A swap in between
// makes the value stale, by another warp or by a lane before.
func (u *sharedUnit) compareAndSwap(g *laneGroups, lanes uint64, known, served int64) (won uint64) {
	if u.swapped == nil {
		u.swapped = new([rememberedWords]swap)
	}
	seen := uint64(0)
	for rest := lanes; rest != 0; rest &= rest - 1 {
		word := g.word[bits.TrailingZeros64(rest)] & 63
		if seen>>word&1 != 0 {
			continue // the lane before has swapped, or found a stale value as well
		}
		seen |= 1 << word
		address := g.address[word]
		last := &u.swapped[address%rememberedWords]
		if last.address == address && last.at > known {
			u.refused++
			continue
		}
		*last = swap{address: address, at: served}
		won |= rest & -rest
	}
	return won
}
