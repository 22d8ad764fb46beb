package page

import (
	"math"

	"github.com/atomtune/atomtune/collision"
)

// pictures are the data of the pictures of a stream.
type pictures struct {
	// Ranks are updates of targets by their rank, the most frequent first: at both ends of each
	// stretch of equal ones, but for those that lie closer together than can be drawn.
	Ranks []rank `json:"frequency_by_rank"`
	// RanksEstimated: a sample determines the mean of the targets between two powers of 2 alone, to rank
	// 65,536.
	RanksEstimated bool                `json:"frequency_by_rank_estimated"`
	Course         []collision.Stretch `json:"degree_along_stream"`
	// Distinct is the number of warps by their different targets, from 0, which none has.
	Distinct []uint64 `json:"warps_by_distinct_targets"`
	shares   shares
}

type rank struct {
	Rank    uint64  `json:"rank"`
	Updates float64 `json:"updates"`
}

func picturesOf(s *collision.Stats, counts []collision.Frequency, along *collision.Course) pictures {
	p := pictures{Course: along.Stretches(), Distinct: along.Distinct(), RanksEstimated: counts == nil}
	if counts == nil {
		p.Ranks = ranksOfCover(s)
		return p
	}
	p.Ranks, p.shares = ranksOf(counts), sharesOf(s, counts)
	return p
}

const rankSteps = 256

// ranksOf lists the ranks at which the frequency changes.
func ranksOf(counts []collision.Frequency) (list []rank) {
	total := uint64(0)
	for _, c := range counts {
		total += c.Targets
	}
	step := func(r uint64) int {
		return int(rankSteps * math.Log(float64(r)) / math.Log(float64(max(total, 2))))
	}
	first, drawn := uint64(1), -1
	for i, c := range counts {
		last := first + c.Targets - 1
		for _, r := range [2]uint64{first, last} {
			if at := step(r); at > drawn || i == len(counts)-1 && r == last && r > list[len(list)-1].Rank {
				list, drawn = append(list, rank{r, float64(c.Updates)}), at
			}
		}
		first = last + 1
	}
	return list
}

// ranksOfCover lists the mean frequencies between powers of 2, where frequent targets are known.
func ranksOfCover(s *collision.Stats) []rank {
	list := []rank{}
	before, first := 0.0, uint64(1)
	for j, share := range s.Cover {
		last := min(uint64(1)<<j, s.Unique)
		if !s.HotKnown() || last < first {
			break
		}
		updates := (share - before) * float64(s.Updates) / float64(last-first+1)
		if updates <= 0 {
			break
		}
		if list = append(list, rank{first, updates}); last > first {
			list = append(list, rank{last, updates})
		}
		before, first = share, last+1
	}
	return list
}

type shares struct {
	tenth float64 // of the updates on the most frequent tenth of the targets that occur
	half  uint64  // most frequent targets that get half of the updates
	once  uint64  // targets with one update
}

func sharesOf(s *collision.Stats, counts []collision.Frequency) (r shares) {
	var targets, updates uint64
	tenth := (s.Unique + 9) / 10
	for _, c := range counts {
		if targets < tenth {
			r.tenth += float64(min(c.Targets, tenth-targets) * c.Updates)
		}
		if need := (s.Updates+1)/2 - min(updates, (s.Updates+1)/2); need > 0 {
			r.half = targets + min(c.Targets, (need+c.Updates-1)/c.Updates)
		}
		if c.Updates == 1 {
			r.once = c.Targets
		}
		targets, updates = targets+c.Targets, updates+c.Targets*c.Updates
	}
	r.tenth /= float64(s.Updates)
	return r
}
