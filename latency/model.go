package latency

import "github.com/atomtune/atomtune/device"

// Model predicts many patterns with the same parameters, as Warp does but
// without its explanation and without allocating. A Model is not safe for
// concurrent use; each goroutine makes its own.
type Model struct {
	Params
	counts [numTerms]float64
	all    bool // count branches whatever they cost
	// Of the pattern at hand, per active lane in ascending order.
	active int
	lane   [MaxLanes]int32
	group  [MaxLanes]int32 // number of the lane's word among the different words
	lock   [MaxLanes]int32 // number of the lane's lock among the different locks
	column [MaxLanes]int32
	words  numbering
	locks  numbering
	last   [MaxLanes]int32 // per word: the turn in which its last lane leaves
	taken  [MaxLanes]int32 // per lock: lanes that have left
	won    [MaxLanes]int32 // per turn: lanes that leave
	tally  []uint8         // per column and turn
	wide   wideScratch
}

// NewModel prepares predictions. Errors wrap ErrParams.
func NewModel(p Params) (*Model, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return &Model{Params: p, tally: make([]uint8, p.Columns()*MaxLanes)}, nil
}

// Cycles predicts the latency of a pattern: the Cycles of Warp. Errors wrap
// ErrPattern.
func (m *Model) Cycles(pattern []int32) (float64, error) {
	if err := m.check(pattern); err != nil {
		return 0, err
	}
	m.tallyTerms(pattern)
	return m.cycles(&m.counts), nil
}

// Counts counts the terms of a pattern, in the order of Terms, into counts,
// which is as long: what the constants multiply. The cycles that Hidden takes
// off are not among them. Errors wrap ErrPattern.
func (m *Model) Counts(pattern []int32, counts []float64) error {
	if err := m.check(pattern); err != nil {
		return err
	}
	m.all = true
	m.tallyTerms(pattern)
	m.all = false
	copy(counts, m.counts[:])
	counts[termHidden] = 0
	return nil
}

// tallyTerms counts the terms of a pattern that check has passed.
func (m *Model) tallyTerms(pattern []int32) {
	m.counts = [numTerms]float64{}
	m.open(pattern)
	if m.active == 0 {
		return
	}
	m.counts[termBase] = 1
	if m.active < m.Lanes {
		m.counts[termPartial] = 1
	}
	if m.Wide {
		m.tallyWide()
		return
	}
	switch m.Mechanism {
	case device.Native:
		m.counts[termRound] = float64(m.lanesOnColumn() - 1)
	case device.Merge, device.Access:
		m.counts[termBank] = float64(m.wordsOnColumn() - 1)
	default:
		m.tallyLoop()
	}
}

// open numbers the active lanes, their words and locks.
func (m *Model) open(pattern []int32) {
	m.words.reset()
	m.locks.reset()
	loops := m.Loops()
	n := 0
	for l, word := range pattern {
		if word == Inactive {
			continue
		}
		m.lane[n] = int32(l)
		m.group[n] = m.words.of(word)
		m.column[n] = word % int32(m.Columns())
		if loops {
			m.lock[n] = m.locks.of(m.Lock(word))
		}
		n++
	}
	m.active = n
}

// lanesOnColumn counts the lanes on the fullest bank.
func (m *Model) lanesOnColumn() int {
	worst := uint8(0)
	for i := range m.active {
		at := &m.tally[m.column[i]]
		*at++
		worst = max(worst, *at)
	}
	for i := range m.active {
		m.tally[m.column[i]] = 0
	}
	return int(worst)
}

// wordsOnColumn counts the different words on the fullest bank.
func (m *Model) wordsOnColumn() int {
	worst := uint8(0)
	seen := int32(0)
	for i := range m.active {
		if m.group[i] < seen {
			continue
		}
		seen++
		at := &m.tally[m.column[i]]
		*at++
		worst = max(worst, *at)
	}
	for i := range m.active {
		m.tally[m.column[i]] = 0
	}
	return int(worst)
}

