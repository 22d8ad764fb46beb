package prediction

import (
	"slices"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// conflicts finds which lanes wait for which when a warp works on the words of a pattern. Package latency
// predicts how long that takes; its tests compare the two.
type conflicts struct {
	latency.Structure
	pattern patterns.Pattern
}

// Wait is a lane that has to go round again.
type Wait struct {
	Lane int   `json:"lane"`
	Word int32 `json:"word"`
	// Lock is the number of the lock; where each word has its own, the word.
	Lock int32 `json:"lock"`
	// HeldBy is the lane that has the lock, or has changed the word since the read.
	HeldBy int `json:"held_by"`
}

// lock and bank return the lock and the bank, or pair of banks, of a lane's word.
func (c conflicts) lock(lane int) int32 { return c.Lock(c.pattern[lane]) }
func (c conflicts) bank(lane int) int32 { return c.Column(c.pattern[lane]) }

// waits lists the pending lanes of a round that did not win. The lowest lane of a lock has it; on
// wide words of a hardware loop, the lowest of each half of the warp, which in the second half
// helps only if the first has not changed the word.
func (c conflicts) waits(pending, winners []int) []Wait {
	var all []Wait
	for _, lane := range pending {
		if slices.Contains(winners, lane) {
			continue
		}
		lock := c.lock(lane)
		holder := pending[slices.IndexFunc(pending, func(l int) bool {
			return c.lock(l) == lock && (!c.halved() || c.half(l) == c.half(lane))
		})]
		if holder == lane {
			holder = winners[slices.IndexFunc(winners, func(l int) bool {
				return c.pattern[l] == c.pattern[lane]
			})]
		}
		all = append(all, Wait{Lane: lane, Word: c.pattern[lane], Lock: lock, HeldBy: holder})
	}
	return all
}

// halved reports whether each half of the warp takes the locks by itself.
func (c conflicts) halved() bool { return c.Wide && c.Mechanism == device.Spin }

func (c conflicts) half(lane int) int { return 2 * lane / c.Lanes }

// queue is the fullest bank of an access.
type queue struct {
	half  int // of the warp that it serves; -1 for the whole warp
	bank  int32
	lanes []int // one for each iteration of the bank
	ties  int   // further banks that are as full
}

// queues returns the fullest banks to which an access in so many passes is due: one, or one for
// each half of the warp where words are wide; none where they do not make up all passes. Lanes on
// one word take a single iteration, unless every lane counts for itself.
func (c conflicts) queues(lanes []int, every bool, passes int) []queue {
	if c.Wide {
		upper, _ := slices.BinarySearch(lanes, c.Lanes/2)
		low, high := c.fullest(lanes[:upper], every, 0), c.fullest(lanes[upper:], every, 1)
		if len(low.lanes)+len(high.lanes) == passes {
			return []queue{low, high}
		}
	}
	if whole := c.fullest(lanes, every, -1); len(whole.lanes) == passes {
		return []queue{whole}
	}
	return nil
}

func (c conflicts) fullest(lanes []int, every bool, half int) queue {
	iterations := map[int32][]int{}
	for _, l := range lanes {
		bank := c.bank(l)
		merged := func(o int) bool { return !every && c.pattern[o] == c.pattern[l] }
		if !slices.ContainsFunc(iterations[bank], merged) {
			iterations[bank] = append(iterations[bank], l)
		}
	}
	worst := queue{half: half}
	for _, l := range lanes { // in the order of the lanes
		bank := c.bank(l)
		switch n := len(iterations[bank]); {
		case n > len(worst.lanes):
			worst.bank, worst.lanes, worst.ties = bank, iterations[bank], 0
		case n == len(worst.lanes) && bank != worst.bank && iterations[bank][0] == l:
			worst.ties++
		}
	}
	return worst
}
