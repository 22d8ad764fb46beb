package machine

import (
	"iter"
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// lanesOf yields the lanes of a mask, the lowest first: bit l stands for lane l.
func lanesOf(mask uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for rest := mask; rest != 0; rest &= rest - 1 {
			if !yield(bits.TrailingZeros64(rest)) {
				return
			}
		}
	}
}

// grouper numbers the different keys of up to 64 lanes as it meets them.
type grouper struct {
	epoch uint32
	n     int
	stamp [128]uint32
	head  [128]int8
	next  [64]int8
	key   [64]uint64
	count [64]int32
}

func (g *grouper) reset() {
	g.epoch++
	g.n = 0
}

// add counts one key and returns its number.
func (g *grouper) add(key uint64) int {
	h := (key * splitmix.Golden) >> 57
	if g.stamp[h] != g.epoch {
		g.stamp[h] = g.epoch
		g.head[h] = -1
	}
	for i := g.head[h]; i >= 0; i = g.next[i] {
		if g.key[i] == key {
			g.count[i]++
			return int(i)
		}
	}
	i := g.n
	g.n++
	g.key[i], g.count[i] = key, 1
	g.next[i] = g.head[h]
	g.head[h] = int8(i)
	return i
}

func (g *grouper) has(key uint64) bool {
	h := (key * splitmix.Golden) >> 57
	if g.stamp[h] != g.epoch {
		return false
	}
	for i := g.head[h]; i >= 0; i = g.next[i] {
		if g.key[i] == key {
			return true
		}
	}
	return false
}

// laneGroups holds which word of shared memory each lane of a warp instruction wants, and
// that word's bank and lock. Words, banks and locks are numbered as the lanes meet them.
type laneGroups struct {
	words, banks int
	last         uint32 // the highest address of a word

	word    [64]uint8  // of each lane
	onWords uint64     // the lowest lane on each word
	address [64]uint32 // of each word
	bank    [64]uint8  // of each word
	lock    [64]uint8  // of each word
	lockBit [64]uint32 // the lock that a number stands for

	high uint64 // lanes that are served after the others: half of them, of 8-byte elements
}

type sorter struct {
	lanes              int
	allBanks           uint32 // a power of two
	words, banks, lock grouper
}

func newSorter(d *device.Profile) sorter {
	return sorter{lanes: int(d.Core.WarpLanes.Value), allBanks: uint32(d.Shared.Banks.Value)}
}

// sort fills g with the given lanes, whose elements are numbered by index from
// word base on. Elements of 8 bytes, wide ones, occupy two banks.
func (s *sorter) sort(g *laneGroups, index []uint64, lanes, base uint64, wide bool) {
	s.words.reset()
	shift, onBanks := 0, uint64(0)
	g.words, g.last, g.high, g.onWords = 0, 0, 0, 0
	if wide {
		shift, g.high = 1, ^uint64(0)<<(s.lanes/2)
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) % 64
		address := uint32(base + index[l]<<shift)
		n := uint8(s.words.add(uint64(address)) % 64)
		if int(n) == g.words {
			g.words++
			g.address[n] = address
			g.onWords |= rest & -rest
			g.last = max(g.last, address)
			g.bank[n] = uint8(address & (s.allBanks - 1))
			onBanks |= 1 << (g.bank[n] % 64)
		}
		g.word[l] = n
	}
	if g.banks = bits.OnesCount64(onBanks); s.allBanks > 64 {
		s.numberBanks(g)
	}
}

func (s *sorter) numberBanks(g *laneGroups) {
	s.banks.reset()
	for i := range g.words {
		g.bank[i] = uint8(s.banks.add(uint64(g.address[i] & (s.allBanks - 1))))
	}
	g.banks = s.banks.n
}

// sortLocks finds the lock of each word as well: the low bits of the address,
// [gomezluna13] section 2, or with locks = 0 one lock for each word.
func (s *sorter) sortLocks(g *laneGroups, locks uint64) {
	if locks == 0 || uint64(g.last) < locks { // each word has its own
		for i := range g.words {
			g.lock[i], g.lockBit[i] = uint8(i), g.address[i]
		}
		return
	}
	s.lock.reset()
	for i := range g.words {
		bit := g.address[i] % uint32(locks)
		n := uint8(s.lock.add(uint64(bit)))
		g.lock[i], g.lockBit[n%64] = n, bit
	}
}

// paired reports whether each two neighbours of the lanes want the same word, or each two two apart.
func (g *laneGroups) paired(lanes uint64) bool {
	same := [2]bool{true, true}
	for l := range lanesOf(lanes) {
		for i := range same {
			if other := l ^ 1<<i; lanes>>other&1 != 0 && g.word[l] != g.word[other] {
				same[i] = false
			}
		}
	}
	return same[0] || same[1]
}

// bankPasses counts the serial accesses of the lanes' busiest bank, where each lane is one
// or, unless every, each word. There is one lane at least.
func (g *laneGroups) bankPasses(lanes uint64, every bool) int {
	if !every && g.words == g.banks || lanes&(lanes-1) == 0 {
		return 1
	}
	var count [64]uint8
	seen, again, worst := uint64(0), uint64(0), uint8(0)
	if every {
		again = 1
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		word := g.word[bits.TrailingZeros64(rest)%64] % 64
		bank := g.bank[word] % 64
		count[bank] += uint8(^seen>>word&1 | again)
		seen |= 1 << word
		worst = max(worst, count[bank])
	}
	return int(worst)
}

// passes returns the serial accesses of both halves of the warp, one after the
// other, over words or over lanes, and how many of the halves have lanes at all.
func (g *laneGroups) passes(lanes uint64, every bool) (total, busy int) {
	for _, half := range [2]uint64{lanes &^ g.high, lanes & g.high} {
		if half != 0 {
			busy++
			total += g.bankPasses(half, every)
		}
	}
	return total, busy
}

// lowest returns the lowest of the lanes that want each lock, in each half of the warp.
func (g *laneGroups) lowest(lanes uint64) (first uint64) {
	for _, half := range [2]uint64{lanes &^ g.high, lanes & g.high} {
		seen := uint64(0)
		for rest := half; rest != 0; rest &= rest - 1 {
			lock := uint64(1) << (g.lock[g.word[bits.TrailingZeros64(rest)&63]&63] & 63)
			if seen&lock == 0 {
				first |= rest & -rest
			}
			seen |= lock
		}
	}
	return first
}

func (g *laneGroups) lowestOnWords(lanes uint64) (first uint64) {
	seen := uint64(0)
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) & 63
		word := g.word[l] & 63
		first |= ^seen >> word & 1 << l
		seen |= 1 << word
	}
	return first
}
