package latency

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
)

// wideScratch is the working storage of tallyWide.
type wideScratch struct {
	words [3]numbering // seen in the lower half, the upper half, the whole warp
	locks numbering
}

// tallyWide counts an operation on words of 8 bytes turn by turn, as Warp
// does. Lanes are bits of a mask by their place among the active ones.
func (m *Model) tallyWide() {
	all := ^uint64(0) >> (64 - m.active)
	switch m.Mechanism {
	case device.Native:
		m.counts[termRound] = float64(m.lanesOfHalves(all) - m.freeOf(all))
		return
	case device.Merge, device.Access:
		m.readWide(all)
		return
	}
	var path walk // for its branches alone
	path.apart.whole = m.active == m.Lanes
	left := all
	for turn := 0; left != 0; turn++ {
		if turn > 0 {
			m.counts[termRound]++
		}
		if m.Mechanism != device.CAS {
			m.readWide(left)
		} else if turn == 0 {
			passes := m.readWide(left)
			m.counts[termHidden] = -min(m.Hidden, m.Bank*float64(max(0, passes-m.freeOf(left))))
		}
		if m.Mechanism == device.CAS {
			m.counts[termWrite] += float64(m.lanesOfHalves(left) - m.freeOf(left))
		}
		won := m.winnersWide(left)
		if m.Mechanism != device.CAS {
			m.counts[termWrite] += float64(m.lanesOfHalves(won) - m.freeOf(won))
		}
		left &^= won
		switch {
		case m.Apart:
			path.apart.branch(&path.counts, bits.OnesCount64(won), bits.OnesCount64(left))
		case left != 0:
			path.branch(bits.OnesCount64(won), bits.OnesCount64(left))
		}
	}
	m.tallyStep(int(m.counts[termRound]) + 1)
	for t, n := range path.counts {
		m.counts[t] += n
	}
}

// upper is the mask of the active lanes in the upper half of the warp.
func (m *Model) upper() uint64 {
	for i := range m.active {
		if int(m.lane[i]) >= m.Lanes/2 {
			return ^uint64(0) << i
		}
	}
	return 0
}

func (m *Model) freeOf(lanes uint64) int {
	free := 0
	if lanes&m.upper() != 0 {
		free++
	}
	if lanes&^m.upper() != 0 {
		free++
	}
	return free
}

// readWide counts the passes of a read.
func (m *Model) readWide(lanes uint64) int {
	free := m.freeOf(lanes)
	whole, passes := m.wordsOfHalves(lanes)
	if m.Pairs && m.pairsWide(lanes) {
		m.counts[termPaired]--
		passes = whole
	}
	if m.shortens() && free == 1 {
		m.counts[termHalf]--
		free = 2
	}
	m.counts[termBank] += float64(passes - free)
	return passes
}

// wordsOfHalves returns the different words on the fullest pair of banks: over
// the whole warp, and summed over its halves.
func (m *Model) wordsOfHalves(lanes uint64) (whole, halves int) {
	upper := m.upper()
	for i := range m.wide.words {
		m.wide.words[i].reset()
	}
	var worst [3]uint8
	for rest := lanes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		half := int(upper >> i & 1)
		for _, set := range [2]int{half, 2} {
			seen := &m.wide.words[set]
			before := seen.n
			if seen.of(m.group[i]) < before {
				continue
			}
			at := &m.tally[int(m.column[i])*MaxLanes+set]
			*at++
			worst[set] = max(worst[set], *at)
		}
	}
	m.clearTally(lanes)
	return int(worst[2]), int(worst[0]) + int(worst[1])
}

// lanesOfHalves sums over the halves the lanes on the fullest pair of banks.
func (m *Model) lanesOfHalves(lanes uint64) int {
	upper := m.upper()
	var worst [2]uint8
	for rest := lanes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		half := int(upper >> i & 1)
		at := &m.tally[int(m.column[i])*MaxLanes+half]
		*at++
		worst[half] = max(worst[half], *at)
	}
	m.clearTally(lanes)
	return int(worst[0]) + int(worst[1])
}

func (m *Model) clearTally(lanes uint64) {
	for rest := lanes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		clear(m.tally[int(m.column[i])*MaxLanes:][:3])
	}
}

// pairsWide is pairs.
func (m *Model) pairsWide(lanes uint64) bool {
	var wants [MaxLanes + 2]int32
	for l := range wants {
		wants[l] = Inactive
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		wants[m.lane[i]] = m.group[i]
	}
	return pairedAt(wants[:m.Lanes+2], 1) || pairedAt(wants[:m.Lanes+2], 2)
}

// winnersWide is winners.
func (m *Model) winnersWide(lanes uint64) (won uint64) {
	upper := m.upper()
	split := m.Mechanism == device.Spin
	updated := &m.wide.words[0]
	updated.reset()
	m.wide.locks.reset()
	second := false
	for rest := lanes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		if split && !second && upper>>i&1 != 0 {
			second = true
			m.wide.locks.reset()
			for w := won; w != 0; w &= w - 1 {
				updated.of(m.group[bits.TrailingZeros64(w)])
			}
		}
		before := m.wide.locks.n
		if m.wide.locks.of(m.lock[i]) < before {
			continue
		}
		if second && updated.has(m.group[i]) {
			continue
		}
		won |= 1 << i
	}
	return won
}

// has reports whether the key has a number.
func (b *numbering) has(key int32) bool {
	at := uint32(key) * 0x9E3779B1 >> 24
	for b.stamp[at] == b.epoch {
		if b.key[at] == key {
			return true
		}
		at = (at + 1) & 255
	}
	return false
}
