package latency

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/splitmix"
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
	active                 int
	lane, word, lock, bank [MaxLanes]uint8
	upper                  uint64 // of wide words: the lanes of the warp's upper half
	words, locks, banks    numbering
}

// NewModel prepares predictions. Errors wrap ErrParams.
func NewModel(p Params) (*Model, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return &Model{Params: p}, nil
}

// Cycles predicts the latency of a pattern: the Cycles of Warp. Errors wrap ErrPattern.
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
	if err := m.check(pattern); err != nil {
		return nil, err
	}
	m.count(pattern, nil)
	return &m.counts, nil
}

// count counts the terms of a pattern that check has passed, turn by turn. each,
// if it is there, is called after each iteration.
func (m *Model) count(pattern []int32, each func(pending, won uint64, reads, writes int)) {
	m.counts = Counts{}
	m.open(pattern)
	if m.active == 0 {
		return
	}
	if m.counts[TermBase] = 1; m.active < m.Lanes {
		m.counts[TermPartial] = 1
	}
	var warp splits
	hidden := 0.0 // of the whole, not of an iteration
	pending := ^uint64(0) >> (64 - m.active)
	for iteration := 1; pending != 0; iteration++ {
		if iteration > 1 {
			m.counts[TermRound]++
			if iteration == m.StepIteration {
				m.counts[TermStep] = 1
			}
		}
		reads, writes, won := m.iteration(pending, iteration)
		if iteration == 1 && m.Mechanism == device.CAS {
			hidden = min(m.Hidden, m.Bank*float64(max(0, reads-m.free(pending))))
		}
		again := pending &^ won
		switch {
		case m.Apart && m.active == m.Lanes:
			warp.apart(&m.counts, bits.OnesCount64(won), bits.OnesCount64(again))
		case !m.Apart && again != 0:
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

// iteration counts an iteration: the passes of its read and of its write, and the lanes
// that are done after it.
func (m *Model) iteration(pending uint64, iteration int) (reads, writes int, won uint64) {
	if m.Mechanism == device.Native {
		reads = m.passes(pending, true)
		m.counts[TermRound] += float64(reads - m.free(pending))
		return reads, 0, pending
	}
	if iteration == 1 || m.Mechanism != device.CAS {
		reads = m.read(pending)
	}
	if !m.Loops() {
		return reads, 0, pending
	}
	won = m.winners(pending)
	if m.Mechanism == device.Lock && !m.Pairs && won == pending { // words differ, as in the read
		m.counts[TermWrite] += float64(reads - m.free(won))
		return reads, reads, won
	}
	writers := won
	if m.Mechanism == device.CAS {
		writers = pending // whose swaps a bank serves one by one
	}
	writes = m.passes(writers, m.Mechanism == device.CAS)
	m.counts[TermWrite] += float64(writes - m.free(writers))
	return reads, writes, won
}

// open numbers the active lanes, their words, locks and banks.
func (m *Model) open(pattern []int32) {
	for _, n := range [...]*numbering{&m.words, &m.locks, &m.banks} {
		n.last, n.number = 0, [len(n.number)]uint8{}
	}
	columns, locks := uint32(m.Columns()), uint32(m.LockCount())
	n, half := 0, m.Lanes
	if m.upper = 0; m.Wide {
		half /= 2
	}
	for l, word := range pattern {
		if word == Inactive {
			continue
		}
		lock := m.locks.of(remainder(uint32(word), locks))
		bank := remainder(uint32(word), columns)
		if columns > MaxLanes {
			bank = uint32(m.banks.of(bank))
		}
		m.lane[n], m.lock[n], m.bank[n] = uint8(l), lock, uint8(bank)
		m.word[n] = m.words.of(uint32(word))
		if l >= half {
			m.upper |= 1 << n
		}
		n++
	}
	m.active = n
}

func (m *Model) lanes(mask uint64) []int {
	var list []int
	for ; mask != 0; mask &= mask - 1 {
		list = append(list, int(m.lane[bits.TrailingZeros64(mask)]))
	}
	return list
}

// passes is Algorithm_bank: the serial accesses of the fullest bank over the
// lanes. Wide words are served in halves of the warp, one after the other, each half as
// long as its fullest pair of banks takes.
func (m *Model) passes(lanes uint64, every bool) int {
	return m.fullest(lanes&^m.upper, every) + m.fullest(lanes&m.upper, every)
}

// fullest is the different words on the fullest bank, since equal ones are broadcast, or
// the lanes on it where every lane counts for itself. What a lane adds is computed and not
// branched on: whether its word was seen before is as good as random.
func (m *Model) fullest(lanes uint64, every bool) int {
	if lanes&(lanes-1) == 0 {
		return bits.OnesCount64(lanes)
	}
	var load [MaxLanes]uint8
	seen, again, most := uint64(0), uint64(0), uint8(0)
	if every {
		again = 1
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest) % MaxLanes
		word, bank := m.word[i]%MaxLanes, m.bank[i]%MaxLanes
		load[bank] += uint8(^seen>>word&1 | again)
		seen |= 1 << word
		most = max(most, load[bank])
	}
	return int(most)
}

// free is how many passes an access without conflict takes: of wide words one
// for each half of the warp that has a lane.
func (m *Model) free(lanes uint64) int {
	if lanes&m.upper != 0 && lanes&^m.upper != 0 {
		return 2
	}
	return 1
}

// read counts the passes of a read.
func (m *Model) read(lanes uint64) int {
	free, passes := m.free(lanes), m.passes(lanes, false)
	if m.Wide && m.Pairs && m.paired(lanes) {
		passes = m.fullest(lanes, false)
		m.counts[TermPaired]--
	}
	// So it was measured of hardware loops on wide words, together with Pairs.
	if m.Wide && m.Pairs && m.Mechanism == device.Spin && free == 1 {
		m.counts[TermHalf]--
		free = 2
	}
	m.counts[TermBank] += float64(passes - free)
	return passes
}

// paired reports whether the hardware reads both halves of wide words at once:
// where each pair of neighbouring lanes, or each pair of lanes two apart,
// wants the same word, or one of the two wants none.
func (m *Model) paired(lanes uint64) bool {
	var wants [MaxLanes]int32 // number of the word plus 1, 0 for none
	for rest := lanes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		wants[m.lane[i]] = int32(m.word[i]) + 1
	}
	same := [3]bool{1: true, 2: true} // by distance
	for l, a := range wants {
		for distance := 1; distance <= 2; distance++ {
			if b := wants[l|distance]; a != 0 && b != 0 && a != b {
				same[distance] = false
			}
		}
	}
	return same[1] || same[2]
}

// winners is Algorithm_lock: of the lanes that share a lock the lowest
// acquires it. Where hardware spins on wide words, the second half of the warp
// comes when the locks of the first are free again: each half has winners of
// its own, but a lane whose word the first half has just updated holds its
// lock in vain.
func (m *Model) winners(lanes uint64) (won uint64) {
	if int(m.locks.last) == m.active {
		return lanes
	}
	first := lanes
	if m.Mechanism == device.Spin {
		first &^= m.upper
	}
	var updated uint64 // words, by the first half
	for _, part := range [2]uint64{first, lanes &^ first} {
		var taken, words uint64
		for rest := part; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros64(rest) % MaxLanes
			lock, word := m.lock[i]%MaxLanes, m.word[i]%MaxLanes
			wins := ^(taken>>lock | updated>>word) & 1
			won |= wins << i
			words |= wins << word
			taken |= 1 << lock
		}
		updated = words
	}
	return won
}

