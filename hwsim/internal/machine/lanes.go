package machine

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
)

// laneGroups sorts the lanes of one warp instruction by the word of shared
// memory that they address, by that word's bank and by its lock. Words, banks
// and locks are numbered as the lanes meet them. Sets of lanes are masks, bit l
// for lane l.
type laneGroups struct {
	words, banks, locks int

	word    [64]uint8 // of each lane
	bank    [64]uint8 // of each lane
	lock    [64]uint8 // of each lane
	address [64]uint32
	lockBit [64]uint32 // the lock that a number stands for

	low  uint64 // the lanes that are served first: all of them where elements have 4 bytes
	high uint64 // the other half of the warp, of elements of 8 bytes
	// The lanes whose neighbour, and whose neighbour but one, wants another
	// word: of elements of 8 bytes alone.
	apart, apart2 uint64
}

// sorter is the working storage with which lanes are sorted.
type sorter struct {
	lanes int
	locks grouper
	epoch uint32
	banks []bankWords // a power of two
	next  [64]uint8   // the next word on the bank, of each word
}

// bankWords heads the list of the words that have been met on a bank.
type bankWords struct {
	epoch  uint32
	number uint8
	first  uint8
}

const noWord = 64

func newSorter(d *device.Profile) sorter {
	return sorter{lanes: int(d.Core.WarpLanes.Value), banks: make([]bankWords,
		int(d.Shared.Banks.Value))}
}

// sort fills g with the given lanes, whose elements are numbered by index from
// word base on. Elements of 8 bytes, wide ones, occupy two banks.
func (s *sorter) sort(g *laneGroups, index []uint64, lanes, base uint64, wide bool) {
	s.epoch++
	g.words, g.banks, g.locks = 0, 0, 0
	g.low, g.high = ^uint64(0), 0
	shift := 0
	if wide {
		shift = 1
		g.low = 1<<(s.lanes/2) - 1
		g.high = ^g.low
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		address := uint32(base + index[l]<<shift)
		b := &s.banks[int(address)&(len(s.banks)-1)]
		if b.epoch != s.epoch {
			*b = bankWords{epoch: s.epoch, number: uint8(g.banks), first: noWord}
			g.banks++
		}
		g.word[l], g.bank[l] = s.wordOn(b, g, address), b.number
	}
	if wide {
		g.pair(lanes)
	}
}

// wordOn returns the number of the word on its bank, a new one if it has not
// been met.
func (s *sorter) wordOn(b *bankWords, g *laneGroups, address uint32) uint8 {
	for n := b.first; n != noWord; n = s.next[n&63] {
		if g.address[n&63] == address {
			return n
		}
	}
	n := uint8(g.words)
	g.words++
	g.address[n&63], s.next[n&63], b.first = address, b.first, n
	return n
}

// sortLocks sorts the lanes of g by lock as well: the low bits of the address,
// [gomezluna13] section 2, or with locks = 0 one lock for each word.
func (s *sorter) sortLocks(g *laneGroups, lanes, locks uint64) {
	if locks == 0 {
		g.lock, g.lockBit, g.locks = g.word, g.address, g.words
		return
	}
	var ofWord [64]uint8
	s.locks.reset()
	for i := range g.words {
		bit := g.address[i] % uint32(locks)
		n := s.locks.add(uint64(bit))
		if n == g.locks {
			g.locks++
			g.lockBit[n] = bit
		}
		ofWord[i] = uint8(n)
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		g.lock[l] = ofWord[g.word[l]&63]
	}
}

func (g *laneGroups) pair(lanes uint64) {
	g.apart, g.apart2 = 0, 0
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		if g.word[l] != g.word[l^1] {
			g.apart |= 1 << l
		}
		if g.word[l] != g.word[l^2] {
			g.apart2 |= 1 << l
		}
	}
}

// paired reports whether each two neighbouring lanes of the set want the same
// word, or each two lanes two apart.
func (g *laneGroups) paired(lanes uint64) bool {
	const odd, odd2 = 0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC
	both := lanes & (lanes&odd>>1 | lanes<<1&odd)
	both2 := lanes & (lanes&odd2>>2 | lanes<<2&odd2)
	return g.apart&both == 0 || g.apart2&both2 == 0
}

// wordPasses counts the serial accesses of the lanes' busiest bank where equal
// words are broadcast. There is one lane at least.
func (g *laneGroups) wordPasses(lanes uint64) int {
	if g.words == g.banks || lanes&(lanes-1) == 0 {
		return 1
	}
	var count [64]uint8
	seen, worst := uint64(0), uint8(0)
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		if word := uint64(1) << (g.word[l] & 63); seen&word == 0 {
			seen |= word
			b := &count[g.bank[l]&63]
			*b++
			worst = max(worst, *b)
		}
	}
	return int(worst)
}

// lanePasses counts the serial accesses of the lanes' busiest bank where each
// lane is one. There is one lane at least.
func (g *laneGroups) lanePasses(lanes uint64) int {
	if lanes&(lanes-1) == 0 {
		return 1
	}
	var count [64]uint8
	worst := uint8(0)
	for rest := lanes; rest != 0; rest &= rest - 1 {
		b := &count[g.bank[bits.TrailingZeros64(rest)]&63]
		*b++
		worst = max(worst, *b)
	}
	return int(worst)
}

// passes returns the serial accesses of both halves of the warp, one after the
// other, over words or over lanes, and how many of the halves have lanes at
// all.
func (g *laneGroups) passes(lanes uint64, every bool) (total, busy int) {
	for _, half := range [2]uint64{lanes & g.low, lanes & g.high} {
		if half == 0 {
			continue
		}
		busy++
		if every {
			total += g.lanePasses(half)
		} else {
			total += g.wordPasses(half)
		}
	}
	return total, busy
}

// lowest returns the lowest of the lanes that want each lock, in each half of
// the warp.
func (g *laneGroups) lowest(lanes uint64) (first uint64) {
	for _, half := range [2]uint64{lanes & g.low, lanes & g.high} {
		if g.locks == 1 {
			first |= half & -half
			continue
		}
		seen := uint64(0)
		for rest := half; rest != 0; rest &= rest - 1 {
			lock := uint64(1) << (g.lock[bits.TrailingZeros64(rest)] & 63)
			if seen&lock == 0 {
				first |= rest & -rest
			}
			seen |= lock
		}
	}
	return first
}
