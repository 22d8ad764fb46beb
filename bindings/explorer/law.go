package explorer

import (
	"math"

	"github.com/atomtune/atomtune/datasets/synth"
)

// law is how the runs of a stream are spread over the ranks of its targets.
type law []group

// group is neighbouring ranks that are taken to be equally probable.
type group struct {
	first, count uint64  // the first rank, from 1 on, and how many there are
	each         float64 // probability of each rank
	upTo         float64 // probability of these ranks and all before
}

// law gives each rank a probability proportional to rank^-Skew. The first 64 ranks stand by
// themselves; further groups reach over one part in 64 of their rank, and have the probability of
// their middle.
func (s Stream) law() law {
	var l law
	total := 0.0
	for first := uint64(1); first <= s.Targets; {
		count := min(1+first/64, s.Targets-first+1)
		weight := math.Pow(float64(first)+float64(count-1)/2, -s.Skew)
		total += float64(count) * weight
		l = append(l, group{first, count, weight, total})
		first += count
	}
	for i := range l {
		l[i].each /= total
		l[i].upTo /= total
	}
	return l
}

// guide holds, for equal shares of the numbers from 0 to 1, the first group that reaches beyond the share's
// lower end, and the last group, so that draws search few groups.
type guide [1025]int

func (l law) guide() (g guide) {
	at := 0
	for i := range g {
		for at < len(l)-1 && l[at].upTo <= float64(i)/float64(len(g)-1) {
			at++
		}
		g[i] = at
	}
	return g
}

// draw draws a rank, from 0 on.
func (l law) draw(r *synth.Rand, by *guide) uint64 {
	u := r.Float64()
	share := int(u * float64(len(by)-1))
	low, high := by[share], by[share+1] // of the first group that reaches beyond u
	for low < high {
		if middle := (low + high) / 2; l[middle].upTo > u {
			high = middle
		} else {
			low = middle + 1
		}
	}
	g := l[low]
	if g.count == 1 {
		return g.first - 1
	}
	return g.first - 1 + r.Below(g.count)
}

// totals returns how many targets of a stream occur, and how many updates the most frequent one
// has. With p the probability of a rank and λ = p·N/L its expected number of runs, of N updates in runs of mean
// length L:
//
//	targets that occur   Σ ranks 1 - exp(-λ)
//	highest frequency    max over ranks r of L·λ + √(2 ln r · λ·(2L² - L))
//
// The first holds for numbers of runs that are Poisson-distributed. The second is the mean of the
// largest of r normal numbers, as [raab98] has it for balls in bins; λ·(2L² - L) is the variance of
// the sum of a Poisson number λ of geometric lengths of mean L. For few updates of a target it lies
// low.
func (l law) totals(s Stream) (unique, most float64) {
	runs := float64(s.Updates) / s.Run
	for _, g := range l {
		expected := runs * g.each
		unique -= float64(g.count) * math.Expm1(-expected)
		most = max(most, s.highest(expected, float64(g.first+g.count-1)))
	}
	return unique, most
}

// highest is the most updates of a target among so many that have the same expected number of runs.
func (s Stream) highest(runs, among float64) float64 {
	return s.Run*runs + math.Sqrt(2*math.Log(among)*runs*(2*s.Run*s.Run-s.Run))
}

// chunk is the highest frequency in a stream of so many neighbouring targets, whose ranks are
// scattered, where the most frequent target has so many updates. It is that of the most frequent target's chunk, or
// without skew the highest of chunks that are alike.
func (l law) chunk(s Stream, targets, most float64) float64 {
	n, top := float64(s.Updates), l[0].each
	chunks := float64(s.Targets) / targets
	switch {
	case chunks <= 1:
		return n
	case s.Skew == 0:
		return s.highest(n/s.Run/chunks, chunks)
	}
	return most + (n-top*n)*(targets-1)/float64(s.Targets-1)
}