// splits follows the branches at which a warp splits into lanes that are done and others.
type splits struct {
	iterations int
	majority   bool // at the branch before, the lanes that were done were more
	merged     bool // parked lanes have been merged
}

// lockstep counts a branch of a warp that parks the lanes that are done.
func (s *splits) lockstep(counts *Counts, done, again int) {
	if s.majority {
		counts[TermPark]--
		if s.merged {
			counts[TermMergeSaved]--
		} else {
			s.merged = true
			counts[TermMerge]++
		}
	}
	if s.majority = done > again; s.majority {
		counts[TermPark]++
	}
}

// apart counts a branch of a whole warp whose lanes are free to run apart. The
// first branch at which lanes go round again decides: the warp splits, unless
// the lanes that are done outnumber the others.
func (s *splits) apart(counts *Counts, done, again int) {
	s.iterations++
	switch {
	case s.iterations == 1 && again > 0:
		counts[TermSplit] = 1
		if s.majority = done > again; s.majority {
			counts[TermAhead] = -1
		}
	case s.iterations == 2 && s.majority && again == 0:
		counts[TermAheadLast] = -1
	case s.iterations == 2 && s.majority && done > again:
		counts[TermAheadAgain] = -1
	}
}

// numbering numbers different keys in the order of their appearance: a hash table.
type numbering struct {
	last   uint8
	number [4 * MaxLanes]uint8 // 0: a free place
	key    [4 * MaxLanes]uint32
}

func (b *numbering) of(key uint32) uint8 {
	at := uint8(splitmix.High(key, 8))
	for b.number[at] != 0 && b.key[at] != key {
		at++
	}
	if b.number[at] == 0 {
		b.last++
		b.key[at], b.number[at] = key, b.last
	}
	return b.number[at] - 1
}
