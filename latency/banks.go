package latency

import "github.com/atomtune/atomtune/device"

// passes is Algorithm_bank: the serial accesses of the fullest bank over the
// lanes. Equal words are broadcast, unless every lane counts for itself. Wide
// words are served in halves of the warp, one after the other, each half as
// long as its fullest pair of banks takes; a half without a lane takes none.
func (s Structure) passes(pattern []int32, lanes []int, every bool) int {
	if !s.Wide {
		return s.fullest(pattern, lanes, every)
	}
	low, high := s.halves(lanes)
	return s.fullest(pattern, low, every) + s.fullest(pattern, high, every)
}

// together is passes of a read in which both halves of wide words are served
// at once.
func (s Structure) together(pattern []int32, lanes []int) int {
	return s.fullest(pattern, lanes, false)
}

// free is how many passes an access without conflict takes.
func (s Structure) free(lanes []int) int {
	if !s.Wide {
		return 1
	}
	low, high := s.halves(lanes)
	return min(1, len(low)) + min(1, len(high))
}

// halves splits lanes, which ascend, into those of the lower and of the upper
// half of the warp.
func (s Structure) halves(lanes []int) (low, high []int) {
	for i, l := range lanes {
		if l >= s.Lanes/2 {
			return lanes[:i], lanes[i:]
		}
	}
	return lanes, nil
}

func (s Structure) fullest(pattern []int32, lanes []int, every bool) int {
	seen := map[int32]bool{}
	inColumn := map[int32]int{}
	worst := 0
	for _, l := range lanes {
		if word := pattern[l]; every || !seen[word] {
			seen[word] = true
			column := word % int32(s.Columns())
			inColumn[column]++
			worst = max(worst, inColumn[column])
		}
	}
	return worst
}

// shortens reports whether a turn without one half of the warp is shorter by
// Half, against a turn with both: so it was measured of hardware loops on wide
// words, together with Pairs.
func (s Structure) shortens() bool { return s.Wide && s.Pairs && s.Mechanism == device.Spin }

// pairs reports whether the hardware reads both halves of wide words at once:
// where each pair of neighbouring lanes, or each pair of lanes two apart,
// wants the same word, or one of the two wants none.
func (s Structure) pairs(pattern []int32, lanes []int) bool {
	wants := make([]int32, s.Lanes+2)
	for l := range wants {
		wants[l] = Inactive
	}
	for _, l := range lanes {
		wants[l] = pattern[l]
	}
	return pairedAt(wants, 1) || pairedAt(wants, 2)
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
func (s Structure) winners(pattern []int32, lanes []int) (won, left []int) {
	taken, updated := map[int32]bool{}, map[int32]bool{}
	split := s.Wide && s.Mechanism == device.Spin
	second := false
	for _, l := range lanes {
		if split && !second && l >= s.Lanes/2 {
			second = true
			taken = map[int32]bool{}
			for _, w := range won {
				updated[pattern[w]] = true
			}
		}
		lock := s.Lock(pattern[l])
		if taken[lock] {
			left = append(left, l)
			continue
		}
		taken[lock] = true
		if updated[pattern[l]] {
			left = append(left, l)
			continue
		}
		won = append(won, l)
	}
	return won, left
}