// tallyLoop counts a loop without going through its turns: the lanes of a lock
// leave one a turn in ascending order, so a lane's turn is its rank among the
// lanes of its lock, and a word is read until the last of its lanes leaves.
func (m *Model) tallyLoop() {
	turns := m.ranks()
	m.counts[termRound] = float64(turns - 1)
	m.tallyStep(turns)
	m.tallyBranches(turns)
	switch {
	case m.Mechanism == device.CAS:
		first := m.wordsOnColumn() - 1
		m.counts[termBank] = float64(first)
		m.counts[termHidden] = -min(m.Hidden, m.Bank*float64(first))
		m.counts[termWrite] = float64(m.pendingOnColumns(turns) - turns)
	default:
		m.counts[termBank] = float64(m.readsOnColumns(turns) - turns)
		m.counts[termWrite] = float64(m.winnersOnColumns(turns) - turns)
	}
}

func (m *Model) tallyStep(turns int) {
	if m.StepTurn > 1 && turns >= m.StepTurn {
		m.counts[termStep] = 1
	}
}

// ranks gives each lane its turn, in lock, and returns the number of turns.
func (m *Model) ranks() int {
	clear(m.taken[:m.locks.n])
	turns := int32(0)
	for i := range m.active {
		at := &m.taken[m.lock[i]]
		rank := *at
		*at++
		m.lock[i] = rank
		m.last[m.group[i]] = rank
		turns = max(turns, *at)
	}
	return int(turns)
}

// tallyBranches counts what the splits of the warp cost, as branch does.
func (m *Model) tallyBranches(turns int) {
	if m.Apart {
		m.tallyApart(turns)
		return
	}
	if !m.all && m.Park == 0 && m.Merge == 0 && m.MergeSaved == 0 {
		return
	}
	m.tallyWon(turns)
	left := int32(m.active)
	early, parked := 0, false
	for _, won := range m.won[:turns-1] {
		left -= won
		if parked {
			early++
		}
		parked = won > left
	}
	if parked {
		m.counts[termPark] = 1
	}
	if early > 0 {
		m.counts[termMerge] = 1
		m.counts[termMergeSaved] = -float64(early - 1)
	}
}

// tallyWon counts the lanes that leave in each turn.
func (m *Model) tallyWon(turns int) {
	clear(m.won[:turns])
	for i := range m.active {
		m.won[m.lock[i]]++
	}
}

// tallyApart counts what it costs that lanes run apart.
func (m *Model) tallyApart(turns int) {
	m.tallyWon(turns)
	path := apart{whole: m.active == m.Lanes}
	left := m.active
	for _, won := range m.won[:min(turns, 2)] {
		left -= int(won)
		path.branch(&m.counts, int(won), left)
	}
}

// readsOnColumns sums over the turns the different words on the fullest bank
// among the lanes that are left.
func (m *Model) readsOnColumns(turns int) int {
	seen := int32(0)
	for i := range m.active {
		if g := m.group[i]; g == seen {
			seen++
			m.tallyUpTo(m.column[i], m.last[g])
		}
	}
	return m.sumOfFullest(turns)
}

// pendingOnColumns sums over the turns the lanes on the fullest bank among the
// lanes that are left.
func (m *Model) pendingOnColumns(turns int) int {
	for i := range m.active {
		m.tallyUpTo(m.column[i], m.lock[i])
	}
	return m.sumOfFullest(turns)
}

// winnersOnColumns sums over the turns the lanes on the fullest bank among
// those that leave.
func (m *Model) winnersOnColumns(turns int) int {
	for i := range m.active {
		m.tally[int(m.column[i])*MaxLanes+int(m.lock[i])]++
	}
	return m.sumOfFullest(turns)
}

func (m *Model) tallyUpTo(column, turn int32) {
	row := m.tally[int(column)*MaxLanes:][:MaxLanes]
	for k := range turn + 1 {
		row[k]++
	}
}

// sumOfFullest sums the fullest column of each turn and clears the tally.
func (m *Model) sumOfFullest(turns int) int {
	var fullest [MaxLanes]uint8
	for i := range m.active {
		row := m.tally[int(m.column[i])*MaxLanes:][:turns]
		for k, n := range row {
			fullest[k] = max(fullest[k], n)
			row[k] = 0
		}
	}
	sum := 0
	for _, n := range fullest[:turns] {
		sum += int(n)
	}
	return sum
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
