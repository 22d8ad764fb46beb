package latency

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
)

// Model predicts many patterns with the same parameters, as Warp does but
// without its explanation and without allocating. A Model is not safe for
// concurrent use; each goroutine makes its own.
//
// Sets of lanes are bits of a mask, numbered among the active lanes.
type Model struct {
	Params
	counts Counts
	// Of the pattern at hand, per active lane in ascending order: the lane, and
	// the numbers of its word, lock and bank, each below MaxLanes.
	active                   int
	lane, word, lock, column [MaxLanes]int32
	upper                    uint64 // of wide words: the lanes of the warp's upper half
	words, locks, columns    numbering
}

// NewModel prepares predictions. Errors wrap ErrParams.
func NewModel(p Params) (*Model, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return &Model{Params: p}, nil
}

// Cycles predicts the latency of a pattern: the Cycles of Warp. Errors wrap
// ErrPattern.
func (m *Model) Cycles(pattern []int32) (float64, error) {
	counts, err := m.Counts(pattern)
	if err != nil {
		return 0, err
	}
	return m.Total(counts), nil
}

// Counts counts the terms of a pattern: what the constants multiply, and the cycles
// that Hidden takes off. They hold until the next pattern. Errors wrap ErrPattern.
func (m *Model) Counts(pattern []int32) (*Counts, error) {
	err := m.check(pattern)
	if err == nil {
		m.count(pattern, nil)
	}
	return &m.counts, err
}

// BankDegree is the bank conflict degree of the pattern that was counted last: the
// different words on its fullest bank, or the lanes on it where a native unit serves
// them one by one.
func (m *Model) BankDegree() int {
	if m.active == 0 {
		return 0
	}
	together, _ := m.passes(^uint64(0)>>(64-m.active), m.Mechanism == device.Native)
	return together
}

// count counts the terms of a pattern that check has passed, turn by turn. each,
// if it is there, is called after each turn.
func (m *Model) count(pattern []int32, each func(pending, won uint64, reads, writes int)) {
	m.counts = Counts{}
	m.open(pattern)
	if m.active == 0 {
		return
	}
	m.counts[TermBase] = 1
	if m.active < m.Lanes {
		m.counts[TermPartial] = 1
	}
	hidden := 0.0
	var warp splits
	pending := ^uint64(0) >> (64 - m.active)
	for turn := 1; pending != 0; turn++ {
		if turn > 1 {
			m.counts[TermRound]++
			if turn == m.StepTurn {
				m.counts[TermStep] = 1
			}
		}
		reads, writes, won := m.turn(pending, turn)
		if turn == 1 && m.Mechanism == device.CAS {
			hidden = min(m.Hidden, m.Bank*float64(max(0, reads-m.free(pending))))
		}
		again := pending &^ won
		switch {
		case m.Apart:
			warp.apart(&m.counts, m.active == m.Lanes, bits.OnesCount64(won), bits.OnesCount64(again))
		case again != 0:
			warp.lockstep(&m.counts, bits.OnesCount64(won), bits.OnesCount64(again))
		}
		if each != nil {
			each(pending, won, reads, writes)
		}
		pending = again
	}
	if hidden > 0 {
		m.counts[TermHidden] = -hidden
	}
}

// turn counts a turn: the passes of its read and of its write, and the lanes
// that are done after it.
func (m *Model) turn(pending uint64, turn int) (reads, writes int, won uint64) {
	switch m.Mechanism {
	case device.Native:
		_, reads = m.passes(pending, true)
		m.counts[TermRound] += float64(reads - m.free(pending))
		return reads, 0, pending
	case device.Merge, device.Access:
		return m.read(pending), 0, pending
	case device.CAS:
		if turn == 1 {
			reads = m.read(pending)
		}
		_, writes = m.passes(pending, true)
		m.counts[TermWrite] += float64(writes - m.free(pending))
		return reads, writes, m.winners(pending)
	}
	reads, won = m.read(pending), m.winners(pending)
	_, writes = m.passes(won, false)
	m.counts[TermWrite] += float64(writes - m.free(won))
	return reads, writes, won
}

// open numbers the active lanes, their words, locks and banks.
func (m *Model) open(pattern []int32) {
	m.words.reset()
	m.locks.reset()
	m.columns.reset()
	m.active, m.upper = 0, 0
	for l, word := range pattern {
		if word == Inactive {
			continue
		}
		n := m.active
		m.lane[n] = int32(l)
		m.word[n], m.column[n] = m.words.of(word), m.Column(word)
		if m.Columns() > MaxLanes {
			m.column[n] = m.columns.of(m.column[n])
		}
		if m.Loops() {
			m.lock[n] = m.locks.of(m.Lock(word))
		}
		if m.Wide && l >= m.Lanes/2 {
			m.upper |= 1 << n
		}
		m.active++
	}
}

func (m *Model) lanes(mask uint64) []int {
	var list []int
	for ; mask != 0; mask &= mask - 1 {
		list = append(list, int(m.lane[bits.TrailingZeros64(mask)]))
	}
	return list
}

