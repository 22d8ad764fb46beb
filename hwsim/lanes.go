package hwsim

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
)

// laneGroups sorts the lanes of one warp instruction by the word of shared
// memory that they address, by that word's bank and by its lock. Sets of lanes
// are masks, bit l for lane l.
type laneGroups struct {
	low    uint64 // the lanes that are served first, all of them where elements have 4 bytes
	high   uint64 // the other half of a warp of elements of 8 bytes
	words  int
	banks  int
	locks  int
	word   [64]wordGroup
	lock   [64]lockGroup
	bank   [64]uint64 // lanes
	ofLane [64]uint8  // place of the lane's word
	// The lanes whose neighbour, and whose neighbour but one, wants another
	// word: of elements of 8 bytes alone.
	apart, apart2 uint64
}

type wordGroup struct {
	lanes   uint64
	address uint32 // in words of 4 bytes
	bank    uint8  // place in laneGroups.bank
}

type lockGroup struct {
	lanes  uint64
	number uint32
}

// sorter is the working storage with which lanes are sorted.
type sorter struct {
	lanes       int
	banks       uint64 // a power of two
	words       grouper
	locks       grouper
	epoch       uint32
	bankStamp   [1024]uint32
	placeOfBank [1024]uint8
}

func newSorter(d *device.Profile) sorter {
	return sorter{lanes: int(d.Core.WarpLanes.Value), banks: uint64(d.Shared.Banks.Value)}
}

// sort fills g with the given lanes, whose elements are numbered by index from
// word base on. Elements of 8 bytes, wide ones, occupy two banks.
func (s *sorter) sort(g *laneGroups, index []uint64, lanes, base uint64, wide bool) {
	s.words.reset()
	s.epoch++
	g.words, g.banks, g.locks = 0, 0, 0
	shift := 0
	g.low, g.high = ^uint64(0), 0
	if wide {
		shift = 1
		g.low = 1<<(s.lanes/2) - 1
		g.high = ^g.low
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		address := base + index[l]<<shift
		n := s.words.add(address)
		if n == g.words {
			g.words++
			g.word[n] = wordGroup{address: uint32(address), bank: s.bankOf(g, address)}
		}
		g.word[n].lanes |= 1 << l
		g.ofLane[l] = uint8(n)
	}
	for i := range g.word[:g.words] {
		w := &g.word[i]
		g.bank[w.bank] |= w.lanes
	}
	if wide {
		g.pair(lanes)
	}
}

func (s *sorter) bankOf(g *laneGroups, address uint64) uint8 {
	b := address & (s.banks - 1)
	if s.bankStamp[b] != s.epoch {
		s.bankStamp[b] = s.epoch
		s.placeOfBank[b] = uint8(g.banks)
		g.bank[g.banks] = 0
		g.banks++
	}
	return s.placeOfBank[b]
}

// sortLocks sorts the words of g by lock: the low bits of the address,
// [gomezluna13] section 2, or with locks = 0 one lock for each word.
func (s *sorter) sortLocks(g *laneGroups, locks uint64) {
	s.locks.reset()
	g.locks = 0
	for i := range g.word[:g.words] {
		w := &g.word[i]
		number, n := w.address, g.locks
		if locks != 0 {
			number %= uint32(locks)
			n = s.locks.add(uint64(number))
		}
		if n == g.locks {
			g.locks++
			g.lock[n] = lockGroup{number: number}
		}
		g.lock[n].lanes |= w.lanes
	}
}

func (g *laneGroups) pair(lanes uint64) {
	g.apart, g.apart2 = 0, 0
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		if g.ofLane[l] != g.ofLane[l^1] {
			g.apart |= 1 << l
		}
		if g.ofLane[l] != g.ofLane[l^2] {
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

// wordPasses counts the serial accesses of the lanes' busiest bank where
// equal words are broadcast.
func (g *laneGroups) wordPasses(lanes uint64) int {
	if g.words == g.banks {
		return 1
	}
	var count [64]uint8
	worst := uint8(0)
	for i := range g.word[:g.words] {
		if w := &g.word[i]; w.lanes&lanes != 0 {
			count[w.bank&63]++
			worst = max(worst, count[w.bank&63])
		}
	}
	return int(worst)
}

// lanePasses counts the serial accesses of the lanes' busiest bank where each
// lane is one.
func (g *laneGroups) lanePasses(lanes uint64) int {
	worst := 0
	for _, b := range g.bank[:g.banks] {
		worst = max(worst, bits.OnesCount64(b&lanes))
	}
	return worst
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
	for i := range g.lock[:g.locks] {
		waiting := g.lock[i].lanes & lanes
		low, high := waiting&g.low, waiting&g.high
		first |= low & -low
		first |= high & -high
	}
	return first
}