// passes is Algorithm_bank: the serial accesses of the fullest bank over the
// lanes. Equal words are broadcast, unless every lane counts for itself. Wide
// words are served in halves of the warp, one after the other, each half as
// long as its fullest pair of banks takes; together is how long both halves
// take that are served at once.
func (m *Model) passes(lanes uint64, every bool) (together, halves int) {
	var (
		parts   = [2]int{0, 2} // lower half, upper half, both
		seen    [3]uint64
		load    [3][MaxLanes]uint8
		fullest [3]uint8
	)
	sets := 1
	if m.Wide {
		sets = 2
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		word := uint64(1) << m.word[i]
		parts[0] = int(m.upper >> i & 1)
		for _, part := range parts[:sets] {
			if every || seen[part]&word == 0 {
				seen[part] |= word
				at := &load[part][m.column[i]]
				*at++
				fullest[part] = max(fullest[part], *at)
			}
		}
	}
	if !m.Wide {
		return int(fullest[0]), int(fullest[0])
	}
	return int(fullest[2]), int(fullest[0]) + int(fullest[1])
}

// free is how many passes an access without conflict takes: of wide words one
// for each half of the warp that has a lane.
func (m *Model) free(lanes uint64) int {
	if lanes&m.upper != 0 && lanes&^m.upper != 0 {
		return 2
	}
	return 1
}

func (m *Model) read(lanes uint64) int {
	free := m.free(lanes)
	together, passes := m.passes(lanes, false)
	if m.Wide && m.Pairs && m.paired(lanes) {
		passes = together
		m.counts[TermPaired]--
	}
	if m.shortens() && free == 1 {
		m.counts[TermHalf]--
		free = 2
	}
	m.counts[TermBank] += float64(passes - free)
	return passes
}

// shortens reports whether a turn without one half of the warp is shorter by
// Half, against a turn with both: so it was measured of hardware loops on wide
// words, together with Pairs.
func (s Structure) shortens() bool { return s.Wide && s.Pairs && s.Mechanism == device.Spin }

// paired reports whether the hardware reads both halves of wide words at once:
// where each pair of neighbouring lanes, or each pair of lanes two apart,
// wants the same word, or one of the two wants none.
func (m *Model) paired(lanes uint64) bool {
	var wants [MaxLanes + 2]int32
	for l := range wants {
		wants[l] = Inactive
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		wants[m.lane[i]] = m.word[i]
	}
	return pairedAt(wants[:m.Lanes+2], 1) || pairedAt(wants[:m.Lanes+2], 2)
}

func pairedAt(wants []int32, distance int) bool {
	for l, a := range wants {
		if l&distance == 0 && l+distance < len(wants) {
			if b := wants[l+distance]; a != Inactive && b != Inactive && a != b {
				return false
			}
		}
	}
	return true
}

// winners is Algorithm_lock: of the lanes that share a lock the lowest
// acquires it. Where hardware spins on wide words, the second half of the warp
// comes when the locks of the first are free again: each half has winners of
// its own, but a lane whose word the first half has just updated holds its
// lock in vain.
func (m *Model) winners(lanes uint64) (won uint64) {
	if m.Mechanism != device.Spin {
		won, _ = m.acquire(lanes, 0)
		return won
	}
	lower, updated := m.acquire(lanes&^m.upper, 0)
	upper, _ := m.acquire(lanes&m.upper, updated)
	return lower | upper
}

// acquire returns the lanes that acquire their lock and whose word is not among
// those updated before, and the words that they update.
func (m *Model) acquire(lanes, before uint64) (won, updated uint64) {
	var taken uint64
	for rest := lanes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		lock, word := uint64(1)<<m.lock[i], uint64(1)<<m.word[i]
		if taken&lock == 0 && before&word == 0 {
			won |= 1 << i
			updated |= word
		}
		taken |= lock
	}
	return won, updated
}

// splits follows the branches at which the warp of a loop splits into lanes that
// are done and lanes that go round again.
type splits struct {
	turns    int
	majority bool // at the branch before, the lanes that were done were more
	merges   int  // how often parked lanes had to be merged
}

// lockstep counts a branch of a warp that parks the lanes that are done.
func (s *splits) lockstep(counts *Counts, done, again int) {
	if s.majority {
		s.merges++
		counts[TermPark]--
		if s.merges == 1 {
			counts[TermMerge]++
		} else {
			counts[TermMergeSaved]--
		}
	}
	if s.majority = done > again; s.majority {
		counts[TermPark]++
	}
}

// apart counts a branch of a whole warp whose lanes are free to run apart. The
// first branch at which lanes go round again decides: the warp splits, unless
// the lanes that are done outnumber the others.
func (s *splits) apart(counts *Counts, whole bool, done, again int) {
	s.turns++
	switch {
	case !whole:
	case s.turns == 1 && again > 0:
		counts[TermSplit] = 1
		if s.majority = done > again; s.majority {
			counts[TermAhead] = -1
		}
	case s.turns == 2 && s.majority && again == 0:
		counts[TermAheadLast] = -1
	case s.turns == 2 && s.majority && done > again:
		counts[TermAheadAgain] = -1
	}
}

// numbering numbers different keys in the order of their appearance.
type numbering struct {
	n     int32
	epoch uint32
	stamp [256]uint32
	key   [256]int32
	index [256]int32
}

func (b *numbering) reset() {
	b.n = 0
	if b.epoch++; b.epoch == 0 {
		b.stamp, b.epoch = [256]uint32{}, 1
	}
}

func (b *numbering) of(key int32) int32 {
	at := uint32(key) * 0x9E3779B1 >> 24
	for b.stamp[at] == b.epoch {
		if b.key[at] == key {
			return b.index[at]
		}
		at = (at + 1) & 255
	}
	b.stamp[at], b.key[at], b.index[at] = b.epoch, key, b.n
	b.n++
	return b.n - 1
}
